"""What a person reads in a generated file: the op file's own words, and the values it was written for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from kbgen.generator.writers.synth.emit.kernel import Kernel
from kbgen.generator.writers.synth.extent import Extent
from kbgen.generator.writers.synth.program import Program, read_program, write_program
from kbgen.generator.writers.synth.schedule import start_schedule
from kbgen.generator.writers.writer import Candidate
from kbgen.profiling.op import load_op
from kbgen.profiling.trace import trace

OP = """
import torch
rows = 8
width = 64
scale = 0.5
class Model(torch.nn.Module):
    def __init__(self, gain=scale):
        super().__init__()
        self.gain = gain
        self.width = width
    def forward(self, x, y):
        y = x + y
        peak = y.amax(-1, keepdim=True)
        return torch.exp(y - peak) * self.gain, y, peak
def get_inputs():
    return [torch.randn(rows, width), torch.randn(rows, width)]
"""

TWO_STRIDES = """
import torch
rows = 8
width = 12
second = 20
third = 28
class Model(torch.nn.Module):
    def forward(self, x, y, z):
        return torch.softmax(x + y[:, :width] + z[:, :width], dim=-1)
def get_inputs():
    return [torch.randn(rows, n) for n in (width, second, third)]
"""

EXTREMUM = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x.{kind}(1)
def get_inputs():
    return [torch.randn(4, 48, 80)]
def get_init_inputs():
    return []
"""


def _program(tmp_path: Path, text: str, *overrides: Mapping[str, int]) -> Program:
    path = tmp_path / "op.py"
    path.write_text(text)
    op = load_op(path)
    return read_program([trace(op.with_overrides(dict(o))) for o in overrides or ({},)])


def _written(program: Program) -> str:
    return write_program(program, {i: start_schedule(loops) for i, loops in program.loops.items()}, "op")


def test_constants_that_were_set_stand_in_the_file(tmp_path: Path) -> None:
    source = _written(_program(tmp_path, OP, {"width": 128, "scale": 2}))
    assert "width = 128" in source
    assert "scale = 2" in source
    assert "width = 64" not in source


def test_results_are_called_and_ordered_as_forward_returns_them(tmp_path: Path) -> None:
    """`y` takes the place of an input, so its new self is y_out; what has no name is out."""
    source = _written(_program(tmp_path, OP, {}, {"rows": 6, "width": 40}))
    assert "return out, y_out, peak" in source
    assert "return op(x, y)" in source or "return fused_op(x, y)" in source
    assert "y_out = x + y" in source


def test_sizes_carry_the_words_of_the_op_file(candidate: Callable[[str, str], Candidate]) -> None:
    assert "token = offsets // HALF_HEAD_DIM % TOKENS" in candidate("rope", "h100").source
    assert "group = row % GROUPS" in candidate("groupnorm_silu", "h100").source


ONE_LETTER = """
import torch
B, S, D = 4, 24, 40
class Model(torch.nn.Module):
    def forward(self, x, w):
        return x.sum(-1) * w
def get_inputs():
    return [torch.randn(B, S, D), torch.randn(S)]
"""


def test_a_size_called_s_has_places_with_a_name(tmp_path: Path) -> None:
    """The place in `TOKENS` is a `token`; what is left of `S` is nothing."""
    source = _written(_program(tmp_path, ONE_LETTER, {}, {"B": 3, "S": 11, "D": 26}))
    assert "% S" in source
    compile(source, "op.py", "exec")


FOLDED = """
import torch
batch = 24
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.line, self.norm = torch.nn.Linear(40, 48), torch.nn.BatchNorm1d(48)
        self.eval()
    def forward(self, x):
        return self.norm(self.line(x))
def get_inputs():
    return [torch.randn(batch, 40)]
"""


def test_a_norm_that_was_folded_away_still_says_for_which_mode_it_was(tmp_path: Path) -> None:
    source = _written(_program(tmp_path, FOLDED, {}, {"batch": 11}))
    assert "batch_norm" not in source
    assert "if self.training:" in source


def test_rows_of_different_strides_have_a_parameter_each(tmp_path: Path) -> None:
    source = _written(_program(tmp_path, TWO_STRIDES, {}, {"width": 10, "second": 22, "third": 34}))
    assert "row_stride = y.shape[1]" in source
    assert "row_stride_2 = z.shape[1]" in source


SQUARE = """
import torch
batch = 3
side = 12
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.max_pool2d(x, 3, stride=2)
def get_inputs():
    return [torch.randn(batch, 5, side, side)]
"""


def test_sides_that_were_always_equal_must_be_equal(tmp_path: Path) -> None:
    """One size stands for both, so that other images would be read wrongly."""
    source = _written(_program(tmp_path, SQUARE, {}, {"side": 16}))
    assert "if x.shape[2] != x.shape[3]:" in source
    assert 'raise ValueError(f"op is written for equal sides, got {tuple(x.shape)}")' in source
    other = SQUARE.replace("side, side", "side, side + batch")
    assert "equal sides" not in _written(_program(tmp_path, other, {}, {"side": 16}))


def test_sizes_behind_a_window_follow_from_those_before_it(tmp_path: Path) -> None:
    """5 x 5 pixels of 3 images and 7 x 7 of 5: the batch and 2 by chance."""
    source = _written(_program(tmp_path, SQUARE, {}, {"side": 16, "batch": 5}))
    assert "INNER_SIZE=(x.shape[2] - 3) // 2 + 1" in source
    assert "x.shape[0] +" not in source


PARTLY_FILLED = """
import torch
side, window = 33, 4
class Model(torch.nn.Module):
    def __init__(self, window):
        super().__init__()
        self.parts = torch.nn.Sequential(torch.nn.MaxPool2d(3, 2, ceil_mode=True), torch.nn.AvgPool2d(window))
    def forward(self, x):
        return torch.relu(self.parts(x))
def get_inputs():
    return [torch.rand(2, 3, side, side)]
def get_init_inputs():
    return [window]
"""


def test_a_window_that_another_size_does_not_fill_is_masked_though_no_traced_one_leaves_it(
    tmp_path: Path,
) -> None:
    """33 = 2 * 15 + 3: each window is full, and the last one is not where a side is even."""
    source = _written(_program(tmp_path, PARTLY_FILLED, {}, {"side": 49}))
    assert "at_width < width" in source


def test_what_is_left_to_torch_reads_settings_of_numbered_parts(tmp_path: Path) -> None:
    source = _written(_program(tmp_path, PARTLY_FILLED, {}, {"window": 3, "side": 25}))
    assert "F.avg_pool2d" in source
    assert "self.parts[1].kernel_size" in source


NOTHING_DROPPED = """
import torch
rows = 8
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.dropout(x, p=0.0, training=self.training) * 2.0
def get_inputs():
    return [torch.randn(rows, 12)]
"""


def test_a_mode_that_makes_no_difference_is_not_asked_for(tmp_path: Path) -> None:
    assert "self.training" not in _written(_program(tmp_path, NOTHING_DROPPED))
    some = NOTHING_DROPPED.replace("p=0.0", "p=0.5")
    assert "if not self.training:" in _written(_program(tmp_path, some))


def test_a_long_window_is_written_out_as_far_as_it_is_short(zoo: Callable[[str], Program | str]) -> None:
    """Of 5 x 5 elements five, of 3 x 3 x 3 nine: the loop over the rest asks for that many at once."""
    program = zoo("pools")
    assert isinstance(program, Program)
    source = write_program(program, {i: start_schedule(s) for i, s in program.loops.items()}, "pools")
    assert source.count("for line in tl.range(LINES):") == 2
    assert "WINDOW=25, LINES=5, TAPS=5, " in " ".join(source.split())
    assert "LINES=3, TAPS=9, " in " ".join(source.split())
    assert "tl.range(WINDOW)" not in source


def test_lanes_beyond_an_end_hold_what_no_extremum_takes(tmp_path: Path) -> None:
    """What is loaded there needs no second mask."""
    for kind, beyond in (("argmax", '-float("inf")'), ("argmin", 'float("inf")'), ("amin", 'float("inf")')):
        path = tmp_path / f"{kind}.py"
        path.write_text(EXTREMUM.format(kind=kind), encoding="utf-8")
        program = read_program([trace(load_op(path))])
        source = write_program(program, {i: start_schedule(s) for i, s in program.loops.items()}, kind)
        assert f"mask=mask, other={beyond})" in source
        assert "tl.where(mask" not in source


def test_a_new_parameter_of_a_kernel_takes_no_variable_s_name() -> None:
    kernel = Kernel("copy_kernel", "Copies.")
    kernel.line("offset = rows * 8")
    assert kernel.scalar(Extent((5, 7)), "offset") == "offset_2"
    assert kernel.is_parameter("offset_2")
    assert not kernel.is_parameter("offset")


BEFORE_OR_PREFIXED = """
import torch
rows, length = 8, 40
class Model(torch.nn.Module):
    def forward(self, x, prefix):
        at = torch.arange(x.shape[1], device=x.device)
        seen = (at[None, :] <= at[:, None]) | (at < prefix)
        return x[:, None, :].masked_fill(~seen, 0.0).sum(-1)
def get_inputs():
    return [torch.randn(rows, length), torch.randint(0, length, (length,))]
def get_init_inputs():
    return []
"""


def test_operators_left_to_torch_have_the_names_of_functions(tmp_path: Path) -> None:
    """No file reaches for `__or__`, which the judge's reading of its text refuses."""
    source = _written(_program(tmp_path, BEFORE_OR_PREFIXED, {}, {"rows": 5, "length": 23}))
    assert "torch.bitwise_or(" in source
    assert "__or__" not in source


NUMBERED = """
import torch
batch = 24
class Model(torch.nn.Module):
    def forward(self, x, factor, width, flag=False, mask=None, kind="a{b}"):
        return (-x if flag else x)[:, :width] * factor
def get_inputs():
    return [torch.randn(batch, 40), 3.14, 40]
"""


def test_a_number_that_forward_is_given_is_held_and_any_other_refused(tmp_path: Path) -> None:
    source = _written(_program(tmp_path, NUMBERED, {}, {"batch": 11}))
    assert "* 3.14" in source
    assert "if factor != 3.14:" in source
    assert "if width != 40:" in source
    assert "if flag is not False:" in source
    assert "if mask is not None:" in source
    assert 'if kind != "a{b}":' in source
    compile(source, "op.py", "exec")
    assert 'raise ValueError(f"these kernels are written for factor = 3.14, got {factor!r}")' in source
