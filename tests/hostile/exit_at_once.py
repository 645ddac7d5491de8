"""Ends the process with success before any reply."""

import os

ENDS, SAYS = "exited", "code 0"


def act(request):
    os._exit(0)
