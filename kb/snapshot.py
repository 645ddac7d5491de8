"""The snapshot: one revision of the searchable passages in memory, with their filters as arrays."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .catalog import Row, Standing
from .lexical import LexicalIndex

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Snapshot:
    """Passage rows, and BM25 over them in the same order; `lexical` is None without passages."""

    revision: str
    rows: tuple[Row, ...]
    lexical: LexicalIndex | None

    @cached_property
    def position(self) -> dict[str, int]:
        """Passage id -> its place in `rows`."""
        return {row.id: place for place, row in enumerate(self.rows)}

    @cached_property
    def collections(self) -> dict[str, int]:
        """Collection of the vector index -> passages that belong there."""
        sizes: dict[str, int] = {}
        for standing, count in zip(self._kinds, np.bincount(self._codes, minlength=1), strict=False):
            name = f"{standing.kind}-{standing.vendor}"
            sizes[name] = sizes.get(name, 0) + int(count)
        return sizes

    def admitted(self, admits: Callable[[Standing], bool], shut_out: Collection[str]) -> Mask:
        """Which rows `admits` lets pass, those of the pages `shut_out` never; a standing is asked once."""
        table = np.array([admits(standing) for standing in self._kinds], dtype=np.bool_)
        mask: Mask = table[self._codes] if len(table) else np.zeros(0, dtype=np.bool_)
        for page_id in shut_out:
            mask[self._rows_of.get(page_id, [])] = False
        return mask

    @cached_property
    def _kinds(self) -> tuple[Standing, ...]:
        return tuple(dict.fromkeys(row.standing for row in self.rows))

    @cached_property
    def _codes(self) -> NDArray[np.int32]:
        codes = {standing: code for code, standing in enumerate(self._kinds)}
        return np.array([codes[row.standing] for row in self.rows], dtype=np.int32)

    @cached_property
    def _rows_of(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            places.setdefault(row.page_id, []).append(place)
        return places
