"""Counts the tokens of a text from above, without any model's tokenizer."""

from __future__ import annotations

import math
import re

_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|_+|\s+|[^\x00-\x7f]|[^\w\s]+")


def tokens(text: str) -> int:
    """An upper bound that needs no download: over the shipped pages, examples and generated kernels it lies
    5 to 31 % above OpenAI's cl100k. A word costs one token per 5 letters, a number one per 3 digits, marks
    one per 2, a line end with its indentation one, other blanks none, what is not ASCII one per byte."""
    return sum(_cost(piece[0]) for piece in _PIECES.finditer(text))


def _cost(piece: str) -> int:
    if not piece.isascii():
        return len(piece.encode())
    if piece.isalpha():
        return math.ceil(len(piece) / 5)
    if piece.isdigit():
        return math.ceil(len(piece) / 3)
    if piece.isspace():
        return int("\n" in piece)
    return math.ceil(len(piece) / 2)
