"""Replaces itself by another program, which prints a verdict."""

import os

ENDS, SAYS = "exited", "code 0"


def act(request):
    os.execv("/bin/sh", ["sh", "-c", 'echo "ok"; exit 0'])
