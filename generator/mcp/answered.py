"""What each tool answers: the documents of the command line as schemas, so that a client can rely on them.

More keys may be there; those named here stay. A tool that starts a job answers with its document or, where it
takes longer than the call waits, with the job's handle.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...profiling.profile import LEVELS, Level

Listed = list[dict[str, Any]]


class Document(BaseModel):
    model_config = ConfigDict(extra="allow")


class Searched(Document):
    schema_: Literal["kbgen/search/1"] = Field(alias="schema")
    mode: str
    results: Listed = Field(description="Passages: id, title, text, source, section, version, archs, why.")


class Sheet(Document):
    schema_: Literal["kbgen/specs/1"] = Field(alias="schema")


class Advised(Document):
    schema_: Literal["kbgen/advise/1"] = Field(alias="schema")
    kernels: Listed = Field(description="By share of time: bottlenecks with evidence, then cited advice.")


class Profiled(Document):
    schema_: Literal["kbgen/profile/1"] = Field(alias="schema")
    level: Level | None = Field(description="; ".join(f"{name}: {said}" for name, said in LEVELS.items()))
    bottlenecks: Listed | None


class Verdict(Document):
    schema_: Literal["kbgen/verify/1"] = Field(alias="schema")
    verdict: Literal["passed", "failed", "inconclusive"]
    cause: str | None
    detail: str


class Benched(Document):
    schema_: Literal["kbgen/bench/1"] = Field(alias="schema")
    label: str
    reason: str
    verdict: dict[str, Any]


class Optimized(Document):
    schema_: Literal["kbgen/optimize/1", "kbgen/record/1"] = Field(alias="schema")
    status: Literal["win", "no-win", "unmeasured", "degenerate", "inconclusive", "declined"]
    verified: bool
    speedup: float | None = Field(
        description="Over the fastest baseline, timed; null where nothing was timed."
    )
    reason: str
    recorded: str | None = Field(description="Id of the record in the library; null where nothing was kept.")


class Handle(Document):
    schema_: Literal["kbgen/job/1"] = Field(alias="schema")
    job: str
    command: str
    status: Literal["queued", "running", "done", "failed", "cancelled", "lost"]
    progress: str
    error: str | None
    next: str = Field(description="What to do about it.")


class Handles(Document):
    schema_: Literal["kbgen/jobs/1"] = Field(alias="schema")
    jobs: Listed


class Answer(Document):
    """The document of the command that a job ran."""

    schema_: str = Field(alias="schema", pattern=r"^kbgen/(advise|profile|verify|bench|optimize|record)/1$")


def schema(*answers: type[Document]) -> dict[str, Any]:
    """JSON Schema of an object that is one of `answers`."""
    made = [untitled(one.model_json_schema(mode="serialization")) for one in answers]
    return made[0] if len(made) == 1 else {"type": "object", "anyOf": made}


def untitled(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` without the titles that repeat its names: an agent pays for every word of it."""
    kept = {name: value for name, value in schema.items() if name not in ("title", "description")}
    for name in ("properties", "$defs"):
        if name in kept:
            kept[name] = {key: _without_title(one) for key, one in kept[name].items()}
    return kept


def may_be_left_out(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` of arguments with "or null" taken out: what is null may be left out, which is shorter."""
    properties = {name: _not_null(one) for name, one in schema["properties"].items()}
    return {**schema, "properties": properties}


def _not_null(part: dict[str, Any]) -> dict[str, Any]:
    choices = [one for one in part.get("anyOf", ()) if one != {"type": "null"}]
    if len(choices) != 1:
        return part
    rest = {name: value for name, value in part.items() if name not in ("anyOf", "default")}
    return {**choices[0], **rest}


def _without_title(part: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name != "title"}
