"""Which writer a name stands for."""

from __future__ import annotations

from ... import KbgenError
from .synth.writer import SynthWriter
from .writer import Writer


class UnknownWriterError(KbgenError):
    """No writer has that name."""


def choose_writer(name: str) -> Writer:
    if name == SynthWriter.name:
        return SynthWriter()
    raise UnknownWriterError(
        f"--writer {name} is not a writer kbgen has; the writers are: {SynthWriter.name}."
    )
