"""Leaves a child behind that holds all descriptors."""

import os
import time

ENDS, SAYS, LEFT = "ok", "", 1


def act(request):
    if os.fork() == 0:
        time.sleep(600)
    return {"broke": []}
