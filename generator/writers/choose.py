"""Which writer a name stands for."""

from __future__ import annotations

from pathlib import Path

from ... import KbgenError
from ..job import Asking
from .files import FilesWriter
from .llm.settings import PROVIDERS, endpoint
from .llm.writer import LLMWriter
from .synth.writer import SynthWriter
from .writer import Writer

WRITERS = "synth, files:DIR, openai:MODEL, anthropic:MODEL, ollama:MODEL, and synth+openai:MODEL and so on"


class UnknownWriterError(KbgenError):
    """No writer has that name."""


class NothingToResumeError(KbgenError):
    """A writer that pays for nothing keeps no journal."""


def choose_writer(name: str, asking: Asking | None = None, out: Path = Path("kbgen-out")) -> Writer:
    """The writer; one that answers is asked as `asking` says and keeps its journal under `out`."""
    kind, _, rest = name.partition(":")
    provider = kind.removeprefix("synth+")
    if asking and asking.resume and provider not in PROVIDERS:
        raise NothingToResumeError(
            f"--resume goes on with a model's run; --writer {name} is run again instead."
        )
    if name == SynthWriter.name:
        return SynthWriter()
    if kind == "files" and rest:
        return FilesWriter(Path(rest))
    if provider in PROVIDERS and rest:
        seeded = provider != kind
        return LLMWriter(endpoint(f"{provider}:{rest}"), asking or Asking(), out, seeded=seeded)
    raise UnknownWriterError(f"--writer {name} is not a writer kbgen has; the writers are: {WRITERS}.")
