"""Burns CPU time for ever with every signal blocked or ignored."""

import signal

ENDS, SAYS, LIMITS = "crashed", "SIGKILL", {"cpu_s": 1, "wall_s": 120.0}


def act(request):
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass
