"""What a compiler believes of a promise, and how wide a vector it would make of it."""

import numpy as np
import pytest

from kbgen.generator.verify.interpreter.promises import _kept
from kbgen.generator.verify.interpreter.vectors import Site, Vector, as_accessed, misaligned, vector_at

LANES = np.arange(16)
WRAPPED = LANES % 10


@pytest.mark.parametrize(
    ("values", "promised", "kind", "believed"),
    [
        (LANES, [16], "contiguity", LANES),
        (LANES + 32, [16], "divisibility", LANES + 32),
        (WRAPPED, [4], "contiguity", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2, 3, 4, 5]),
        (WRAPPED, [1], "contiguity", WRAPPED),
        (3 * LANES[:4], [4], "contiguity", [0, 1, 2, 3]),
        (np.array([18]), [16], "divisibility", [16]),
        (np.array([18]), [12], "divisibility", [16]),
        (3 * LANES[:4], [4], "divisibility", [0, 0, 4, 8]),
        (LANES[:4] < 3, [4], "constancy", [True, True, True, True]),
    ],
)
def test_what_is_believed(values: np.ndarray, promised: list[int], kind: str, believed: np.ndarray) -> None:
    kept = _kept(values, promised, kind)
    assert kept.dtype == values.dtype
    assert kept.tolist() == np.asarray(believed).tolist()


def test_a_promise_goes_along_its_own_dimension() -> None:
    rows = np.array([[0, 1, 2, 3], [7, 8, 9, 10]])
    assert _kept(rows, [2, 1], "contiguity").tolist() == [[0, 1, 2, 3], [1, 2, 3, 4]]
    assert _kept(rows, [1, 4], "contiguity").tolist() == rows.tolist()


@pytest.mark.parametrize(
    ("addresses", "mask", "item_bytes", "width"),
    [
        (4 * LANES, LANES < 16, 4, 4),
        (4 * LANES, LANES < 12, 4, 4),
        (4 * LANES, LANES < 13, 4, None),
        (4 * LANES, LANES < 14, 4, 2),
        (4 * LANES + 8, LANES < 16, 4, 2),
        (4 * LANES + 4, LANES < 16, 4, None),
        (8 * LANES, LANES < 16, 4, None),
        (2 * LANES, LANES < 16, 2, 8),
    ],
)
def test_how_wide_a_vector_is(
    addresses: np.ndarray, mask: np.ndarray, item_bytes: int, width: int | None
) -> None:
    found = vector_at(Site(), addresses, mask, item_bytes)
    assert (found.width if found else None) == width


def test_a_site_is_as_wide_as_its_narrowest_execution() -> None:
    site = Site()
    assert vector_at(site, 4 * LANES, LANES < 14, 4) == Vector(2, 0)
    assert vector_at(site, 4 * LANES, LANES < 16, 4) == Vector(2, 0)
    assert vector_at(site, 8 * LANES, LANES < 16, 4) is None
    assert vector_at(site, 4 * LANES, LANES < 16, 4) is None


def test_a_vector_goes_along_the_last_dimension_that_is_contiguous() -> None:
    tile = 4 * (np.arange(8)[:, None] + 8 * np.arange(4)[None, :])
    assert vector_at(Site(), tile, tile >= 0, 4) == Vector(4, 0)
    assert vector_at(Site(), tile.T, tile.T >= 0, 4) == Vector(4, 1)


def test_a_vector_goes_where_its_first_lane_asks() -> None:
    four, mask = Vector(4, 0), LANES < 16
    moved, active = as_accessed(four, 12 * LANES, LANES % 4 == 0, 4)
    assert moved[:5].tolist() == [0, 4, 8, 12, 48]
    assert active.all()
    assert misaligned(four, 4 * LANES + 4, mask, 4)
    assert not misaligned(four, 4 * LANES + 4, ~mask, 4)
    assert not misaligned(four, 4 * LANES, mask, 4)
