"""Starts threads without end, each with a small stack."""

import threading
import time

ENDS, SAYS, LIMITS = "crashed", "thousands of threads", {"processes": 4}


def act(request):
    threading.stack_size(64 << 10)
    while True:
        try:
            threading.Thread(target=time.sleep, args=(600,)).start()
        except RuntimeError:
            time.sleep(0.01)
