"""The shape of the tile a program holds, and how a reduction collapses it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tile:
    """`shape` in source; reductions run over `axis` and keep the rank of two-dimensional tiles."""

    shape: str
    axis: int
    two_dimensional: bool
    kept_shape: str

    @property
    def keep(self) -> str:
        return ", keep_dims=True" if self.two_dimensional else ""
