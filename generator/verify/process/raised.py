"""What a candidate raised, in words."""

from __future__ import annotations

from ..interpreter.violations import OutOfBoundsError

_MOST_CAUSES = 20


def cause(error: BaseException) -> BaseException:
    """The innermost cause, which is where a kernel's own error stands."""
    for _ in range(_MOST_CAUSES):
        error = error.__cause__ or error
    return error


def told(error: BaseException) -> str:
    """The innermost cause in words; its class may be the candidate's."""
    error = cause(error)
    try:
        message = (str(error).strip().splitlines() or [""])[0]
    except BaseException:  # of the candidate's own making
        message = "an error that raises when it is printed"
    return f"{type(error).__name__}: {message}"[:600]


def in_kernel(error: BaseException) -> bool:
    """Whether a kernel raised it, and not the wrapper."""
    return type(error).__name__ == "InterpreterError" or isinstance(error, OutOfBoundsError)
