"""Takes an op or a kernel file from an agent, as text or as a path, and refuses what is neither."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from ... import KbgenError

LARGEST_BYTES = 1 << 20
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


class SourceError(KbgenError):
    """A file that cannot be taken from an agent."""


def source_file(what: str, path: str | None, text: str | None, name: str, folder: Path) -> Path:
    """The file of `what` ("op", "candidate"): the one at `path`, or `text` saved as `name`.py in `folder`.

    A path stays where it is, since an op file may import its neighbours. Raises SourceError.
    """
    if (path is None) == (text is None):
        given = "both were given" if path is not None else "neither was given"
        raise SourceError(
            f"{what}_path and {what}_text: {given}; give one of them, a path or the text itself."
        )
    if text is not None:
        return _saved(what, text, name, folder)
    assert path is not None
    return regular(what, path, (".py",))


def regular(what: str, path: str, suffixes: tuple[str, ...] = ()) -> Path:
    """`path` as the absolute path of a regular file, of at most 1 MiB where it must be a source file."""
    if not path.strip() or not path.isprintable():
        raise SourceError(f"{what}_path is {path[:80]!r}, which is no path; give the path of a file.")
    try:
        found = Path(path).expanduser().resolve()
        kept = found.stat()
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise SourceError(f"{what}_path {path[:200]!r} cannot be used ({why}); check the path.") from None
    if suffixes and found.suffix not in suffixes:
        raise SourceError(f"{what}_path {path[:200]!r} is not a {' or '.join(suffixes)} file; give one.")
    if suffixes and not stat.S_ISREG(kept.st_mode):
        raise SourceError(f"{what}_path {path[:200]!r} is not a regular file; give the path of one.")
    if suffixes and kept.st_size > LARGEST_BYTES:
        raise SourceError(f"{what}_path {path[:200]!r} is larger than 1 MiB; a source file is smaller.")
    if not (stat.S_ISREG(kept.st_mode) or stat.S_ISDIR(kept.st_mode)):
        raise SourceError(f"{what}_path {path[:200]!r} is neither a file nor a folder; give one.")
    return found


def _saved(what: str, text: str, name: str, folder: Path) -> Path:
    if NAME.fullmatch(name) is None:
        raise SourceError(
            f"{what}_name is {name[:80]!r}; give letters, digits and underscores only, at most 64, no path."
        )
    if "\0" in text or len(text.encode("utf-8", "replace")) > LARGEST_BYTES:
        raise SourceError(f"{what}_text holds NUL bytes or more than 1 MiB; give the text of a Python file.")
    path = folder / f"{name}.py"
    try:
        path.write_text(text, encoding="utf-8")
    except UnicodeEncodeError:
        raise SourceError(f"{what}_text holds halves of characters; give UTF-8 text.") from None
    return path
