"""Requests over loopback in three wire formats: what may pass is retried, the rest is told, no key shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kbgen.generator.job import Asking
from kbgen.generator.prompts.briefing import Briefing
from kbgen.generator.writers.llm.chat import ask
from kbgen.generator.writers.llm.ledger import Ledger
from kbgen.generator.writers.llm.patience import ATTEMPTS, EndpointError, patiently
from kbgen.generator.writers.llm.settings import ModelSettingsError
from kbgen.generator.writers.llm.writer import LLMWriter
from kbgen.generator.writers.writer import Candidate, Declined, Request, SpentError

from .conftest import KEY, Move, Server

Serve = Callable[..., Server]
TURNS = [("system", "You write."), ("user", "Write.")]
FILE = "class ModelNew:\n    pass\n"
REPLY = f"Here:\n\n```python\n{FILE}```\n"
PROVIDERS = ["openai", "anthropic", "ollama"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_comes_back_with_its_counts(provider: str, serve: Serve) -> None:
    server = serve(Move(REPLY))
    answer = ask(server.endpoint(provider), TURNS, "question-1")
    assert (answer.text, answer.input_tokens, answer.output_tokens) == (REPLY, 1000, 200)
    (path, headers, body), = server.asked  # fmt: skip
    assert (
        path
        == {"openai": "/v1/chat/completions", "anthropic": "/v1/messages", "ollama": "/api/chat"}[provider]
    )
    assert str(body).count("You write.") == 1
    if provider != "ollama":
        assert headers["idempotency-key"] == "question-1"
        assert KEY in headers.get("authorization", "") + headers.get("x-api-key", "")
    assert KEY not in str(body)
    assert "stream" not in body or body["stream"] is False


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_may_pass_is_asked_again_and_waits_as_long_as_it_is_told(provider: str, serve: Serve) -> None:
    server = serve(
        Move(status=429, headers={"retry-after": "7"}), Move(status=500), Move(cut=True), Move(raw=b"<html>"),
        Move(REPLY),
    )  # fmt: skip
    endpoint, waits = server.endpoint(provider), list[float]()
    assert patiently(lambda: ask(endpoint, TURNS, "q"), endpoint, waits.append).text == REPLY
    assert len(server.asked) == 5
    assert waits == ([7.0, 2.0, 4.0, 8.0] if provider != "ollama" else [1.0, 2.0, 4.0, 8.0])
    assert len({headers.get("idempotency-key") for _, headers, _ in server.asked}) == 1


@pytest.mark.parametrize(
    ("move", "asked", "said"),
    [
        (Move(status=401), 1, "the key was refused"),
        (Move(status=404), 1, "no such model"),
        (Move(status=400), 1, "--prompt-tokens"),
        (Move(status=503), ATTEMPTS, "HTTP 503"),
        (Move(status=429, headers={"retry-after": "9000"}), 1, "asks to wait 9000 s"),
        (Move(status=429, headers={"retry-after": "Thu, 01 Jan 2099 00:00:00 GMT"}), 1, "asks to wait"),
        (Move(raw=b'{"choices": []}'), ATTEMPTS, "cannot be read"),
        (Move(raw=b"[1, 2]"), ATTEMPTS, "cannot be read"),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Move) else None,
)
def test_what_will_not_pass_is_told_in_a_sentence_without_the_key(
    move: Move, asked: int, said: str, serve: Serve
) -> None:
    server = serve(move)
    endpoint = server.endpoint()
    with pytest.raises(EndpointError, match=said) as caught:
        patiently(lambda: ask(endpoint, TURNS, "q"), endpoint, lambda seconds: None)
    assert len(server.asked) == asked
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_server_that_is_not_there_is_told(serve: Serve) -> None:
    endpoint = serve(Move(REPLY)).endpoint(base_url="http://user:hidden@127.0.0.1:9")
    error = ConnectionError(f"cannot reach http://user:hidden@127.0.0.1:9 with {KEY}")

    def fails() -> None:
        raise error

    with pytest.raises(EndpointError, match="check that it is up") as caught:
        patiently(fails, endpoint, lambda seconds: None)
    assert "hidden" not in str(caught.value)
    assert KEY not in str(caught.value)
    assert KEY not in repr(endpoint)


@pytest.mark.parametrize("retry_after", ["nan", "-5", "soon", ""])
def test_a_wait_that_is_no_time_is_not_waited(retry_after: str, serve: Serve) -> None:
    endpoint = serve(Move(REPLY)).endpoint()
    error = cast(Any, RuntimeError("busy"))
    error.status_code, error.response = 429, SimpleNamespace(headers={"retry-after": retry_after})
    waits: list[float] = []
    tries = iter([error, None])

    def sometimes() -> str:
        if problem := next(tries):
            raise problem
        return "well"

    assert patiently(sometimes, endpoint, waits.append) == "well"
    assert waits == [1.0]


def test_an_error_of_our_own_is_not_retried(serve: Serve) -> None:
    endpoint, calls = serve(Move(REPLY)).endpoint(), list[int]()

    def broken() -> None:
        calls.append(1)
        raise RuntimeError("a mistake")

    with pytest.raises(EndpointError, match="a mistake"):
        patiently(broken, endpoint, lambda seconds: None)
    assert len(calls) == 1


@pytest.fixture
def asked(briefing: Briefing) -> Request:
    traced = SimpleNamespace(flops=10)
    return Request(cast(Any, None), cast(Any, traced), (), cast(Any, None), briefing=briefing)


@pytest.fixture
def writer(serve: Serve, tmp_path: Any) -> Callable[..., tuple[LLMWriter, Server]]:
    def make(*moves: Move, provider: str = "openai", **asking: Any) -> tuple[LLMWriter, Server]:
        server = serve(*moves)
        out = tmp_path / str(server.port)
        made = LLMWriter(server.endpoint(provider), Asking(**asking), out, wait=lambda seconds: None)
        assert made.journal is not None
        made.journal.begin({}, resume=False)
        return made, server

    return make


Make = Callable[..., tuple[LLMWriter, Server]]


def test_a_reply_in_the_wrong_form_is_asked_for_once_more(writer: Make, asked: Request) -> None:
    made, server = writer(Move("I would rather talk about it."), Move(REPLY))
    candidate = made.write(asked)
    assert isinstance(candidate, Candidate)
    assert (candidate.source, candidate.writer) == (FILE, "openai:scripted")
    turns = server.asked[1][2]["messages"]
    assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "user"]
    assert "it holds no fenced block" in str(turns[3])
    spent = made.spent
    assert spent is not None
    assert (spent["input_tokens"], spent["output_tokens"]) == (2000, 400)
    assert spent["cost"] == pytest.approx((2000 * 2 + 400 * 10) / 1e6)
    assert [(one["kind"], one["fault"][:21], one["candidate"]) for one in spent["asked"]] == [
        ("draft", "it holds no fenced bl", None),
        ("form", "", candidate.id),
    ]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("move", "fault"),
    [
        (Move(None), "no text"),
        (Move("I cannot help with that."), "no fenced block"),
        (Move(REPLY, ended="length"), "cut off after 200 tokens"),
        (Move(None, tools=True), "no text"),
        (Move("```python\nimport os; os.remove('/')\n```"), "class ModelNew"),
    ],
    ids=["empty", "refusal", "over-long", "tool call", "no kernel"],
)
def test_what_is_no_kernel_is_declined_after_one_repair(
    provider: str, move: Move, fault: str, writer: Make, asked: Request
) -> None:
    made, server = writer(move, provider=provider)
    declined = made.write(asked)
    assert isinstance(declined, Declined)
    assert fault in declined.reason
    assert len(server.asked) == 2


def test_no_bound_is_overrun(writer: Make, asked: Request) -> None:
    made, server = writer(Move(REPLY), max_tokens=18_000)
    assert isinstance(made.write(asked), Candidate)
    with pytest.raises(SpentError, match="1200 of 18000 tokens are spent"):
        made.write(replace(asked, sample=1))
    assert len(server.asked) == 1
    made, server = writer(Move(REPLY), max_cost=0.01)
    with pytest.raises(SpentError, match=r"0\.00 of 0\.01 USD"):
        made.write(asked)
    assert not server.asked


def test_a_bound_in_money_needs_prices(serve: Serve, tmp_path: Any) -> None:
    with pytest.raises(ModelSettingsError, match="price_in"):
        LLMWriter(serve(Move(REPLY)).endpoint(price_in=None), Asking(max_cost=1.0), tmp_path)


def test_what_nobody_counted_is_null_and_bounded_from_above(serve: Serve) -> None:
    from kbgen.generator.writers.llm.chat import Answer

    ledger = Ledger(serve(Move(REPLY)).endpoint(), 100_000, None)
    of_it: dict[str, Any] = {"kind": "draft", "technique": "", "parent": None, "candidate": None, "fault": ""}
    ledger.note(TURNS, Answer("four words of it", "stop", None, None), 1.234, **of_it)
    ledger.note(TURNS, None, None, **of_it)
    told = ledger.to_json()
    assert (told["input_tokens"], told["output_tokens"], told["cost"], told["seconds"]) == (None,) * 4
    with pytest.raises(SpentError):  # the lost answer counts as long as it could be
        Ledger.allow(ledger, [("user", "word " * 70_000)])


def test_after_a_first_answer_a_lost_server_ends_the_search_and_not_the_run(
    writer: Make, asked: Request
) -> None:
    made, _ = writer(Move(REPLY), Move(status=401))
    assert isinstance(made.write(asked), Candidate)
    with pytest.raises(SpentError, match="the key was refused"):
        made.write(replace(asked, sample=1))
    made, _ = writer(Move(status=401))
    with pytest.raises(EndpointError):
        made.write(asked)
