"""Leaves a daemon behind: forked twice, in a session of its own, its descriptors closed."""

import os
import time

ENDS, SAYS, LEFT = "ok", "", 1


def act(request):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 64)
            time.sleep(600)
        os._exit(0)
    os.wait()
    return {"broke": []}
