"""The nearest vectors: one model's vectors of one snapshot as a matrix on disk, searched within a mask.

Chroma keeps the vectors; but it takes seconds to import and to load its graphs, and knows a boundary only
as a filter after the search. This copy is mapped into memory and asked for the rows within the boundary.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .embed import Vectors
from .lexical import mapped
from .snapshot import Mask, put_folder
from .top import top

EXACT_ROWS = 8192  # up to so many rows every product is computed
AXES = 64  # principal axes on which more rows are compared first
SAMPLE_ROWS = 16384  # rows that the axes are found from
AT_ONCE = 4096  # passages asked for in one call
FINALISTS = 1024  # rows compared in full after that, at least; five times what is asked for if that is more

Known = Callable[[list[str]], Mapping[str, Vectors]]  # passage ids -> their vectors, as far as there are any


class Near:
    """Unit vectors in rows, zero where none is `held`; `rough` are their coordinates on a few axes."""

    def __init__(self, folder: Path) -> None:
        self.ids: NDArray[np.bytes_] = mapped(folder / "ids.npy")
        self.vectors: Vectors = mapped(folder / "vectors.npy")
        self._held: Mask = mapped(folder / "held.npy")
        self._axes: Vectors = np.load(folder / "axes.npy")
        self._rough: Vectors = mapped(folder / "rough.npy")
        if len(self.ids) != len(self.vectors):
            raise ValueError("the vectors are of other passages")

    def nearest(self, vector: Vectors, mask: Mask, k: int) -> dict[int, float]:
        """Place -> cosine similarity of the `k` nearest that `mask` admits, best first; ties by place."""
        mask = mask & self._held
        finalists = max(FINALISTS, 5 * k)
        if len(mask) > EXACT_ROWS and np.count_nonzero(mask) > finalists:
            about = self._rough @ (vector @ self._axes)
            about[~mask] = -2
            places = top(about, finalists)
        else:
            places = np.flatnonzero(mask)
        similar = self.vectors[places] @ vector
        best = np.argsort(-similar, kind="stable")[:k]
        return {int(places[i]): float(similar[i]) for i in best}


def open_near(folder: Path, key: str, ids: NDArray[np.bytes_], dim: int, known: Known) -> Near:
    """The matrix that `key` names, over the passages `ids`, from `folder` or made and kept there.

    What the last matrix of this folder had is taken from it, the rest from `known` (passage ids -> vectors).
    """
    path = folder / key
    with suppress(OSError, ValueError, EOFError):  # not there, or torn: it is made again
        return Near(path)
    vectors = _gathered(folder, ids, dim, known)
    axes = _axes(vectors)
    arrays = {
        "ids": np.asarray(ids),
        "vectors": vectors,
        "held": vectors.any(axis=1),
        "axes": axes,
        "rough": vectors @ axes,
    }

    def fill(draft: Path) -> None:
        for name, array in arrays.items():
            np.save(draft / f"{name}.npy", array)

    put_folder(path, fill)
    return Near(path)


def _gathered(folder: Path, ids: NDArray[np.bytes_], dim: int, known: Known) -> Vectors:
    vectors = np.zeros((len(ids), dim), dtype=np.float32)
    for last in folder.glob("[!.]*"):
        try:
            had = Near(last)
        except (OSError, ValueError, EOFError):
            continue
        if len(had.ids) and had.vectors.shape[1] == dim:
            places = np.minimum(np.searchsorted(had.ids, ids), len(had.ids) - 1)
            same = np.flatnonzero(had.ids[places] == ids)
            vectors[same] = had.vectors[places[same]]
    missing = np.flatnonzero(~vectors.any(axis=1))
    for start in range(0, len(missing), AT_ONCE):
        names = {bytes(ids[place]).decode(): place for place in missing[start : start + AT_ONCE]}
        for name, vector in known(list(names)).items():
            vectors[names[name]] = vector
    return vectors


def _axes(vectors: Vectors) -> Vectors:
    """The AXES directions along which the rows differ most, as columns."""
    step = max(1, len(vectors) // SAMPLE_ROWS)
    sample = vectors[::step]
    _, directions = np.linalg.eigh(sample.T @ sample)
    return np.ascontiguousarray(directions[:, ::-1][:, :AXES])
