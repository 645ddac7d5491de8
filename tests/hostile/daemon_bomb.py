"""Every process makes a daemon in a session of its own and ends, so that no parent is left to blame."""

import os

ENDS, SAYS = "crashed", "started more than 16 processes"


def act(request):
    while True:
        if os.fork() == 0:
            os.setsid()
            for _ in range(3):
                os.fork()
