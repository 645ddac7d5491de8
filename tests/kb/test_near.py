"""The matrix of vectors finds the nearest rows within a mask, and is made of what was known before."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from kbgen.kb import near as near_module
from kbgen.kb.embed import Vectors
from kbgen.kb.near import Near, open_near

DIM = 96
Ids = np.ndarray[tuple[int], np.dtype[np.bytes_]]


def clustered(count: int) -> Vectors:
    """Unit vectors around a few hundred centres, as texts on a few hundred subjects have."""
    chance = np.random.default_rng(0)
    centres = chance.standard_normal((300, DIM))
    rows = centres[chance.integers(0, 300, count)] + 0.7 * chance.standard_normal((count, DIM))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def names(count: int) -> Ids:
    return np.array([f"{place:032d}".encode() for place in range(count)], dtype="S32")


def opened(folder: Path, key: str, vectors: Vectors, asked: list[str] | None = None) -> Near:
    def known(ids: list[str]) -> Mapping[str, Vectors]:
        if asked is not None:
            asked.extend(ids)
        return {name: vectors[int(name)] for name in ids if vectors[int(name)].any()}

    return open_near(folder, key, names(len(vectors)), DIM, known)


def truly_nearest(
    vectors: Vectors, vector: Vectors, mask: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> list[int]:
    similar = np.where(mask, vectors @ vector, -2.0)
    return [int(place) for place in np.argsort(-similar, kind="stable")[:10]]


def test_few_rows_are_compared_exactly_and_rows_without_a_vector_never(tmp_path: Path) -> None:
    vectors = clustered(500)
    vectors[7] = 0
    mask = np.arange(500) % 2 == 1
    found = opened(tmp_path, "a", vectors).nearest(vectors[9], mask, 10)
    assert list(found) == truly_nearest(vectors, vectors[9], mask)
    assert next(iter(found)) == 9
    assert 7 not in opened(tmp_path, "a", vectors).nearest(vectors[9], mask, 500)


def test_many_rows_are_compared_roughly_first_and_the_nearest_are_still_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near_module, "AXES", 24)
    vectors = clustered(12_000)
    near, shares = opened(tmp_path, "a", vectors), []
    everywhere = np.ones(len(vectors), dtype=np.bool_)
    for place in range(0, 12_000, 400):
        found = near.nearest(vectors[place], everywhere, 50)
        assert list(found.values()) == sorted(found.values(), reverse=True)
        shares.append(len(set(found) & set(truly_nearest(vectors, vectors[place], everywhere))) / 10)
    assert np.mean(shares) > 0.97


def test_a_new_matrix_takes_over_what_the_last_one_had(tmp_path: Path) -> None:
    vectors = clustered(40)
    asked: list[str] = []
    opened(tmp_path, "a", vectors[:30], asked)
    assert len(asked) == 30
    asked.clear()
    near = opened(tmp_path, "b", vectors, asked)
    assert [int(name) for name in asked] == list(range(30, 40))
    assert np.array_equal(near.vectors, vectors)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


@pytest.mark.parametrize("name", ["vectors", "rough", "axes", "held", "ids"])
def test_a_torn_matrix_is_made_again(tmp_path: Path, name: str) -> None:
    vectors = clustered(40)
    opened(tmp_path, "a", vectors)
    file = tmp_path / "a" / f"{name}.npy"
    file.write_bytes(file.read_bytes()[:-9])
    near = opened(tmp_path, "a", vectors)
    assert next(iter(near.nearest(vectors[3], np.ones(40, dtype=np.bool_), 1))) == 3
