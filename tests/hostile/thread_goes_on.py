"""Leaves a thread behind that would write to the reply's file for ever."""

import os
import threading

ENDS, SAYS = "ok", ""


def work():
    while True:
        with open("still_here", "w") as file:
            file.write(str(os.getpid()))


def act(request):
    threading.Thread(target=work, daemon=True).start()
    return {"broke": []}
