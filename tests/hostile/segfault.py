"""Reads address zero."""

import ctypes

ENDS, SAYS = "crashed", "SIGSEGV"


def act(request):
    ctypes.string_at(0)
