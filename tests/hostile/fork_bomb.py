"""Every process makes another, for ever."""

import os

ENDS, SAYS = "crashed", "started more than 16 processes"


def act(request):
    while True:
        os.fork()
