"""Changes modes and times of files that it may not write to."""

import os

ENDS, SAYS, NEEDS = "ok", "", "own namespaces"


def act(request):
    broke = []
    for folder in request["outside"]:
        for attempt in (lambda path: os.chmod(path, 0o777), lambda path: os.utime(path, (0, 0))):
            try:
                attempt(f"{folder}/precious")
                broke.append(folder)
            except OSError:
                continue
    return {"broke": broke}
