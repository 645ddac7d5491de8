"""kbgen: a hardware-profiling knowledge base with a retrieval-augmented GPU kernel generator."""

__version__ = "0.1.0"


class KbgenError(Exception):
    """A mistake told to the user in one sentence: what was found, what was expected, what to do.

    Rooms derive their own errors from it; the command line prints the sentence and exits 1.
    """
