"""Retries what may pass (a full server, a cut connection), and tells what will not."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from .... import KbgenError
from .chat import GarbledError
from .settings import Endpoint

T = TypeVar("T")
ATTEMPTS = 6
LONGEST_WAIT_S = 120.0
_PASSING = {408, 409, 429}
_CURES = {
    400: "the request was not understood; a smaller --prompt-tokens may help",
    401: "the key was refused; check it",
    402: "the account has no credit left",
    403: "the key may not use this model",
    404: "there is no such model or address; check --writer and the base URL",
    413: "the prompt is too long for the server; give a smaller --prompt-tokens",
}


class EndpointError(KbgenError):
    """A model's server gave no answer."""


def patiently(ask: Callable[[], T], endpoint: Endpoint, wait: Callable[[float], None] = time.sleep) -> T:
    """What `ask` gives, tried up to ATTEMPTS times with growing pauses, or those that the server asks for.

    Raises EndpointError, which holds no secret.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return ask()
        except Exception as error:
            pause = _pause(error, attempt)
            if pause is None or attempt == ATTEMPTS or pause > LONGEST_WAIT_S:
                raise EndpointError(_told(error, endpoint, attempt, pause)) from None
        wait(pause)
    raise AssertionError("the last attempt returns or raises")


def _pause(error: Exception, attempt: int) -> float | None:
    """Seconds until the next try; None where trying again cannot help."""
    status = getattr(error, "status_code", None)
    backoff = float(2 ** (attempt - 1))
    if status is None:
        return backoff if _is_cut(error) else None
    if status not in _PASSING and status < 500:
        return None
    asked = _asked_wait(getattr(getattr(error, "response", None), "headers", None) or {})
    return backoff if asked is None else asked


def _is_cut(error: Exception) -> bool:
    """Whether the connection failed, timed out, or brought what is no answer."""
    names = {cls.__name__ for cls in type(error).__mro__}
    return isinstance(error, (GarbledError, ConnectionError, TimeoutError)) or bool(
        names & {"APIConnectionError", "APIResponseValidationError", "TransportError"}
    )


def _asked_wait(headers: Mapping[str, Any]) -> float | None:
    """`retry-after` in seconds: it is written as a number or as a date."""
    text = str(headers.get("retry-after") or "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _told(error: Exception, endpoint: Endpoint, attempts: int, pause: float | None) -> str:
    status = getattr(error, "status_code", None)
    message = next(iter(str(error).splitlines()), "")
    what = f"HTTP {status}" if status else f"{type(error).__name__}: {message}"
    if pause is not None and pause > LONGEST_WAIT_S:
        cure = f"it asks to wait {pause:.0f} s; add --resume to go on later"
    else:
        cure = _CURES.get(status or 0, "check that it is up and its address is right, then add --resume")
    tries = f" after {attempts} tries" if attempts > 1 else ""
    return endpoint.without_secrets(
        f"{endpoint.provider}:{endpoint.model} at {endpoint.base_url} gave no answer{tries} ({what}); {cure}."
    )
