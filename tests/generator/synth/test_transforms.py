"""Schedules follow the device's limits, and each choice says which limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program
from kbgen.generator.writers.synth.schedule import Schedule, start_schedule
from kbgen.generator.writers.synth.transforms.registry import MEND, TRANSFORMS
from kbgen.generator.writers.synth.transforms.site import Site
from kbgen.hardware_specs.spec import find_spec


def _one(program: Program) -> Loops:
    (loops,) = program.loops.values()
    return loops


def _try(name: str, schedule: Schedule, loops: Loops, device: str) -> Schedule | str:
    return TRANSFORMS[name](schedule, Site(loops, find_spec(device)))


def _done(name: str, schedule: Schedule, loops: Loops, device: str) -> Schedule:
    changed = _try(name, schedule, loops, device)
    assert isinstance(changed, Schedule), changed
    return changed


def _why(schedule: Schedule, technique: str) -> str:
    return next(c.why for c in schedule.choices if c.technique == technique)


def _held(loops: Loops, device: str) -> Schedule:
    return _done("row-in-registers", start_schedule(loops), loops, device)


def test_a_row_fits_the_registers_of_one_device_and_not_of_another(sized: Callable[..., Program]) -> None:
    loops = _one(sized("softmax_last", batch=512, channels=8, width=32768))
    held = _held(loops, "mi300x")
    assert (held.one_tile, held.block) == (True, 32768)
    refusal = _try("row-in-registers", start_schedule(loops), loops, "h100")
    assert isinstance(refusal, str)
    assert "32768" in refusal
    assert "H100" in refusal


def test_wider_waves_need_fewer_of_them(example: Callable[[str], Program]) -> None:
    loops = _one(example("rmsnorm"))
    warps = {device: _held(loops, device).num_warps for device in ("h100", "rtx4090", "mi300x")}
    assert warps["h100"] == warps["rtx4090"] == 2 * warps["mi300x"]


def test_programs_that_stay_are_as_many_as_the_device_holds(example: Callable[[str], Program]) -> None:
    loops = _one(example("rmsnorm"))
    many = {}
    for device in ("h100", "rtx4090"):
        spec = find_spec(device)
        schedule = _done("persistent-programs", _held(loops, device), loops, device)
        many[device] = schedule.persistent
        assert schedule.persistent % (spec.unit_count or 0) == 0
        assert f"{spec.unit_count} SMs hold" in _why(schedule, "persistent-programs")
        assert "weight is loaded once" in _why(schedule, "persistent-programs")
    assert many["h100"] != many["rtx4090"]


def test_a_loop_is_pipelined_only_where_copies_are_asynchronous(example: Callable[[str], Program]) -> None:
    loops = _one(example("log_softmax_llama3"))
    start = replace(start_schedule(loops), one_tile=False)
    assert _done("pipelined-loop", start, loops, "h100").num_stages > 1
    refusal = _try("pipelined-loop", start, loops, "mi300x")
    assert isinstance(refusal, str)
    assert "no asynchronous copy" in refusal
    wide = replace(start, num_warps=16)
    assert _try("pipelined-loop", wide, loops, "h100") == (
        "16 warps of a program hide each other's loads without stages"
    )


def test_few_rows_are_cut_into_more_parts_on_the_larger_device(sized: Callable[..., Program]) -> None:
    loops = _one(sized("softmax_last", batch=1, channels=32, width=262144))
    parts = {
        d: _done("split-reduction", start_schedule(loops), loops, d).splits for d in ("rtx4090", "mi300x")
    }
    assert 1 < parts["rtx4090"] < parts["mi300x"]


def test_rows_that_fill_the_device_are_not_cut(example: Callable[[str], Program]) -> None:
    loops = _one(example("softmax_gpt2"))
    refusal = _try("split-reduction", start_schedule(loops), loops, "h100")
    assert refusal == "4096 programs already keep 97% of 132 SMs busy"


def test_a_tile_is_whole_vectors_of_its_narrowest_element(example: Callable[[str], Program]) -> None:
    loops = _one(example("swiglu"))
    schedule = _done("vector-width", replace(start_schedule(loops), block=32), loops, "h100")
    assert schedule.block % (schedule.num_warps * 32 * 8) == 0


def test_the_ends_of_rows_are_peeled_where_rows_begin_between_vectors(
    sized: Callable[..., Program],
) -> None:
    loops = _one(sized("softmax_last", batch=64, channels=8, width=50257))
    assert _done("peel-row-edges", start_schedule(loops), loops, "h100").peel == 4
    even = _one(sized("softmax_last", batch=64, channels=8, width=50256))
    refusal = _try("peel-row-edges", start_schedule(even), even, "h100")
    assert refusal == "rows of 50256 elements begin and end on 16-byte boundaries"
    held = replace(start_schedule(loops), one_tile=True)
    assert isinstance(_try("peel-row-edges", held, loops, "h100"), str)


def test_a_divisor_that_the_compiler_cannot_see_is_told(sized: Callable[..., Program]) -> None:
    """The JIT marks integers that 16 divides; 4 of 2084 would pass unseen."""
    for width, unit in ((2084, 4), (2086, 2), (2085, 1), (2080, 1)):
        loops = _one(sized("softmax_last", batch=64, channels=8, width=width))
        told = _try("vector-width", replace(start_schedule(loops), one_tile=True), loops, "h100")
        assert (told.unit if isinstance(told, Schedule) else 1) == unit


def test_few_long_rows_get_many_warps_and_one_kernel(example: Callable[[str], Program]) -> None:
    loops = _one(example("groupnorm_silu"))
    for device, warps in (("h100", 16), ("rtx4090", 16), ("mi300x", 16)):
        spec, start = find_spec(device), start_schedule(loops)
        schedule = _done("warp-count", start, loops, device)
        assert schedule.num_warps == warps
        assert schedule.block % (warps * spec.warp_size * 8) == 0  # whole vectors of fp16
        assert "busy" in str(_try("split-reduction", start, loops, device))


def test_few_rows_are_under_way_where_their_second_reading_can_find_them(
    example: Callable[[str], Program],
) -> None:
    loops = _one(example("softmax_gpt2"))
    schedule = _done("rows-in-l2", start_schedule(loops), loops, "h100")
    assert (schedule.num_warps, schedule.num_stages, schedule.rows_in_l2) == (32, 1, True)
    assert "25 MiB of rows at once" in _why(schedule, "rows-in-l2")  # 132 x 50257 x 4 bytes
    refusal = _try("rows-in-l2", start_schedule(loops), loops, "mi300x")
    assert refusal == "rows of 196 KiB, one for each of 304 CUs, do not stay in an L2 of 32 MiB"
    sums = _one(example("groupnorm_silu"))
    assert "320 KiB" in str(_try("rows-in-l2", start_schedule(sums), sums, "h100"))


def test_what_is_read_after_the_reductions_is_asked_for_before_them(
    example: Callable[[str], Program],
) -> None:
    loops = _one(example("rmsnorm"))
    schedule = _done("loads-first", _held(loops, "h100"), loops, "h100")
    assert _why(schedule, "loads-first") == "weight is under way while the row is reduced"
    assert _try("loads-first", schedule, loops, "h100") == "done already"
    assert "not held whole" in str(_try("loads-first", start_schedule(loops), loops, "h100"))
    softmax = _one(example("softmax_gpt2"))
    held = replace(start_schedule(softmax), one_tile=True)
    assert "nothing is read after" in str(_try("loads-first", held, softmax, "h100"))


def test_few_warps_share_columns_that_are_held(sized: Callable[..., Program]) -> None:
    """They wait for each other at a reduction, and only other programs load meanwhile."""
    tiles = {}
    for depth in (16, 64, 512):
        held = _held(loops := _one(sized("softmax_middle", batch=4, channels=depth, width=4096)), "h200")
        tiles[depth] = (held.depth, held.block, held.num_warps)
        assert _try("warp-count", held, loops, "h200") == (
            "warps that share columns wait for each other, so that more of them load no sooner"
        )
    assert tiles == {16: (16, 128, 2), 64: (64, 64, 4), 512: (512, 32, 16)}


def test_a_place_beside_its_extremum_halves_the_rows_under_way(sized: Callable[..., Program]) -> None:
    sums = _one(sized("softmax_middle", batch=64, channels=4096, width=4096))
    places = _one(sized("column_extrema", depth=4096, width=65536))
    depths = [_done("column-tiles", start_schedule(s), s, "h200").depth for s in (sums, places)]
    assert depths == [16, 8]


def test_hints_to_the_cache_follow_its_size(sized: Callable[..., Program]) -> None:
    loops = _one(sized("softmax_last", batch=1, channels=128, width=1024))
    refusal = _try("cache-hints", start_schedule(loops), loops, "h100")
    assert isinstance(refusal, str)
    assert "fit the L2" in refusal


@pytest.mark.parametrize("name", sorted(TRANSFORMS))
def test_a_transform_applies_or_says_why_not(name: str, example: Callable[[str], Program]) -> None:
    """Never a crash, never a change without a reason of its own."""
    for op in ("rmsnorm", "softmax_gpt2", "rope", "groupnorm_silu", "swiglu"):
        loops = _one(example(op))
        for device in ("h100", "rtx4090", "mi300x"):
            changed = _try(name, start_schedule(loops), loops, device)
            if isinstance(changed, str):
                assert changed
            else:
                assert _why(changed, name)
                assert changed != start_schedule(loops)


def test_mending_ends(example: Callable[[str], Program]) -> None:
    """A schedule that is made smaller again and again becomes as small as it gets."""
    loops = _one(example("rmsnorm"))
    schedule = _held(loops, "h100")
    for _ in range(40):
        changed = MEND[1](schedule, Site(loops, find_spec("h100")))
        if isinstance(changed, str):
            assert "as small as it gets" in changed
            return
        assert changed != schedule
        schedule = changed
    pytest.fail("shrinking does not end")
