"""Opens what a profiler left behind as text: any encoding, line by line, and within a size limit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ... import KbgenError

MAX_BYTES = 512 << 20  # a text export of 10,000 kernels with every metric is near 300 MB
MAX_LINE = 4 << 20  # characters; a raw page of every metric is 0.1 MB a row
_HEAD = 256 << 10


class UnreadableProfileError(KbgenError):
    """The file is no profile that kbgen can read; the sentence says what it is and how to get one."""


def head(path: Path) -> str:
    """The first and the last 256 KB as text, enough to tell a format by; "" for a folder.

    Raises UnreadableProfileError where the file cannot be opened.
    """
    if path.is_dir():
        return ""
    try:
        with path.open("rb") as file:
            first = file.read(_HEAD)
            size = path.stat().st_size
            last = b""
            if size > _HEAD:
                file.seek(max(_HEAD, size - _HEAD) & ~3)  # UTF-16 and UTF-32 stay in step
                last = file.read()
    except OSError as error:
        raise UnreadableProfileError(f"{path} cannot be read: {error.strerror or error}.") from error
    encoding = _encoding(first)
    return first.decode(encoding, "replace") + "\n" + last.decode(_without_mark(encoding), "replace")


def lines(path: Path) -> Iterator[str]:
    """The lines of a text file with their line ends as "\\n"; the last has none where the file has none.

    UTF-8 and UTF-16, with or without a byte order mark; what does not decode becomes U+FFFD. A line beyond
    MAX_LINE is cut into several. Raises UnreadableProfileError beyond MAX_BYTES and for a file that cannot be
    opened.
    """
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise UnreadableProfileError(
                f"{path} has {size >> 20} MB and kbgen reads profiles of up to {MAX_BYTES >> 20} MB: "
                "export fewer kernels or fewer metrics at a time (ncu --import FILE -k NAME -c COUNT)."
            )
        with path.open("rb") as file:
            encoding = _encoding(file.read(4096))
        with path.open(encoding=encoding, errors="replace") as text:
            while line := text.readline(MAX_LINE):
                yield line
    except OSError as error:
        raise UnreadableProfileError(f"{path} cannot be read: {error.strerror or error}.") from error


def _encoding(first: bytes) -> str:
    """Python's name for the encoding that the first bytes of a text speak of."""
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if first.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    even, odd = first[:512:2], first[1:512:2]
    if odd.count(0) > 0.9 * len(odd) > 0 and 0 not in even:
        return "utf-16-le"
    if even.count(0) > 0.9 * len(even) and odd and 0 not in odd:
        return "utf-16-be"
    return "utf-8"


def _without_mark(encoding: str) -> str:
    """For bytes from the middle of a file: "utf-16" would take a missing mark for big-endian or raise."""
    return "utf-16-le" if encoding == "utf-16" else encoding
