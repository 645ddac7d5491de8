"""Burns CPU time for ever."""

ENDS, SAYS, LIMITS = "timeout", "1 s of CPU time", {"cpu_s": 1, "wall_s": 120.0}


def act(request):
    while True:
        pass
