"""The child that reads files for `reading.py`: a request a line on its input, a reply a line on its output.

It stands between hostile files and the library: its memory is bounded, and its parent ends it when it takes
too long, so that a file which crashes a parser costs one line in the report.
"""

import json
import os
import resource
import sys
from dataclasses import asdict
from pathlib import Path

from .choose import read
from .draft import LARGEST_BYTES, Unreadable

MEMORY_BYTES = 2 << 30


def reply_to(path: Path, suffix: str) -> dict[str, object]:
    """The draft of one file, or why there is none."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            return {"unreadable": "is a device, a pipe or a folder, not a file"}
        if size > LARGEST_BYTES:
            return {"unreadable": f"has {size} bytes; at most {LARGEST_BYTES} are read, split the file"}
        return {"draft": asdict(read(path.read_bytes(), suffix))}
    except Unreadable as error:
        return {"unreadable": str(error)}
    except OSError as error:
        return {"unreadable": f"cannot be read ({error.strerror or error})"}
    except MemoryError:
        return {"unreadable": f"takes more than {MEMORY_BYTES >> 30} GiB of memory to read"}
    except (
        Exception
    ) as error:  # parsers raise what they like on broken files; the file is refused, the rest go on
        return {"unreadable": f"cannot be parsed ({type(error).__name__}: {str(error)[:120]})"}


def main() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(hard, MEMORY_BYTES)
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a parser prints is no reply
    for line in sys.stdin:
        request = json.loads(line)
        json.dump(reply_to(Path(request["path"]), request["suffix"]), replies)
        replies.write("\n")
        replies.flush()


if __name__ == "__main__":
    main()
