"""Writes file after file and deletes each while it is open, so that no listing shows them."""

import os

ENDS, SAYS = "crashed", "filled its folder"


def act(request):
    held = []
    while True:
        held.append(os.open("unseen", os.O_CREAT | os.O_WRONLY))
        os.unlink("unseen")
        os.write(held[-1], bytes(1 << 20))
