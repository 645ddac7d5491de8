"""Raises SystemExit(0) where an answer is expected."""

import sys

ENDS, SAYS = "crashed", "SystemExit"


def act(request):
    sys.exit(0)
