"""The episode: every step one run took on one operator, helped or not, with the conditions it holds under."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .. import KbgenError

SCHEMA = "kbgen/episode/1"

Outcome = Literal["helped", "neutral", "hurt", "rejected", "failed"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
Ratio = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class RecordError(KbgenError):
    """An episode that contradicts itself, or a record file that cannot be read back."""


@dataclass(frozen=True)
class EpisodeStep:
    """One technique tried. `effect` is time of the parent over time of the child: above 1 is faster.

    `bottleneck` is the class the step addressed, empty when the whole diagnosis of the episode applies.
    """

    technique: str
    transform: str
    parent: str | None
    outcome: Outcome
    evidence: Literal["measured", "estimated"]
    effect: Ratio | None
    reason: str
    citations: tuple[str, ...] = ()
    bottleneck: str = ""


@dataclass(frozen=True)
class Task:
    """What a run was given, so that its record can be learnt from without the file that it began with.

    `constants` are those that replaced the op file's own, each as a Python literal; `evidence` is what the
    diagnosis said; `interval` is the 95 % one of the episode's speed-up, `None` where nothing was timed;
    `problem` is the place of a KernelBench task, such as `level1/19_ReLU`, else empty.
    """

    source: str
    constants: tuple[tuple[str, str], ...]
    mode: str
    writer: str
    evidence: tuple[str, ...]
    interval: tuple[Ratio, Ratio] | None = None
    problem: str = ""


@dataclass(frozen=True)
class Episode:
    """One run of the loop on one operator; `created` is ISO 8601, `speedup` is over the fastest baseline.

    `task` is `None` in records of versions that did not keep it."""

    op_name: str
    family: str
    fingerprint: str
    device_id: str
    arch: str
    vendor: str
    live: bool
    driver: str | None
    torch_version: str
    triton_version: str
    kbgen_version: str
    precision: str
    status: str
    verified: bool
    speedup: Ratio | None
    steps: tuple[EpisodeStep, ...]
    source: str
    created: str
    bottlenecks: tuple[str, ...] = ()
    task: Task | None = None

    @property
    def toolchain(self) -> str:
        """What the outcome depends on beside the device: code generators change with minor releases."""
        return f"triton {minor(self.triton_version)}, torch {minor(self.torch_version)}"


class _File(BaseModel):
    """The record file: the schema it was written under, then the episode."""

    model_config = ConfigDict(extra="ignore")

    schema_: Annotated[str, Field(alias="schema")]
    episode: Episode


def minor(version: str) -> str:
    """Major and minor part of a version: `3.7.1+git` -> `3.7`."""
    match = re.match(r"\d+\.\d+", version)
    return match[0] if match else version


def check(episode: Episode) -> None:
    """Refuse what would be a false claim: a win not verified or not timed, a timing without a device."""
    try:
        _File.model_validate({"schema": SCHEMA, "episode": _document(episode)})
    except ValidationError as error:
        raise RecordError(f"the episode is not valid: {_first(error)}; nothing was recorded.") from None
    _when(episode)
    if episode.status == "win" and not (episode.verified and episode.live and (episode.speedup or 0) > 1):
        raise RecordError(
            f"status 'win' needs verified, live and a speed-up above 1; found verified={episode.verified}, "
            f"live={episode.live}, speedup={episode.speedup}; record it as what it is."
        )
    timed = [
        step.technique for step in episode.steps if step.evidence == "measured" and step.effect is not None
    ]
    if not episode.live and (timed or episode.speedup is not None):
        raise RecordError(
            f"no live device, yet {', '.join(timed) or 'the episode'} claims a measured effect; "
            "mark it 'estimated'."
        )


def to_json(episode: Episode) -> str:
    """The record file's text; equal episodes give equal text."""
    document = {"schema": SCHEMA, "episode": _document(episode)}
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _document(episode: Episode) -> dict[str, Any]:
    """Its fields; a task that is not there is not mentioned, so that older records keep their ids."""
    return {name: value for name, value in asdict(episode).items() if name != "task" or value is not None}


def from_json(text: str, name: str = "record") -> Episode:
    """Read a record file back; fields of later kbgen versions are ignored, a later schema is refused."""
    try:
        file = _File.model_validate_json(text)
    except ValidationError as error:
        raise RecordError(f"{name} is damaged: {_first(error)}; restore it or remove it.") from None
    if file.schema_ != SCHEMA:
        raise RecordError(
            f"{name} has schema {file.schema_!r}, expected {SCHEMA!r}; update kbgen to read it."
        )
    return file.episode


def record_id(episode: Episode) -> str:
    """Time then content hash, so that records sort by age and the same episode has one id."""
    stamp = _when(episode).astimezone(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    return f"{stamp}-{hashlib.sha256(to_json(episode).encode()).hexdigest()[:16]}"


def _when(episode: Episode) -> datetime:
    try:
        stamp = datetime.fromisoformat(episode.created.replace("Z", "+00:00"))
    except ValueError:
        stamp = None
    if stamp is None or stamp.tzinfo is None:
        raise RecordError(
            f"created is {episode.created!r}, expected ISO 8601 with its offset, "
            "such as 2026-01-31T12:00:00+00:00."
        )
    return stamp


def _first(error: ValidationError) -> str:
    detail = error.errors()[0]
    where = ".".join(str(part) for part in detail["loc"])
    return f"{where}: {detail['msg']}" if where else detail["msg"]
