"""The forms of training data, by the names that a command line gives them."""

from __future__ import annotations

from typing import Literal, get_args

Format = Literal["sft", "preference", "kernelbench"]
FORMATS: tuple[Format, ...] = get_args(Format)
MARGIN = 1.05
"""The least ratio of two speed-ups that ranks their kernels, which were timed in a session each."""
