"""The kinds of pages: those that are shipped, and the documents that a user adds."""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal["technique", "architecture", "bottleneck", "metric", "howto", "numerics", "instruction"]
Added = Literal["document"]
KINDS: tuple[str, ...] = (*get_args(Kind), *get_args(Added))
