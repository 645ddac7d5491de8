"""A library of a few hand-made cards, and a diagnosis to advise on."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from kbgen.kb import shipped
from kbgen.kb.choice import Choice
from kbgen.kb.embed import HashingEmbedder
from kbgen.kb.library import Library
from kbgen.kb.page import Page, Reference
from kbgen.kb.records import Episode, EpisodeStep
from kbgen.profiling.classify import Bottleneck, Diagnosis
from kbgen.profiling.trace import TracedOp
from kbgen.retrieval.advise import toolchain_here

SOURCE = Reference("A guide", "https://example.org/guide", "5.3 Memory", "13.1")


def card(page_id: str, body: str, **fields: object) -> Page:
    defaults: dict[str, object] = {
        "kind": "technique", "title": page_id.replace("-", " "), "origin": "library", "sources": (SOURCE,),
        "families": ("any",), "transform": page_id,
    }  # fmt: skip
    return Page(id=page_id, body=body, **{**defaults, **fields})


DRAM = ("dram_bandwidth",)
HOPPER = {"vendor": "nvidia", "archs": ("sm_90",), "requires": ("wgmma",)}
BLACKWELL = {"vendor": "nvidia", "archs": ("sm_100",), "requires": ("tcgen05",)}
AMPERE = {"vendor": "nvidia", "archs": ("sm_80",), "requires": ("cp_async",)}
CARDS = (
    card("fuse-rows", "One program reads a row once.", addresses=DRAM, families=("norm",)),
    card("vector-width", "128 bit loads raise DRAM bandwidth.", addresses=(*DRAM, "uncoalesced")),
    card("split-rows", "Few long rows leave units idle: split them.", addresses=("small_grid",)),
    card("wgmma", "Warpgroup products.", addresses=("tensor_pipe", *DRAM), **HOPPER),
    card("tensor-memory", "tcgen05 accumulates in tensor memory.", addresses=DRAM, **BLACKWELL),
    card("old-trick", "cp.async hides latency.", addresses=DRAM, **AMPERE),
    card("online-softmax", "Running maximum.", addresses=DRAM, families=("softmax",)),
    card("swizzle", "Chiplet-aware order.", addresses=DRAM, vendor="amd", archs=("gfx942",)),
    card("read-me", "Persistence of L2 lines, by hand.", addresses=DRAM, transform=None),
)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(shipped, "pages", lambda: ())
    monkeypatch.setattr(shipped, "corpus_hash", lambda: "none")
    library = Library.open(tmp_path / "library", choice=Choice(HashingEmbedder(), "test"))
    for page in CARDS:
        library.add(page)
    return library


@pytest.fixture
def diagnosis() -> Diagnosis:
    remedies = ("fuse", "128-bit loads")
    found = (
        Bottleneck("dram_bandwidth", "high", "dram_bandwidth (high): ...", "timing", remedies=remedies),
        Bottleneck("small_grid", "low", "small_grid (low): ...", "graph", remedies=("split the reduction",)),
    )
    return Diagnosis(found, (), None, "B")


@pytest.fixture
def traced() -> TracedOp:
    op = SimpleNamespace(family="norm", op_kinds=("other", "pointwise", "reduction"), dtypes=("bfloat16",))
    return cast(TracedOp, op)


@pytest.fixture
def make_episode() -> Callable[..., Episode]:
    triton, torch = (part.split()[1] for part in toolchain_here().split(", "))

    def make(technique: str, outcome: str, **fields: object) -> Episode:
        step = {"effect": None, "evidence": "measured", "reason": ""}
        step |= {key: fields.pop(key) for key in list(fields) if key in step}
        defaults: dict[str, object] = {
            "op_name": "rmsnorm", "family": "norm", "fingerprint": "f", "device_id": "nvidia-h100-sxm5",
            "arch": "sm_90", "vendor": "nvidia", "live": True, "driver": "580", "torch_version": f"{torch}.0",
            "triton_version": f"{triton}.1", "kbgen_version": "0", "precision": "fp32", "status": "no-win",
            "verified": True, "speedup": None, "source": "", "created": "2026-01-31T12:00:00+00:00",
            "steps": (EpisodeStep(technique, technique, None, outcome, **step),),
        }  # fmt: skip
        return Episode(**{**defaults, **fields})

    return make
