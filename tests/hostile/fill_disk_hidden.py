"""Fills the disk below a folder so deep that its path has no name any more."""

import os

ENDS, SAYS = "crashed", "filled its folder"


def act(request):
    for _ in range(40):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    number = 0
    while True:
        number += 1
        with open(f"block{number}", "wb") as file:
            file.write(bytes(1 << 20))
