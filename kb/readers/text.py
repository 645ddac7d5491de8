"""Reads plain text: paragraphs as they stand, no line taken for a heading."""

import re

from .draft import Draft, text_of


def read(data: bytes) -> Draft:
    text, flags = text_of(data)
    escaped = re.sub(r"^(#{1,6} )", r"\\\1", text, flags=re.MULTILINE)
    return Draft(escaped, flags=flags)
