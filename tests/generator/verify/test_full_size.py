"""What a walk through full size says against a candidate, and what it leaves open."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import triton.language as tl
from torch import nn
from triton.runtime.interpreter import TensorHandle, interpreter_builder

from kbgen.generator.verify.comparison.review import Reviewed
from kbgen.generator.verify.interpreter.imagining import imagining
from kbgen.generator.verify.interpreter.interpreter import Watch
from kbgen.generator.verify.interpreter.phantom import Phantom, Rising
from kbgen.generator.verify.judge import CHILD_LIMITS
from kbgen.generator.verify.process import rehearsal
from kbgen.generator.verify.process.exchange import StepReport
from kbgen.generator.verify.process.programs import looked_at
from kbgen.generator.verify.process.rehearsal import Rehearsed, rehearse
from kbgen.generator.verify.stages.at_sizes import BesidePlan
from kbgen.generator.verify.stages.full_size import (
    as_at_full_size,
    at_full_size,
    beginnings,
    dropped,
    full_size,
)
from kbgen.generator.verify.stages.record import Record
from kbgen.generator.verify.stages.settings import settings
from kbgen.generator.verify.verdict import CaseResult, Fault
from kbgen.profiling.op import load_op

JUDGED = [StepReport("ok", launches=("matmul_kernel[2, 2, 1]",), dot_precisions=("tf32x3",))]
QUIET: dict[str, Any] = {
    "faults": [],
    "kernels": ["matmul_kernel"],
    "modes": ["tf32x3"],
    "why_not": "",
    "unread": {},
}


def found(**otherwise: object) -> Fault | None:
    record: Any = SimpleNamespace(notes=[])
    fault = at_full_size(record, {**QUIET, **otherwise}, JUDGED, {"mm"})
    assert bool(record.notes) == bool(otherwise.get("why_not"))
    return fault


def test_nothing_new_is_nothing() -> None:
    assert found() is None
    assert found(why_not="time was up") is None
    assert at_full_size(SimpleNamespace(notes=[]), None, JUDGED, ()) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("otherwise", "cause", "word"),
    [
        ({"faults": [["out-of-bounds", "far off"]]}, "out-of-bounds", "far off"),
        ({"kernels": ["matmul_kernel", "other_kernel"]}, "unjudged-path", "other_kernel"),
        ({"modes": ["tf32", "tf32x3"]}, "unjudged-path", "in tf32, as"),
    ],
)
def test_what_only_full_size_does_is_told(otherwise: dict[str, object], cause: str, word: str) -> None:
    fault = found(**otherwise)
    assert fault is not None
    assert fault.cause == cause
    assert word in fault.detail


def test_inputs_that_are_not_loaded_whole_are_told_unless_the_op_may_leave_some_out() -> None:
    rehearsed = {**QUIET, "unread": {"0": "it loads half of input 0"}}
    record: Any = SimpleNamespace(notes=[])
    fault = at_full_size(record, rehearsed, JUDGED, {"mul", "sum"})
    assert fault is not None
    assert (fault.cause, "half of input 0" in fault.detail) == ("hard-coded-shape", True)
    assert at_full_size(record, rehearsed, JUDGED, {"slice", "sum"}) is None
    assert at_full_size(record, rehearsed, JUDGED, {"max_pool2d_with_indices"}) is None


@pytest.mark.parametrize(
    ("steered", "loaded", "told"), [(False, 6, 1), (False, 8, 0), (True, 6, 0), (False, 0, 0)]
)
def test_what_programs_together_cannot_have_loaded_is_unread(steered: bool, loaded: int, told: int) -> None:
    """Unless loaded numbers may say what to load; and what no kernel loads was copied before."""
    phantom, tensor, between = Phantom(0), torch.empty(8), torch.empty(8)
    phantom.fresh.add(between.untyped_storage()._cdata)
    phantom.begin_launch("kernel", {"x_ptr": tensor, "part_ptr": between})
    phantom.steered = steered
    phantom.of(between).most = 8.0
    for one in (tensor, between):
        phantom.of(one).loaded = 4.0 * loaded
    unread = phantom.unread({"input 1": tensor, "input 2": torch.empty(1).expand(8)})
    assert list(unread) == ["input 1", "part_ptr"] * told
    assert all("at most 6 of the 8 elements of" in one for one in unread.values())


def test_beginnings_rise_to_the_end_of_what_they_divide() -> None:
    rows = [torch.tensor([0, 2, 5]), torch.tensor([0, 3, 3, 9])]
    judged: Any = [SimpleNamespace(shipped=[torch.empty(int(row[-1]), 4), row]) for row in rows]
    full = [torch.empty(1000, 4), torch.empty(11, dtype=torch.int64)]
    assert beginnings(judged, full, 1) == Rising(1000)
    judged[0].shipped[1] = torch.tensor([0, 2, 4])
    assert beginnings(judged, full, 1) == Rising(10)
    judged[0].shipped[1] = torch.tensor([0, 5, 2])
    assert beginnings(judged, full, 1) is None


def test_loads_of_beginnings_give_what_stands_at_their_place() -> None:
    phantom, row = Phantom(0), torch.empty(11, dtype=torch.int64)
    phantom.note_highest(row, Rising(1000))
    phantom.begin_launch("kernel", {"offsets_ptr": row})
    addresses = np.array([phantom.address(row) + 8 * place for place in (0, 1, 10, 11)], np.uint64)
    found = phantom.index_at(addresses[:3], addresses)
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [0, 100, 1000, 1000]


def test_lanes_that_store_where_a_loaded_number_says_count_each() -> None:
    """All loads give one number, so that a scatter hits one place; on a card it hits as many as it likes."""
    for steered, count in ((False, 1), (True, 8)):
        phantom, out = Phantom(0), torch.empty(64)
        phantom.begin_launch("scatter", {"out_ptr": out})
        phantom.steered = steered
        phantom.store(np.full(8, phantom.address(out), np.uint64), 4)
        assert list(phantom.stored().values()) == [count]


def test_a_forced_call_that_fails_leaves_full_size_open() -> None:
    wrong = Reviewed(CaseResult("small", "failed"), Fault("wrong-values", "off by one"))
    assert as_at_full_size(wrong, "") is wrong
    opened = as_at_full_size(wrong, "`rows == 4096` is True").fault
    assert opened is not None
    assert opened.cause == "unjudged-path"
    assert "rows == 4096" in opened.detail
    assert "off by one" in opened.detail


def test_a_call_at_whole_tiles_without_an_answer_leaves_full_size_open() -> None:
    assert dropped("odd, spikes", "it overflows", StepReport("ok")).fault is None
    assert dropped("whole tiles, spikes", "it overflows", StepReport("ok", tiles=1)).fault is None
    opened = dropped("whole tiles, normal", "it overflows", StepReport("ok", tiles=0)).fault
    assert opened is not None
    assert (opened.cause, "it overflows" in opened.detail) == ("unjudged-path", True)


def test_a_walk_takes_programs_in_order_whatever_the_call_before_did() -> None:
    """Programs of a kind are taken for alike: from the last to the first, they would be of other kinds."""
    watch = Watch()
    watch.ghost = watch.otherwise = True
    assert rehearse(watch, nn.Identity, []).why_not.startswith("TypeError")
    assert not watch.ghost
    assert not watch.otherwise


def test_counts_that_run_over_are_found_where_something_is_unread_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The one says nothing of the other, and what is unread may be so at judged sizes."""
    phantom = Phantom(0)
    phantom.add_narrow(wraps=True)
    walked = Rehearsed(kernels=("count",), unread={"input 0": "half of it"})
    monkeypatch.setattr(rehearsal, "_walk", lambda *_: (walked, phantom))
    found = rehearsal.rehearse(Watch(), nn.Identity, [])
    assert [cause for cause, _ in found.faults] == ["unjudged-path"]
    assert found.unread == {"input 0": "half of it"}


@pytest.mark.parametrize(
    ("cut", "claimed"), [((False, True), True), ((True, True), False), ((False,), False)]
)
def test_what_the_first_cast_cuts_off_already_is_cut_off_on_purpose(
    cut: tuple[bool, ...], claimed: bool
) -> None:
    phantom = Phantom(1)
    for one in cut:
        phantom.keep_narrow("line 7", one)
        phantom.keep_narrow("line 9", False)
    assert [cause for cause, _ in phantom.run_over()] == ["hard-coded-shape"] * claimed


def test_nobody_knows_how_many_programs_of_one_launch_do_which_of_two_things() -> None:
    """The first weights, then inputs are cut into parts, say: a few programs tell nothing of a share."""
    phantom, given, whole = Phantom(0), torch.empty(64, device="meta"), torch.empty(32, device="meta")
    phantom.begin_launch("parts_kernel", {"given": given, "whole": whole})
    starts = [phantom.of(one).start for one in (given, whole)]
    for extent in phantom.extents.values():
        extent.loaded = 4.0
    phantom.compare([{starts[1]}, {starts[1]}, {starts[0], starts[1]}])
    assert phantom.unread({"given": given, "whole": whole}).keys() == {"whole"}
    phantom.compare([{starts[1]}, set(), {starts[1]}])
    assert not phantom.unread({"given": given, "whole": whole})


def test_what_lies_behind_all_that_the_programs_at_the_ends_load_is_unread() -> None:
    """As often as all of them load the same numbers."""
    phantom, parts = Phantom(0), torch.empty(64, device="meta")
    phantom.begin_launch("adds", {"parts": parts})
    extent = phantom.of(parts)
    extent.loaded = 1024.0
    extent.note_loads(np.arange(extent.start, extent.start + 64, 4, dtype=np.uint64), 4)
    told = phantom.unread({"parts": parts})["parts"]
    assert "at most 16 of the 64 elements" in told
    extent.note_loads(np.array([extent.start + 128], np.uint64), 4)
    assert not phantom.unread({"parts": parts})


@pytest.mark.parametrize(
    ("name", "walked"),
    [("relu_huge", (True, False)), ("softmax", (True, True)), ("w4_linear", (False, True))],
)
def test_one_less_is_walked_however_large_and_beyond_within_32_bits(
    name: str, walked: tuple[bool, bool], tmp_path: Path
) -> None:
    """But for words of eight weights, of which there is no number but a whole one."""
    op, candidate = load_op(Path(__file__).parent / "ops" / f"{name}.py"), tmp_path / "candidate.py"
    given = candidate, "", op, None, "fp32", "as-is", 1, (), CHILD_LIMITS
    small = settings(op, "as-is", 1)[:1]
    full = full_size(Record(*given), small, BesidePlan([], []), tmp_path)
    assert full is not None
    assert not full.judged
    assert (full.beside is not None, bool(full.beyond)) == walked


def test_many_programs_are_looked_at_along_each_axis_of_a_grid() -> None:
    """The one that alone stores a short tensor is at the beginning of the blocks."""
    found = looked_at([list(range(8)), [0, 1]])
    assert {(0, 1), (7, 0), (7, 1)} <= set(found)
    assert looked_at([[0, 5], [0, 1]]) == [(0, 0), (5, 1)]


def test_lanes_that_are_masked_off_hold_what_the_load_gives_them() -> None:
    phantom, grid = Phantom(1), torch.empty(4)
    phantom.begin_launch("warp", {"grid_ptr": grid})
    kind = type(interpreter_builder)
    builder: Any = imagining(kind, phantom, Watch().promises)()
    ptrs = TensorHandle(
        np.array([phantom.address(grid) + 4 * place for place in range(6)], np.uint64),
        tl.pointer_type(tl.float32),
    )
    mask = TensorHandle(np.arange(6) < 4, tl.int1)
    other = TensorHandle(np.full(6, -9.0, np.float32), tl.float32)
    found = builder.create_masked_load(ptrs, mask, other)
    assert found.data.tolist() == [1, 1, 1, 1, -9, -9]


def test_short_sizes_are_walked_beyond_a_thousand(tmp_path: Path) -> None:
    op, candidate = load_op(Path(__file__).parent / "ops" / "maxout_units.py"), tmp_path / "candidate.py"
    given = candidate, "", op, None, "fp32", "as-is", 1, (), CHILD_LIMITS
    full = full_size(Record(*given), settings(op, "as-is", 1)[:1], BesidePlan([], []), tmp_path)
    assert full is not None
    assert full.judged
    (far,) = (one for told, one in full.beyond.items() if "beyond a thousand" in told)
    assert far.args[:2] == (1011, 1011)
