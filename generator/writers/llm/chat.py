"""Asks a model through llama-index: one conversation in, one answer out, whoever serves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .settings import Endpoint, ModelSettingsError

Turn = tuple[str, str]
"""Who speaks (system, user, assistant) and what is said."""

_NEEDS = {
    "openai": "llama_index.llms.openai_like",
    "anthropic": "anthropic",
    "ollama": "llama_index.llms.ollama",
}


class GarbledError(Exception):
    """What the server sent is no answer."""


@dataclass(frozen=True)
class Answer:
    """`ended` is the provider's own word; counts are None where the server gave none."""

    text: str
    ended: str
    input_tokens: int | None
    output_tokens: int | None


def check_packages(endpoint: Endpoint) -> None:
    """Raises ModelSettingsError where the packages that reach this provider are not installed."""
    needed = _NEEDS[endpoint.provider]
    parent = needed.rpartition(".")[0]
    if (parent and find_spec(parent) is None) or find_spec(needed) is None:
        raise ModelSettingsError(
            f"--writer {endpoint.provider}:{endpoint.model} needs packages; run pip install 'kbgen[llm]'."
        )


def load(endpoint: Endpoint) -> None:
    """Load what asking needs, so that no answer is charged with it."""
    import_module("llama_index.core.llms")
    import_module(_NEEDS[endpoint.provider])


def ask(endpoint: Endpoint, turns: Sequence[Turn], question: str) -> Answer:
    """Send the turns once; `question` names them in the idempotency key, where the server reads one.

    Raises what the provider's client raises, and GarbledError for an answer that is none.
    """
    from llama_index.core.llms import ChatMessage

    messages = [ChatMessage(role=role, content=text) for role, text in turns]
    try:
        with _connected(endpoint) as (llm, takes_headers):
            headers = {"extra_headers": {"Idempotency-Key": question}} if takes_headers else {}
            said = llm.chat(messages, **headers)
        return _answer(said.message.content, said.raw)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise GarbledError(f"the server's answer cannot be read: {error!r:.200}") from error


@contextmanager
def _connected(endpoint: Endpoint) -> Iterator[tuple[Any, bool]]:
    """The llama-index LLM of an endpoint, which tries once: retries are the caller's to count. And whether it
    takes headers with a question."""
    if endpoint.provider != "ollama":
        yield (_openai if endpoint.provider == "openai" else _anthropic)(endpoint), True
        return
    llm = _ollama(endpoint)
    try:
        yield llm, False
    finally:
        llm.client.close()


def _openai(endpoint: Endpoint) -> Any:
    from llama_index.llms.openai_like import OpenAILike

    own = endpoint.is_providers_own  # its newer models refuse max_tokens, other servers know nothing else
    return OpenAILike(
        model=endpoint.model,
        api_base=endpoint.base_url,
        api_key=endpoint.key,
        context_window=endpoint.context_tokens,
        max_tokens=None if own else endpoint.answer_tokens,
        additional_kwargs={"max_completion_tokens": endpoint.answer_tokens} if own else {},
        temperature=1.0 if endpoint.temperature is None else endpoint.temperature,  # 1: the server's own
        timeout=endpoint.timeout_s,
        is_chat_model=True,
        max_retries=0,
        reuse_client=False,  # closes its connection with each answer
    )


def _anthropic(endpoint: Endpoint) -> Any:
    from .anthropic import Anthropic

    return Anthropic(
        model=endpoint.model,
        base_url=endpoint.base_url,
        api_key=endpoint.key,
        context_tokens=endpoint.context_tokens,
        answer_tokens=endpoint.answer_tokens,
        temperature=endpoint.temperature,
        timeout_s=endpoint.timeout_s,
    )


def _ollama(endpoint: Endpoint) -> Any:
    from llama_index.llms.ollama import Ollama

    return Ollama(
        model=endpoint.model,
        base_url=endpoint.base_url,
        context_window=endpoint.context_tokens,  # asked of the server; its own default would cut the prompt
        additional_kwargs={"num_predict": endpoint.answer_tokens},
        temperature=endpoint.temperature,
        request_timeout=endpoint.timeout_s,
    )


def _answer(text: str | None, raw: Any) -> Answer:
    """Usage and ending as each provider words them."""
    told: Mapping[str, Any] = raw if isinstance(raw, Mapping) else raw.model_dump()
    usage = told.get("usage") or {}
    choices = told.get("choices")
    ended = choices[0].get("finish_reason") if choices else told.get("stop_reason") or told.get("done_reason")
    return Answer(
        text=text or "",
        ended=str(ended or "stop"),
        input_tokens=_count(usage, "prompt_tokens", "input_tokens"),
        output_tokens=_count(usage, "completion_tokens", "output_tokens"),
    )


def _count(usage: Mapping[str, Any], *names: str) -> int | None:
    return next((usage[name] for name in names if isinstance(usage.get(name), int)), None)
