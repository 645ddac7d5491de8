"""Asks for 40 GB at once."""

ENDS, SAYS = "memory", "MemoryError"


def act(request):
    return {"size": len(bytearray(40 << 30))}
