"""Time at a shape with one long axis is kept for kernels that walk it."""

from types import SimpleNamespace

import pytest

from kbgen.generator.verify.interpreter import pace as room
from kbgen.generator.verify.interpreter.pace import EVERY, EachItsOwnError, Pace
from kbgen.generator.verify.process.calls import Calls


@pytest.fixture
def pace(monkeypatch: pytest.MonkeyPatch) -> Pace:
    """One that has seen a kernel take ten seconds for a hundred programs."""
    clock = iter([0.0, 10.0, *[10.0] * 20])
    monkeypatch.setattr(room.effort, "seconds", lambda: next(clock))
    found = Pace()
    with found.along(0, 0.0):
        found.end("rows", (100,), found.begin("rows", (100,)))
    return found


def test_programs_of_each_element_are_not_waited_for(pace: Pace) -> None:
    with pytest.raises(EachItsOwnError), pace.along(300, 0.0):
        pace.begin("rows", (300, 1))


@pytest.mark.parametrize(
    ("kernel", "grid", "axis"),
    [
        ("rows", (299,), 300),  # some walk it
        ("rows", (300,), 0),  # no axis is long
        ("columns", (300,), 300),  # who knows how long it takes
    ],
)
def test_others_are_run(pace: Pace, kernel: str, grid: tuple[int, ...], axis: int) -> None:
    with pace.along(axis, 0.0):
        assert pace.begin(kernel, grid) == 10.0


def test_few_of_them_are_run_while_there_is_time_left(pace: Pace) -> None:
    with pace.along(20, 0.5):
        pace.begin("rows", (20,))
    with pytest.raises(EachItsOwnError), pace.along(20, 1.5):
        pace.begin("rows", (20,))


def test_shapes_of_that_kind_share_what_time_there_is(pace: Pace) -> None:
    with pace.along(20, 0.0, 3.5):
        pace.begin("rows", (20,))
    with pytest.raises(EachItsOwnError), pace.along(20, 0.0, 4.5):
        pace.begin("rows", (20,))


def test_a_shape_that_is_larger_along_every_axis_has_a_time_of_its_own(pace: Pace) -> None:
    with pace.along(EVERY, 3.0, 100.0):
        pace.begin("rows", (30,))
    with pytest.raises(EachItsOwnError), pace.along(EVERY, 3.5, 0.0):
        pace.begin("rows", (30,))


@pytest.mark.parametrize(
    ("axis", "took_s", "left_out"),
    [(1011, 12.0, True), (1011, 3.0, False), (0, 12.0, False), (EVERY, 12.0, False)],
)
def test_a_long_axis_that_took_long_is_called_once(axis: int, took_s: float, left_out: bool) -> None:
    made = SimpleNamespace(shapes=[SimpleNamespace(axis=axis)], costs={0: took_s})
    assert Calls._is_walked_out(made, SimpleNamespace(shape=0)) is left_out  # type: ignore[arg-type]
