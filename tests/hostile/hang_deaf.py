"""Sleeps for ever with every signal blocked, in a session of its own."""

import os
import signal
import time

ENDS, SAYS, LIMITS = "timeout", "limit of 1 s", {"wall_s": 1.0}


def act(request):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    if os.fork() == 0:
        os.setsid()
    time.sleep(600)
