"""Reading op files: what is taken from them, and the sentence for each way in which they can be wrong."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from kbgen import KbgenError
from kbgen.profiling import op as op_module
from kbgen.profiling.op import OpError, load_op

GOOD = """
import torch
from torch import nn

rows = 6
width, heads = 2 * 8, 4
half = width // 2

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))

    def forward(self, x):
        return x * self.weight

def get_inputs():
    return [torch.rand(rows, width)]

def get_init_inputs():
    return [width]
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str = GOOD, name: str = "scale.py") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


def test_constants_are_the_module_level_numbers(write: Write) -> None:
    op = load_op(write())
    assert op.name == "scale"
    assert op.constants == {"rows": 6, "width": 16, "heads": 4, "half": 8}


def test_override_replaces_the_value_and_what_is_derived_from_it(write: Write) -> None:
    op = load_op(write(), {"width": 10})
    assert op.constants["half"] == 5
    model, inputs = op.instantiate(seed=0)
    assert model.weight.shape == (10,)
    assert inputs[0].shape == (6, 10)


def test_with_overrides_adds_to_what_is_set_and_leaves_the_first_op_alone(write: Write) -> None:
    first = load_op(write(), {"width": 10})
    second = first.with_overrides({"rows": 3})
    assert (second.constants["rows"], second.constants["width"]) == (3, 10)
    assert first.constants["rows"] == 6


@pytest.mark.parametrize("line", ["a = b = 8", "a, b = 8, 8", "a: int = 8\nb = 8", "shape = (8,)\na = b = 8"])
def test_one_name_of_a_joint_assignment_can_be_set(write: Write, line: str) -> None:
    path = write(f"{GOOD}\n{line}\n")
    assert load_op(path, {"a": 5}).constants["b"] == 8
    assert load_op(path, {"a": 5}).constants["a"] == 5


def test_tuple_constant_can_be_set(write: Write) -> None:
    path = write(GOOD.replace("rows = 6", "shape = (6, 3)\nrows = shape[0]"))
    assert load_op(path, {"shape": (9, 3)}).constants["rows"] == 9


def test_seed_decides_inputs_and_parameters(write: Write) -> None:
    op = load_op(write())
    (one, (x,)), (same, (x_same,)), (other, (x_other,)) = (op.instantiate(seed) for seed in (1, 1, 2))
    assert torch.equal(one.weight, same.weight)
    assert torch.equal(x, x_same)
    assert not torch.equal(one.weight, other.weight)
    assert not torch.equal(x, x_other)


def test_the_callers_random_state_is_untouched(write: Write) -> None:
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].copy()
    op = load_op(write())
    op.instantiate(seed=3)
    op.shape_sets()
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1] == random.getstate()
    assert np.array_equal(before[2], np.random.get_state()[1])


def test_what_the_file_prints_stays_out_of_standard_output(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    text = GOOD.replace("rows = 6", "rows = 6\nprint('loaded')").replace(
        "def get_inputs():", "def get_inputs():\n    print('asked')"
    )
    load_op(write(text)).instantiate(0)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "loaded" in captured.err
    assert "asked" in captured.err


def test_neighbour_modules_can_be_imported(write: Write) -> None:
    write("rows = 12\n", "sizes_of_scale.py")
    assert load_op(write(f"{GOOD}\nfrom sizes_of_scale import rows\n")).instantiate(0)[1][0].shape[0] == 12


@pytest.mark.parametrize("returned", ["[16]", "[[16], {}]", "[[], {'width': 16}]", "{'width': 16}", "(16,)"])
def test_init_inputs_in_every_published_form(write: Write, returned: str) -> None:
    assert load_op(write(GOOD.replace("return [width]", f"return {returned}"))).instantiate(0)[
        0
    ].weight.shape == (16,)


def test_numbers_and_integer_tensors_are_inputs(write: Write) -> None:
    text = GOOD.replace("def forward(self, x)", "def forward(self, x, mask, index, factor)").replace(
        "return [torch.rand(rows, width)]",
        "return [torch.rand(rows, width), torch.rand(rows, width) > 0.5, torch.arange(rows), 2.5]",
    )
    _, inputs = load_op(write(text)).instantiate(0)
    assert [getattr(value, "dtype", type(value)) for value in inputs] == [
        torch.float32,
        torch.bool,
        torch.int64,
        float,
    ]


WRONG = {
    "syntax": ("def get_inputs(:", "def get_inputs(:", "syntax error on line 17"),
    "import": ("rows = 6", "import no_such_package_here", "imports 'no_such_package_here'"),
    "top level": ("rows = 6", "rows = 6 // 0", "fails while it is loaded: ZeroDivisionError: .*line 5"),
    "exit": ("rows = 6", "raise SystemExit(3)", "fails while it is loaded: SystemExit: 3"),
    "no model": ("class Model(", "class Modell(", "has no class Model"),
    "not a module": ("class Model(nn.Module)", "class Model", "is not a torch.nn.Module"),
    "no inputs": ("def get_inputs", "def get_input", r"has no get_inputs\(\)"),
    "inputs fail": (
        "torch.rand(rows, width)",
        "torch.rand(-1)",
        r"get_inputs\(\) in .* fails: RuntimeError.*line 18",
    ),
    "drawn sizes": (
        "torch.rand(rows, width)",
        "torch.rand(int(torch.randint(1, rows, ())), width)",
        r"get_inputs\(\) in .* makes sizes of numbers that it draws",
    ),
    "bare tensor": (
        "[torch.rand(rows, width)]",
        "torch.rand(rows, width)",
        "returns a Tensor; return a list",
    ),
    "text input": ("[torch.rand(rows, width)]", "[torch.rand(rows, width), 'mean']", "input 1 .* is a str"),
    "init fails": (
        "return [width]",
        "return [undefined]",
        r"get_init_inputs\(\) in .* fails: NameError.*line 21",
    ),
    "init text": ("return [width]", "return 'width'", r"get_init_inputs\(\) in .* returns a str"),
    "constructor": ("return [width]", "return []", r"Model\(\*get_init_inputs\(\)\) in .* fails: TypeError"),
    "forward": (
        "return x * self",
        "return x @ self.weight[:3] * self",
        r"forward\(\) in .* fails: .*line 15",
    ),
    "no tensor": ("return x * self.weight", "return None", r"forward\(\) in .* returns no tensor"),
    "branch": (
        "return x * self",
        "return x if x.sum() > 0 else x * self",
        r"branches on tensor values .*\(line 15\)",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_each_mistake_has_its_sentence(write: Write, case: str) -> None:
    right, wrong, sentence = WRONG[case]
    text = GOOD.replace(right, wrong) if case != "syntax" else GOOD.replace("def get_inputs():", wrong)
    assert text != GOOD
    with pytest.raises(OpError, match=sentence) as caught:
        load_op(write(text))
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert isinstance(caught.value, KbgenError)


def test_missing_file_folder_and_other_kinds_of_file(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "latin.py").write_bytes(b"name = '\xff'")
    with pytest.raises(OpError, match="there is no file"):
        load_op(tmp_path / "absent.py")
    for name in ("notes.txt", "."):
        with pytest.raises(OpError, match="is not a Python file"):
            load_op(tmp_path / name)
    with pytest.raises(OpError, match="UTF-8"):
        load_op(tmp_path / "latin.py")


def test_unknown_constant_names_those_that_are_there(write: Write) -> None:
    with pytest.raises(OpError, match=r"no module-level constant 'rowz' to set; it has: rows=6, width=16"):
        load_op(write(), {"rowz": 3})


def test_an_override_that_the_op_cannot_take_is_named(write: Write) -> None:
    with pytest.raises(OpError, match=r"^with --set rows='many': get_inputs\(\) in .* fails: TypeError"):
        load_op(write(), {"rows": "many"})


def test_inputs_beyond_memory_are_refused_with_the_bytes_and_a_cure(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    op = load_op(write(GOOD.replace("rows = 6", "rows = 2**28")))
    monkeypatch.setattr(op_module, "available_bytes", lambda device: 1_000_000_000)
    with pytest.raises(
        OpError, match=r"take 17\.2 GB and cpu has 1\.0 GB free; try --set rows=\d+"
    ) as caught:
        op.instantiate(0)
    rows = int(str(caught.value).split("rows=")[1].split()[0].rstrip("."))
    assert load_op(op.path, {"rows": rows}).instantiate(0)[1][0].shape == (rows, 16)


def test_what_is_kept_no_search_for_shapes_changes(write: Write) -> None:
    op = load_op(write(GOOD.replace("rows = 6", "rows = 1 << 20")))
    kept = replace(op, kept=frozenset({"width"}))
    assert any("width" in one.overrides for one in op.shape_sets(1 << 14))
    found = kept.shape_sets(1 << 14)
    assert found
    assert not any("width" in one.overrides for one in found)
    assert kept.with_overrides({"rows": 8}).kept == {"width"}


def test_what_fails_on_fake_tensors_says_so_each_time(write: Write) -> None:
    path = write(GOOD.replace("x * self.weight", "x @ self.weight[1:]"))
    for _ in range(2):
        with pytest.raises(OpError, match=r"forward\(\) in .* fails"):
            load_op(path)


def test_looking_at_a_tensor_another_way_is_no_work(write: Write) -> None:
    text = GOOD.replace(
        "return x * self.weight", "return (x.t().unsqueeze(0).permute(2, 1, 0)[..., 0] + 1).exp()"
    )
    found = load_op(write(text)).footprint()
    assert (len(found.calls), found.work) == (6, 2)


@pytest.mark.parametrize("convert", [".half()", ".to(torch.bfloat16)", ".to(dtype=torch.float16)"])
def test_a_model_may_convert_its_modules(write: Write, convert: str) -> None:
    """Torch converts parameters in place, which those without storage refuse."""
    text = GOOD.replace(
        "self.weight = nn.Parameter(torch.randn(width))", f"self.inner = nn.Linear(width, 3){convert}"
    ).replace("x * self.weight", "self.inner(x.to(self.inner.weight.dtype))")
    found = load_op(write(text)).footprint()
    assert found.outputs == ((6, 3),)
    assert found.state == ((3, 16), (3,))
