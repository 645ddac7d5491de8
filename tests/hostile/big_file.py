"""Writes one file beyond the limit."""

import os

ENDS, SAYS = "crashed", "File too large"


def act(request):
    file = os.open("big", os.O_CREAT | os.O_WRONLY)
    while True:
        os.write(file, bytes(1 << 20))
