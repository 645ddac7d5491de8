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

WRITERS = "synth, files:DIR, openai:MODEL, anthropic:MODEL, ollama:MODEL"


class UnknownWriterError(KbgenError):
    """No writer has that name."""


def choose_writer(name: str, asking: Asking | None = None, out: Path = Path("kbgen-out")) -> Writer:
    """The writer; one that answers is asked as `asking` says and keeps its journal under `out`."""
    kind, _, rest = name.partition(":")
    if name == SynthWriter.name:
        return SynthWriter()
    if kind == "files" and rest:
        return FilesWriter(Path(rest))
    if kind in PROVIDERS and rest:
        return LLMWriter(endpoint(name), asking or Asking(), out)
    raise UnknownWriterError(f"--writer {name} is not a writer kbgen has; the writers are: {WRITERS}.")
