"""The care of a library: one function per `kbgen library` command does its work and gives its document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ... import KbgenError

if TYPE_CHECKING:
    from pathlib import Path

    from ...kb.library import Library
    from ..training_forms import Format
    from .bar import Count

Document = dict[str, Any]
LISTED = ("id", "kind", "title", "origin", "vendor", "archs", "version", "superseded_by")


class NotInLibraryError(KbgenError):
    """A name that nothing in the library has."""


class NotRemovableError(KbgenError):
    """A page or a record that is not the user's to remove."""


def status(library: Library) -> Document:
    """Counts per kind, embedder, index health and size."""
    found = library.status()
    return {"library_schema" if name == "schema" else name: value for name, value in found.items()}


def listing(library: Library, kind: str | None) -> Document:
    """Documents and records by id."""
    records = [
        {
            "id": name,
            "op": episode.op_name,
            "family": episode.family,
            "device": episode.device_id,
            "status": episode.status,
            "created": episode.created,
        }
        for name, episode in library.records().items()
        if kind is None
    ]
    kept = [{"id": name, **vars(entry)} for name, entry in library.quarantine.entries().items()]
    return {
        "documents": [{name: getattr(page, name) for name in LISTED} for page in library.pages(kind)],
        "records": records,
        "quarantined": kept,
    }


def show(library: Library, name: str) -> Document:
    """One document or record, whole."""
    page, episode = library.page(name), library.episode(name)
    if page is None and episode is None:
        raise _unknown(library, name)
    kept = library.quarantine.entries().get(name)
    return {
        **({"quarantined": kept} if kept else {}),
        **({"document": page} if page else {"record": episode}),
    }


def why(library: Library, name: str) -> Document:
    """Why a technique is advised: its sources and every outcome it had."""
    page, trials = library.page(name), library.graph().trials(name)
    if page is None and not trials:
        raise _unknown(library, name)
    outcomes = [
        {
            "record": trial.episode_id,
            "op": trial.episode.op_name,
            "device": trial.episode.device_id,
            "outcome": trial.step.outcome,
            "evidence": trial.step.evidence,
            "effect": trial.step.effect,
            "reason": trial.step.reason,
        }
        for trial in trials
    ]
    about = {"title": page.title, "effect": page.effect, "risk": page.risk} if page else {}
    return {"technique": name, **about, "sources": page.sources if page else [], "outcomes": outcomes}


def verify(library: Library) -> Document:
    """Read every file and vector, and name the faults; changes no document."""
    faults = [{"where": where, "fault": fault} for where, fault in library.verify().items()]
    return {"ok": not faults, "faults": faults}


def rebuild(library: Library, watch: Count) -> Document:
    """Derive the whole index from the files again; texts embedded before keep their vectors."""
    library.rebuild(watch)
    return status(library)


def remove(library: Library, name: str) -> Document:
    """Remove one of the library's own documents."""
    page = library.page(name)
    if page is not None and page.origin != "library":
        raise NotRemovableError(
            f"{name!r} is shipped with kbgen; only documents you ingested can be removed."
        )
    if name in library.records():
        raise NotRemovableError(f"{name!r} is a record, and records stay; only documents can be removed.")
    library.remove(name)
    return {"removed": name}


def quarantine(library: Library, name: str | None, reason: str, release: bool) -> Document:
    """Keep a document or record apart: on disk, but neither found nor counted. Without ID: list those."""
    entries = library.quarantine.entries()
    if name is not None and release:
        if name not in entries:
            raise NotInLibraryError(f"{name!r} is not in quarantine; without ID the command lists what is.")
        library.quarantine.release(name)
    elif name is not None:
        if library.page(name) is None and name not in library.records() and name not in entries:
            raise _unknown(library, name)
        library.quarantine.put(name, reason)
    return {"quarantined": [{"id": key, **vars(kept)} for key, kept in library.quarantine.entries().items()]}


def export(library: Library, out: Path, form: str, ops: Path | None, licence: str, margin: float) -> Document:
    """Write own documents and records to a zip file that 'import' takes in elsewhere; or, with --format, what
    the records prove as data that models are trained on: verified kernels, fast and slow ones in pairs, or
    KernelBench's folders. Records that may not be passed on are left out and counted."""
    if form == "library":
        from ...kb.archive import export as write

        return {"path": str(out), "entries": write(library, out)}
    from ..training import export as write_data

    made = write_data(library, out, cast("Format", form), ops=ops, licence=licence, margin=margin)
    return made.to_json()


def take_in(library: Library, file: Path) -> Document:
    """Take in an export; every entry is checked, and what is wrong is refused with its reason."""
    from ...kb.archive import load

    taken = load(library, file)
    refused = [{"entry": name, "reason": reason} for name, reason in taken.refused.items()]
    return {"added": taken.added, "unchanged": taken.unchanged, "refused": refused}


def _unknown(library: Library, name: str) -> NotInLibraryError:
    return NotInLibraryError(
        f"nothing in {library.root} is called {name!r}; `kbgen library list` gives the names."
    )
