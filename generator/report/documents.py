"""Turns what the rooms give into the documents that the command line promises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...hardware_specs.device import DeviceSpec
    from ...kb.ingest import Report
    from ...profiling.calibration import Calibration
    from ...profiling.classify import Bottleneck, Diagnosis
    from ...profiling.doctor import Check
    from ...retrieval.find import Answer


Document = dict[str, Any]
LISTED_RATES = ("fp32", "tensor_tf32", "tensor_bf16", "tensor_fp8")


def specs_document(specs: Iterable[DeviceSpec]) -> Document:
    """One row per device: what tells them apart."""
    return {
        "devices": [
            {
                "id": spec.id,
                "name": spec.name,
                "target": spec.target,
                "units": spec.unit_count,
                "memory_gb": spec.memory_gb,
                "dram_gb_s": spec.dram_gb_s,
                **{f"{rate}_tflops": spec.peak_tflops.get(rate) for rate in LISTED_RATES},
            }
            for spec in specs
        ]
    }


def spec_document(spec: DeviceSpec) -> Document:
    """One device: the neutral properties, then the vendor's own sheet with the sources of each section."""
    from ...hardware_specs.spec import sources

    sheet = spec.sheet.model_dump(mode="json", by_alias=True, exclude_none=True)
    used = sorted(set(_source_keys(sheet)))
    neutral = {field.name: getattr(spec, field.name) for field in fields(spec) if field.name != "sheet"}
    return {
        **neutral,
        "arch": spec.arch,
        "sheet": sheet,
        "sources": {key: sources()[key].model_dump(mode="json", exclude_none=True) for key in used},
    }


def _source_keys(value: Any) -> Iterator[str]:
    """Every key in a `sources` list, at any depth."""
    if isinstance(value, Mapping):
        yield from value.get("sources", ())
        for item in value.values():
            yield from _source_keys(item)


def devices_document() -> Document:
    """The card in this machine beside its sheet, or why there is none that kbgen can use."""
    from ...profiling.device import DeviceError
    from ...profiling.devices import survey

    try:
        return {"devices": [survey().to_json()], "reason": ""}
    except DeviceError as error:
        return {"devices": [], "reason": str(error)}


def calibration_document(found: Calibration, spec: DeviceSpec) -> Document:
    """What was measured of the card here, beside its sheet."""
    from ...profiling.calibration import compare

    return {**found.to_json(), "label": found.label, "compared": compare(found, spec)}


def doctor_document(checks: Iterable[Check]) -> Document:
    """Each check with its status in a word."""
    shown = ("name", "status", "found", "cure")
    return {"checks": [{name: getattr(check, name) for name in shown} for check in checks]}


def search_document(answer: Answer) -> Document:
    """The hits, how they were found, and what the query was taken for."""
    found = answer.result
    results = [{field.name: getattr(hit, field.name) for field in fields(hit)} for hit in found.hits]
    return {
        "mode": found.mode,
        "note": found.note,
        "asked_as": answer.asked.form,
        "query": answer.asked.text,
        "archs": answer.archs,
        "results": results,
    }


def ingest_document(report: Report) -> Document:
    """What became of every document; of a new release, its sections beside the old one's."""
    by_status = {
        status: [taken.source for taken in report.of(status)]
        for status in ("added", "changed", "unchanged", "duplicate")
    }
    kept = ("source", "page_id", "status", "supersedes", "changes", "flags")
    return {
        **by_status,
        "repeats": [{"path": taken.source, "reason": taken.reason} for taken in report.of("duplicate")],
        "refused": [{"path": taken.source, "reason": taken.reason} for taken in report.of("refused")],
        "documents": [
            {name: getattr(taken, name) for name in kept}
            for taken in report.taken
            if taken.status in ("added", "changed") or taken.flags
        ],
    }


def diagnosis_document(diagnosis: Diagnosis) -> Document:
    """What holds the subject back, what cannot be told, and where it stands under the roofline."""
    return {
        "level": diagnosis.level,
        "bottlenecks": [_bottleneck(found) for found in diagnosis.bottlenecks],
        "undecided": diagnosis.undecided,
        "roofline": diagnosis.roofline,
    }


def _bottleneck(found: Bottleneck) -> Document:
    return {
        "class": found.cls,
        "confidence": found.confidence,
        "evidence": found.evidence,
        "kernel": found.kernel,
    }
