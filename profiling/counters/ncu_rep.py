"""Reads Nsight Compute's own report (.ncu-rep) through NVIDIA's ncu_report package, or through ncu itself."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from . import ncu_csv, nvidia
from .draft import Draft, Drafts
from .ncu_rules import remark
from .ncu_tool import export_line, find_tool
from .record import CounterReport, Remark
from .textfile import UnreadableProfileError

_MAGIC = "NVR\x00"
_EXPORT = "--csv --page raw --print-units base"
_KINDS: Mapping[int, str] = {1: "INF", 2: "OPT", 3: "WRN"}  # ncu_report.IFrontend's message types
_SCOPES: Mapping[int, str] = {1: "local", 2: "global"}
_IMPORT_S = 300
_ATTRIBUTES = (
    "device__attribute_display_name",
    "device__attribute_compute_capability_major",
    "device__attribute_compute_capability_minor",
    *(f"launch__{what}_dim_{axis}" for what in ("grid", "block") for axis in "xyz"),
)


class Metric(Protocol):
    """What ncu_report says of one metric of one launch."""

    def value(self) -> float | int | str | None: ...
    def unit(self) -> str: ...


class Action(Protocol):
    """What ncu_report calls one profiled launch."""

    def name(self, base: int = ...) -> str: ...
    def metric_names(self) -> Iterable[str]: ...
    def metric_by_name(self, name: str) -> Metric | None: ...
    def rule_results_as_dicts(self) -> Iterable[Mapping[str, Any]]: ...


def recognises(path: Path, head: str) -> bool:
    """Whether the file begins as a report does, or is named like one of the first years."""
    named = path.suffix in (".ncu-rep", ".ncu-repz", ".nsight-cuprof-report")
    return head.startswith(_MAGIC) or (named and "\x00" in head)


def read(path: Path) -> CounterReport:
    """Raises UnreadableProfileError where neither the package nor the tool is here, or where it fails."""
    if (package := _package()) is not None:
        return _by_package(path, package)
    if (tool := find_tool()) is not None:
        return _by_tool(path, tool)
    raise UnreadableProfileError(
        f"{path} is an Nsight Compute report, and neither the ncu_report package (pip install ncu-report) "
        f"nor ncu is here to read it: install one, or run ncu --import {path.name} {_EXPORT} > raw.csv "
        "where ncu is and name raw.csv."
    )


def _package() -> Any:
    """NVIDIA's package, None where it is not installed or does not load here."""
    try:
        return import_module("ncu_report")
    except (ImportError, OSError):
        return None


def _by_package(path: Path, package: Any) -> CounterReport:
    try:
        report = package.load_report(str(path))
        actions = [each.action_by_idx(at) for each in _ranges(report) for at in range(each.num_actions())]
    except Exception as error:  # the package raises its own and C++'s exceptions alike
        raise UnreadableProfileError(
            f"{path} cannot be read by ncu_report ({str(error) or type(error).__name__}): it is damaged or "
            "of a newer tool; update ncu-report, or export it with the ncu that wrote it."
        ) from error
    if not actions:
        raise UnreadableProfileError(f"{path} holds no launch: ncu profiled no kernel.")
    drafts = Drafts()
    for action in actions:
        draft = drafts.open(_demangled(action))
        _fill(drafts, draft, action)
        draft.remarks.extend(_remarks(action))
    return drafts.report()


def _ranges(report: Any) -> Iterable[Any]:
    return (report.range_by_idx(at) for at in range(report.num_ranges()))


def _demangled(action: Action) -> str:
    base = getattr(action, "NameBase_DEMANGLED", None)
    return action.name() if base is None else action.name(base)


def _fill(drafts: Drafts, draft: Draft, action: Action) -> None:
    names = set(action.metric_names())
    for name in (*nvidia.wanted(), *_ATTRIBUTES):
        metric = action.metric_by_name(name) if name in names else None
        if metric is not None:
            drafts.put(draft, name, metric.unit(), metric.value())


def _remarks(action: Action) -> Iterable[Remark]:
    """What the rules said, in the words of the details page: links lose their marks."""
    for rule in action.rule_results_as_dicts():
        message, estimate = rule.get("rule_message") or {}, rule.get("speedup_estimation") or {}
        said = remark(
            str(rule.get("rule_identifier", "")),
            _KINDS.get(message.get("type", 0), ""),
            re.sub(r"@\w+:([^:@]*):([^@]*)@", _plain_link, str(message.get("message", ""))),
            float(estimate["speedup"]) if "speedup" in estimate else None,
            _SCOPES.get(estimate.get("type", 0), ""),
        )
        if said is not None:
            yield said


def _plain_link(link: re.Match[str]) -> str:
    """ "@url:Guide:https://...@" as "Guide (https://...)", "@section:Id:Shown@" as "Shown"."""
    return f"{link[1]} ({link[2]})" if link[2].startswith("http") else link[2]


def _by_tool(path: Path, tool: Path) -> CounterReport:
    with tempfile.TemporaryDirectory() as folder:
        try:
            report = ncu_csv.read(_exported(path, tool, Path(folder), "raw"))
            spoken = ncu_csv.read(_exported(path, tool, Path(folder), "details")).launches
        except UnreadableProfileError as error:
            raise UnreadableProfileError(str(error).replace(f"{folder}/", f"{path}, page ")) from error
    remarks = {launch.index: launch.remarks for launch in spoken}
    launches = (replace(launch, remarks=remarks.get(launch.index, ())) for launch in report.launches)
    return replace(report, launches=tuple(launches))


def _exported(path: Path, tool: Path, folder: Path, page: str) -> Path:
    """One page of the report as CSV; raises UnreadableProfileError with what the tool said."""
    exported = folder / f"{page}.csv"
    try:
        with exported.open("wb") as out:
            done = subprocess.run(
                export_line(tool, path, page),
                stdout=out,
                stderr=subprocess.PIPE,
                timeout=_IMPORT_S,
                check=False,
                env={**os.environ, "LC_ALL": "C"},
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnreadableProfileError(f"{path} could not be exported by {tool}: {error}.") from error
    if done.returncode:
        said = (done.stderr or exported.read_bytes()[-500:]).decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(said) if line.strip()), f"exit {done.returncode}")
        raise UnreadableProfileError(
            f"{path} could not be exported, ncu said: {last[-300:]}; a newer tool's report needs its ncu."
        )
    return exported
