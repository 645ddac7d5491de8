"""The draft: what a reader makes of one file, as Markdown, and what the file says of itself."""

import re
from dataclasses import dataclass

from ..blocks import lift_fences
from ..screen import clean, suspicious

LARGEST_BYTES = 64 << 20
LONGEST_LINE = 1 << 20
DEEPEST = 1000  # levels of nesting that a document of people has no use for


@dataclass(frozen=True)
class Draft:
    """One document as Markdown; what the file says of itself, as far as it does; what was odd about it."""

    body: str
    title: str = ""
    version: str = ""
    licence: str = ""
    date: str = ""
    flags: tuple[str, ...] = ()


class Unreadable(Exception):  # noqa: N818 - named for what was found
    """A file that cannot be taken in; the message is the reason."""


def decode(data: bytes) -> str:
    """Text of `data` in UTF-8, or in UTF-16 or UTF-32 with their mark; Unreadable for anything else."""
    for mark, encoding in ((b"\xff\xfe\0\0", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError:
                raise Unreadable(f"begins as {encoding.upper()} and is not; save the file as UTF-8") from None
    if b"\0" in data:
        raise Unreadable("holds zero bytes: a binary file, not text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start} is not UTF-8; save the file as UTF-8") from None


def text_of(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text of a plain file without invisible characters, and what was taken out of it."""
    text, flags = clean(decode(data))
    if max(map(len, text.split("\n"))) > LONGEST_LINE:
        raise Unreadable(f"has a line of more than {LONGEST_LINE} characters: data, not text")
    return text.strip("\n"), flags


def hidden(text: str, where: str) -> tuple[str, ...]:
    """The flag for text taken out because no reader would see it; quoted where it gives orders."""
    words = " ".join(text.split())
    if not words:
        return ()
    told = suspicious(words)
    return (f"{where} taken out: {told!r}" if told else f"{len(words.split())} words of {where} taken out",)


def first_heading(markdown: str) -> str:
    """The first heading of the first level, if there is one; "# " in a fence is a comment."""
    match = re.search(r"^# +(.+)$", lift_fences(markdown)[0], re.MULTILINE)
    return match[1].strip() if match else ""


def fence(code: str, language: str = "") -> str:
    """`code` as a fenced block whose mark occurs nowhere inside."""
    mark = "```"
    while mark in code:
        mark += "`"
    return f"{mark}{language}\n{code.strip(chr(10))}\n{mark}"
