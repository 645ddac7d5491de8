"""A report's kernels get advice that fits their device and origin, is bounded, and is asked for once."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from kbgen.kb import shipped
from kbgen.kb.choice import Choice
from kbgen.kb.embed import HashingEmbedder
from kbgen.kb.library import Library
from kbgen.kb.page import Page, Reference
from kbgen.kb.search import SearchResult
from kbgen.profiling.counters.record import CounterReport, Launch, Reading
from kbgen.profiling.counters.whose_device import NoDeviceError
from kbgen.retrieval import kernels
from kbgen.retrieval.kernels import KernelAdvice, advise_report

BODY = "Text.\n\n## How to see it worked\nBytes fall.\nTime too.\n"


def card(name: str, **fields: Any) -> Page:
    common: dict[str, Any] = {"families": ("any",), "addresses": ("dram_bandwidth",), "risk": "None."}
    source = Reference("A guide", "https://example.org/guide", "5.3 Memory", "13.1")
    common |= {"sources": (source,), "transform": name}
    return Page(name, "technique", name, BODY, "library", **(common | fields))


PAGES = (
    card("fuse-rows", families=("norm",), conflicts=("online-softmax",)),
    card("vector-width"),
    card("wgmma", addresses=("tensor_pipe",), vendor="nvidia", archs=("sm_90",), requires=("wgmma",)),
    card("tensor-memory", vendor="nvidia", archs=("sm_100",), requires=("tcgen05",)),
    card("online-softmax", families=("softmax",)),
    card("swizzle", vendor="amd", archs=("gfx942",)),
    card("the-call", families=("matmul",)),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shipped, "pages", lambda: ())
        patched.setattr(shipped, "corpus_hash", lambda: "none")
        choice = Choice(HashingEmbedder(), "test")
        with Library.open(tmp_path_factory.mktemp("cards") / "library", choice=choice) as library:
            for page in PAGES:
                library.add(page)
            yield library


H100 = "NVIDIA H100 80GB HBM3"
DRAM_BOUND = {"sm_pct": 20.0, "mem_pct": 82.0, "dram_pct": 82.0, "l2_pct": 41.0, "l1_pct": 15.0}


def launch(
    kernel: str, values: Mapping[str, float] = DRAM_BOUND, *, us: float = 100.0, device: str | None = H100
) -> Launch:
    found = {"duration": us * 1e3, "waves": 8.0, **values}
    readings = {key: Reading(value, key) for key, value in found.items()}
    return Launch(0, kernel, readings, (4096, 1, 1), (256, 1, 1), device, "sm_90" if device else None)


def report(*launches: Launch) -> CounterReport:
    return CounterReport("ncu", launches)


def ids(advice: KernelAdvice) -> list[str]:
    return [step.technique for step in advice.steps]


def test_a_kernel_gets_the_cards_for_its_bottleneck_within_its_device(library: Library) -> None:
    (found,) = advise_report(report(launch("summarize_rows")), library)
    assert found.spec.id == "nvidia-h100-sxm5"
    assert found.diagnosis.level == "A"
    assert found.diagnosis.primary is not None
    assert found.diagnosis.primary.cls == "dram_bandwidth"
    assert "vector-width" in ids(found)
    assert not {"tensor-memory", "swizzle"} & set(ids(found))
    assert {held.technique for held in found.withheld} >= {"tensor-memory", "swizzle"}


def test_a_technique_is_bounded_by_the_work_that_it_leaves(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = kernels.sets().model_copy(update={"same_bytes": frozenset({"vector-width"})})
    monkeypatch.setattr(kernels, "sets", lambda: marked)
    (found,) = advise_report(report(launch("rms_norm_fwd")), library)
    bounds = {step.technique: step.bound and step.bound.at_most for step in found.steps}
    assert bounds["vector-width"] == pytest.approx(100 / 82)
    assert bounds["fuse-rows"] is None  # it moves fewer bytes; how many fewer cannot be told


def test_a_family_that_the_name_tells_shuts_out_the_others(library: Library) -> None:
    (norm,) = advise_report(report(launch("rms_norm_fwd")), library)
    assert ids(norm)[0] == "fuse-rows"
    assert "online-softmax" not in ids(norm)
    (unknown,) = advise_report(report(launch("summarize_rows")), library)
    (step,) = [step for step in unknown.steps if step.technique == "online-softmax"]
    assert "the kernel's name does not say whether it is one" in step.why


def test_a_library_kernel_is_advised_on_its_call_alone(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked = kernels.sets().model_copy(update={"of_the_call_alone": frozenset({"the-call"})})
    monkeypatch.setattr(kernels, "sets", lambda: marked)
    blas, own = advise_report(
        report(launch("ampere_sgemm_128x64_nn", us=200.0), launch("my_gemm_kernel")), library
    )
    assert (blas.origin.library, ids(blas)) == ("cuBLAS", ["the-call"])
    assert own.origin.library is None
    assert "vector-width" in ids(own)
    assert "the-call" not in ids(own)


def test_kernels_held_back_alike_are_answered_by_one_search(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    search = library.search

    def counting(text: str, **rest: object) -> SearchResult:
        asked.append(text)
        return search(text, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(library, "search", counting)
    found = advise_report(report(*(launch(f"kernel_{n}", us=10.0 + n) for n in range(30))), library)
    assert len(found) == 30
    assert len(asked) == 1
    assert [one.group.kernel for one in found][:2] == ["kernel_29", "kernel_28"]


def test_a_named_device_overrules_the_report(library: Library) -> None:
    (found,) = advise_report(report(launch("k", device=None)), library, gpu="mi300x")
    assert (found.spec.id, found.remark) == ("amd-mi300x", "")
    assert "swizzle" in ids(found)
    with pytest.raises(NoDeviceError):
        advise_report(report(launch("k", device=None)), library)


def test_where_nothing_stands_out_nothing_is_advised(library: Library) -> None:
    idle = {"sm_pct": 45.0, "mem_pct": 45.0, "dram_pct": 45.0, "l2_pct": 45.0, "l1_pct": 45.0}
    (found,) = advise_report(report(launch("k", idle)), library)
    assert [one.cls for one in found.diagnosis.bottlenecks] == ["unclassified"]
    assert found.steps == ()


def test_the_matrix_pipe_tells_of_products_where_the_name_does_not(library: Library) -> None:
    (found,) = advise_report(
        report(launch("k", {"sm_pct": 75.0, "mem_pct": 30.0, "pipe_tensor": 75.0})), library
    )
    assert found.origin.family == "matmul"
    assert ids(found) == ["wgmma"]


def test_advice_names_how_to_check_it(library: Library) -> None:
    (found,) = advise_report(report(launch("rms_norm_fwd")), library)
    (step,) = [step for step in found.steps if step.technique == "fuse-rows"]
    assert (step.check, step.risk, step.conflicts) == ("Bytes fall. Time too.", "None.", ("online-softmax",))
    assert [citation.section for citation in step.citations] == ["5.3 Memory"]
