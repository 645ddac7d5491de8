"""Writes file after file, each below the limit."""

ENDS, SAYS = "crashed", "filled its folder"


def act(request):
    number = 0
    while True:
        number += 1
        with open(f"block{number}", "wb") as file:
            file.write(bytes(1 << 20))
