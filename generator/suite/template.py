"""A library that nothing but the shipped corpus went into: indexed once, copied for each task of a suite."""

from __future__ import annotations

import shutil
from pathlib import Path

from filelock import FileLock

from ...kb.library import Library


def copy_of(template: Path, place: Path) -> None:
    """Put a copy of the library `template` at `place`; whoever comes first makes it, the others wait."""
    with FileLock(template.with_suffix(".lock")):
        if not template.is_dir():
            draft = template.with_suffix(".draft")
            shutil.rmtree(draft, ignore_errors=True)
            with Library.open(draft) as library:
                library.index(lambda done, of: None)
            draft.rename(template)
    shutil.copytree(template, place)
