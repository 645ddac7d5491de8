"""Sleeps for ever."""

import time

ENDS, SAYS, LIMITS = "timeout", "limit of 1 s", {"wall_s": 1.0}


def act(request):
    time.sleep(600)
