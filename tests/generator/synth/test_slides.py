"""Phases of transposed convolutions take every tap once, none of zeros, and read inside of what is packed."""

from __future__ import annotations

import pytest

from kbgen.generator.writers.synth.extent import Extent
from kbgen.generator.writers.synth.slides import Slide

LENGTH = 9
GIVEN = [(3, 1, 1, 2), (4, 2, 3, 3), (5, 1, 0, 4), (1, 1, 0, 3), (3, 2, 1, 5), (4, 6, 1, 4), (7, 3, 6, 6)]
"""(taps, distance of taps, padding, stride) of transposed convolutions."""


def slide(taps: int, apart: int, padding: int, step: int) -> Slide:
    out, one = (LENGTH - 1) * step - 2 * padding + apart * (taps - 1) + 1, Extent((1,))
    return Slide("width", 0, Extent((out,)), 1, taps, 1, -apart, padding, step, Extent((LENGTH,)), one, one)


@pytest.mark.parametrize("given", GIVEN)
def test_the_taps_of_a_phase_are_those_that_divide(given: tuple[int, int, int, int]) -> None:
    found = slide(*given)
    for phase in range(found.step):
        turn = phase + found.offset
        wanted = [tap for tap in range(found.taps) if (turn + found.dilation * tap) % found.step == 0]
        first = turn // found.common * found.inverse % found.period
        taken = [] if turn % found.common else list(range(first, found.taps, found.period))
        assert taken == wanted
        assert found.taps_of(phase) == len(wanted)


@pytest.mark.parametrize("given", GIVEN)
def test_every_place_that_is_read_is_packed(given: tuple[int, int, int, int]) -> None:
    found = slide(*given)
    places = {
        (y + found.offset + found.dilation * tap) // found.step - found.lowest
        for y in range(found.out.full)
        for tap in range(found.taps)
        if (y + found.offset + found.dilation * tap) % found.step == 0
    }
    assert min(places) >= 0
    assert max(places) < found.packed.full


def test_a_dense_window_reads_all_its_taps() -> None:
    one = Extent((1,))
    found = Slide("width", 0, Extent((8,)), 1, 3, 2, 2, -1, 1, Extent((LENGTH,)), one, one)
    assert (found.lowest, found.span, found.packed.full, found.taps_of(0)) == (-1, 5, 19, 3)
