"""The resources of the server: what can be read by its address, from passages to the guide for agents."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

from ... import KbgenError
from . import asked
from .jobs import Jobs
from .reading import Reader, device_sheet

LISTED = {
    "kbgen://guide": ("guide", "How to work with these tools: which one when, the loop, what verdicts mean."),
    "kbgen://specs": ("specs", "Every device that kbgen knows."),
    "kbgen://records": ("records", "The records of this library: what was tried on which op and device."),
}
TEMPLATES = {
    "kbgen://passage/{id}": (
        "passage",
        "A passage of the knowledge base with its sources, by a search's id.",
    ),
    "kbgen://record/{id}": (
        "record",
        "Every step of one run, helped or not, and the kernel that came of it.",
    ),
    "kbgen://specs/{name}": ("device", "One device: every number with its source."),
    "kbgen://job/{id}": ("job", "The whole document that a job ended in, nothing left out."),
}
GUIDE_TYPE, DOCUMENT_TYPE = "text/markdown", "application/json"
_ADDRESS = re.compile(r"kbgen://(?P<kind>[a-z]+)(?:/(?P<name>[\w.:+-]{1,160}))?")


class AddressError(KbgenError):
    """An address that leads to no resource."""


async def read(uri: str, reader: Reader, jobs: Jobs) -> tuple[str, str]:
    """The text of a resource and its media type; KbgenError where there is none."""
    found = _ADDRESS.fullmatch(uri)
    kind, name = (found["kind"], found["name"]) if found else ("", None)
    if (kind, name) == ("guide", None):
        return guide(), GUIDE_TYPE
    return json.dumps(await _document(uri, kind, name, reader, jobs), ensure_ascii=False), DOCUMENT_TYPE


async def _document(uri: str, kind: str, name: str | None, reader: Reader, jobs: Jobs) -> dict[str, Any]:
    match kind, name:
        case "specs", None:
            return await reader.specs(asked.Specs(name=None))
        case "records", None:
            return await reader.records()
        case "passage", str():
            return await reader.passage(name)
        case "record", str():
            return await reader.record(name)
        case "specs", str():
            return device_sheet(name)
        case "job", str():
            document = jobs.document(jobs.find(name))
            if document is None:
                raise AddressError(f"job {name!r} has no document; the job tool says how it stands.")
            return document
    there = ", ".join((*LISTED, *TEMPLATES))
    raise AddressError(f"nothing is at {uri[:120]!r}; there are {there}.")


def guide() -> str:
    """The guide for agents, header and all."""
    return files("kbgen.generator.mcp").joinpath("SKILL.md").read_text(encoding="utf-8")
