"""Reads the corpus: Markdown pages whose YAML header says what they address, where, and why to believe it."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from .. import KbgenError
from .kinds import Kind

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Vendor = Literal["nvidia", "amd"]
Family = Literal[
    "any", "pointwise", "softmax", "norm", "reduction", "rope", "matmul", "conv", "scan", "loss", "attention"
]
Bottleneck = Literal[
    "launch_overhead", "small_grid", "tail_effect", "imbalance",
    "dram_bandwidth", "l2_bandwidth", "l1_shared_bandwidth", "bank_conflict", "uncoalesced",
    "partition_crossing", "sysmem_traffic",
    "tensor_pipe", "tensor_unused", "fp32_pipe", "alu_pipe", "sfu_pipe", "fp64_pipe", "instruction_issue",
    "occupancy_regs", "occupancy_smem", "occupancy_blocks", "occupancy_warps", "occupancy_barriers",
    "memory_latency", "mio_shared_latency", "lg_throttle", "barrier", "membar_atomics", "wgmma_wait",
    "tma_underfed", "branch_divergence", "spills", "icache", "dependency",
    "near_roofline", "unclassified",
]  # fmt: skip
Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Arch = Annotated[str, Field(pattern=r"^(any|sm_\d+|gfx[0-9a-f]+)$")]
Feature = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]
Text = Annotated[str, Field(min_length=1)]


class CorpusError(KbgenError):
    """A page that cannot be read: names the page, the fault and the cure."""


@dataclass(frozen=True)
class Source:
    """Where a fact comes from: `section` within the document at `url`, as of `version`."""

    title: Text
    url: Annotated[str, Field(pattern=r"^https://\S+$")]
    section: Text
    version: Text


class Header(BaseModel):
    """The YAML header of a page; unknown keys and wrong types are refused.

    A technique must say what it addresses, what it gives in numbers, what it costs and what it risks.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    id: Id
    title: Text
    kind: Kind
    addresses: tuple[Bottleneck, ...]
    families: Annotated[tuple[Family, ...], Field(min_length=1)]
    requires: tuple[Feature, ...] = ()
    vendors: Annotated[tuple[Vendor, ...], Field(min_length=1)]
    archs: Annotated[tuple[Arch, ...], Field(min_length=1)]
    effect: str = ""
    cost: str = ""
    risk: str = ""
    conflicts: tuple[Id, ...] = ()
    transform: Id | None = None
    asks: tuple[Text, ...] = ()
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    licence: Text = "Apache-2.0"

    @model_validator(mode="after")
    def _complete(self) -> "Header":
        for name in ("addresses", "requires", "conflicts", "asks"):
            values = getattr(self, name)
            if len(set(values)) < len(values):
                raise ValueError(f"{name} repeats an entry")
        if self.kind == "technique":
            for name in ("addresses", "effect", "cost", "risk"):
                if not getattr(self, name):
                    raise ValueError(f"a technique needs '{name}'")
            if not re.search(r"\d", self.effect):
                raise ValueError("the effect of a technique is told in numbers")
        return self


@dataclass(frozen=True)
class Document:
    """One page: `body` is Markdown; `archs` are compiler targets (`sm_90`, `gfx942`) or `any` of `vendors`.

    `requires` names entries of a device's feature list that must all be present; `transform` is the id of
    the writer's transform that applies the page's technique; `asks` are questions and symptoms it answers, in
    the words of those who do not know its own; `path` is relative to the corpus.
    """

    id: str
    title: str
    kind: Kind
    addresses: tuple[str, ...]
    families: tuple[str, ...]
    requires: tuple[str, ...]
    vendors: tuple[str, ...]
    archs: tuple[str, ...]
    effect: str
    cost: str
    risk: str
    conflicts: tuple[str, ...]
    transform: str | None
    asks: tuple[str, ...]
    sources: tuple[Source, ...]
    licence: str
    body: str
    path: str


def parse(text: str, path: str) -> Document:
    """Split a page into header and body; `path` is used in errors and kept in the document."""
    match = re.match(r"---\r?\n(.*?\n)---[ \t]*\r?\n(.*)", text, re.DOTALL)
    if match is None:
        raise CorpusError(
            f"{path}: no YAML header found; start the page with '---', the header fields, '---'."
        )
    body = match[2].strip()
    if not body:
        raise CorpusError(
            f"{path}: the page has a header but no body; write the text below the second '---'."
        )
    header = _header(match[1], path)
    return Document(**{name: getattr(header, name) for name in Header.model_fields}, body=body, path=path)


def read(path: Path) -> Document:
    """Read one page from a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise CorpusError(
            f"{path}: cannot be read ({error.strerror}); check the path and its permissions."
        ) from None
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: byte {error.start} is not UTF-8; save the page as UTF-8.") from None
    return parse(text, str(path))


@lru_cache(maxsize=1)
def shipped() -> tuple[Document, ...]:
    """All pages that come with the package, ordered by id."""
    pages = [parse(text, path) for path, text in _walk(files("kbgen.corpus"), "")]
    by_id: dict[str, Document] = {}
    for page in pages:
        if page.id in by_id:
            raise CorpusError(
                f"{page.path}: id '{page.id}' is taken by {by_id[page.id].path}; choose another id."
            )
        by_id[page.id] = page
    return tuple(by_id[page_id] for page_id in sorted(by_id))


def _walk(folder: "Traversable", prefix: str) -> list[tuple[str, str]]:
    """Path and text of every Markdown file below `folder`."""
    found: list[tuple[str, str]] = []
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.is_dir():
            found += _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".md"):
            found.append((prefix + entry.name, entry.read_text(encoding="utf-8")))
    return found


def _header(text: str, path: str) -> Header:
    """Validate the header, as JSON because strict mode takes a list for a tuple only there."""
    try:
        fields: Any = yaml.load(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" at line {where.line + 2}" if where else ""
        raise CorpusError(
            f"{path}: the header is not valid YAML{line}; quote values that hold ': ' or '#'."
        ) from None
    try:
        return Header.model_validate_json(json.dumps(fields, default=str))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "header"
        if first["type"] == "value_error":  # a rule over several fields: `_complete` says it in full
            raise CorpusError(f"{path}: {first['ctx']['error']}; correct the header.") from None
        found = "" if first["type"] == "missing" else f" (found {str(first['input'])[:60]!r})"
        raise CorpusError(
            f"{path}: header field '{where}': {first['msg']}{found}; correct the header."
        ) from None
