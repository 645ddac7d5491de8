"""Advice is cited, true to the architecture, moved by past outcomes, and the same every time."""

import re
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from random import Random

import pytest

from kbgen.hardware_specs.spec import DeviceSpec, all_specs, find_spec
from kbgen.kb import shipped
from kbgen.kb.choice import Choice
from kbgen.kb.embed import HashingEmbedder
from kbgen.kb.library import Library
from kbgen.kb.records import Episode
from kbgen.profiling.classify import Diagnosis
from kbgen.profiling.trace import TracedOp
from kbgen.retrieval.advise import Advice, advise
from kbgen.retrieval.past import WEIGHT
from kbgen.retrieval.query import ask

TRANSFORMS = ("fuse-rows", "vector-width", "split-rows", "wgmma", "tensor-memory", "old-trick", "swizzle")
MakeEpisode = Callable[..., Episode]
Ask = Callable[..., Advice]


@pytest.fixture
def on(library: Library, diagnosis: Diagnosis, traced: TracedOp) -> Ask:
    """Advice on a device by name."""
    return lambda device="h100": advise(diagnosis, traced, find_spec(device), library, TRANSFORMS)


def order(advice: Advice) -> list[str]:
    return [step.technique for step in advice.steps]


def score(advice: Advice, technique: str) -> float:
    (step,) = [step for step in advice.steps if step.technique == technique]
    return step.score


def test_the_card_for_the_primary_bottleneck_and_the_family_leads(on: Ask) -> None:
    advice = on()
    assert order(advice)[0] == "fuse-rows"
    assert "addresses dram_bandwidth, the primary bottleneck (high) (+1.00)" in advice.steps[0].why
    assert "made for norm (+0.40)" in advice.steps[0].why
    assert advice.mode == "hybrid"


def test_points_told_add_up_to_the_score(on: Ask) -> None:
    for step in on().steps:
        points = [float(told) for told in re.findall(r"\(([+-]\d\.\d\d)\)", step.why)]
        assert len(points) >= 2
        assert sum(points) == pytest.approx(step.score, abs=0.02)


def test_every_step_cites_a_source_and_a_passage_that_exists(on: Ask, library: Library) -> None:
    for step in on().steps:
        (citation,) = step.citations
        assert citation.source == "https://example.org/guide"
        assert (citation.section, citation.version) == ("5.3 Memory", "13.1")
        assert citation.passage_id in {passage.id for passage in library.passages(step.technique)}


@pytest.mark.parametrize(
    ("device", "present", "absent"),
    [
        ("h100", {"wgmma", "old-trick"}, {"tensor-memory", "swizzle"}),
        ("b200", {"tensor-memory", "old-trick"}, {"wgmma", "swizzle"}),
        ("rtx5090", {"old-trick"}, {"wgmma", "tensor-memory", "swizzle"}),
        ("mi300x", {"swizzle"}, {"wgmma", "tensor-memory", "old-trick"}),
    ],
)
def test_only_what_the_device_can_run_is_advised(
    on: Ask, device: str, present: set[str], absent: set[str]
) -> None:
    advice = on(device)
    assert present <= set(order(advice))
    assert not absent & {*order(advice), *(step.technique for step in advice.reading)}
    assert absent <= {one.technique for one in advice.withheld}


def test_a_fallback_to_an_older_target_is_labelled(on: Ask) -> None:
    (step,) = [step for step in on("rtx4090").steps if step.technique == "old-trick"]
    assert "written for sm_80, an older target whose code holds on sm_89" in step.why


def test_another_familys_card_is_withheld_with_the_reason(on: Ask) -> None:
    (one,) = [one for one in on().withheld if one.technique == "online-softmax"]
    assert one.reason == "is for softmax; this operator is norm"


def test_what_the_writer_cannot_apply_is_reading(
    library: Library, diagnosis: Diagnosis, traced: TracedOp
) -> None:
    advice = advise(diagnosis, traced, find_spec("h100"), library, ["vector-width"])
    assert order(advice) == ["vector-width"]
    assert {"read-me", "fuse-rows"} <= {step.technique for step in advice.reading}
    assert all(step.transform == "" for step in advice.reading)


def test_what_was_proven_here_rises_and_says_so(on: Ask, library: Library, make_episode: MakeEpisode) -> None:
    before = on()
    for i in range(3):
        library.record(make_episode("split-rows", "helped", effect=1.5, op_name=f"op{i}"))
    after = on()
    assert order(before)[0] == "fuse-rows"
    assert order(after)[0] == "split-rows"
    assert "tried here: norm on sm_90" in after.steps[0].why
    assert "3 helped, median 1.50x measured" in after.steps[0].why
    assert after.steps[0].outcomes[0].here


@pytest.mark.parametrize("outcome", ["hurt", "failed", "rejected"])
def test_what_went_wrong_here_falls_and_keeps_its_reason(
    on: Ask, library: Library, make_episode: MakeEpisode, outcome: str
) -> None:
    before = score(on(), "fuse-rows")
    library.record(make_episode("fuse-rows", outcome, reason="spills 128 bytes"))
    after = on()
    assert score(after, "fuse-rows") < before - 0.3
    (step,) = [step for step in after.steps if step.technique == "fuse-rows"]
    assert "spills 128 bytes" in step.why


def test_a_trial_recorded_under_the_transforms_name_counts(
    on: Ask, library: Library, make_episode: MakeEpisode
) -> None:
    (card,) = [page for page in library.pages() if page.id == "split-rows"]
    library.add(replace(card, id="split-card"))
    library.remove("split-rows")
    before = score(on(), "split-card")
    library.record(make_episode("split-rows", "helped", effect=1.5))
    assert score(on(), "split-card") > before + 0.5


@pytest.mark.parametrize("fields", [{"arch": "gfx942", "vendor": "amd"}, {"family": "softmax"}])
def test_what_happened_elsewhere_is_told_but_moves_nothing(
    on: Ask, library: Library, make_episode: MakeEpisode, fields: dict[str, str]
) -> None:
    before = on()
    library.record(make_episode("split-rows", "helped", effect=3.0, **fields))
    library.record(make_episode("fuse-rows", "failed", reason="races", **fields))
    after = on()
    assert [(step.technique, step.score) for step in after.steps] == [
        (step.technique, step.score) for step in before.steps
    ]
    (step,) = [step for step in after.steps if step.technique == "fuse-rows"]
    assert "tried elsewhere" in step.why
    assert not step.outcomes[0].here


def test_measured_here_with_this_toolchain_weighs_most(
    on: Ask, library: Library, make_episode: MakeEpisode
) -> None:
    base = on()
    library.record(make_episode("fuse-rows", "helped", effect=1.2))
    library.record(make_episode("vector-width", "helped", evidence="estimated"))
    library.record(make_episode("split-rows", "helped", effect=1.2, triton_version="2.0.0"))
    library.record(make_episode("old-trick", "helped", effect=1.2, bottlenecks=("spills",)))
    gain = {name: score(on(), name) - score(base, name) for name in order(base)}
    assert gain["fuse-rows"] > gain["split-rows"] > 0
    assert gain["fuse-rows"] > gain["vector-width"] > 0
    assert gain["fuse-rows"] > gain["old-trick"] > 0


def test_no_number_of_outcomes_gives_more_than_the_weight(
    on: Ask, library: Library, make_episode: MakeEpisode
) -> None:
    before = score(on(), "fuse-rows")
    for i in range(60):
        library.record(make_episode("fuse-rows", "failed", op_name=f"op{i}"))
    assert before - WEIGHT < score(on(), "fuse-rows") < before - 0.95 * WEIGHT


def test_advice_is_the_same_every_time_and_from_every_copy(
    on: Ask,
    library: Library,
    make_episode: MakeEpisode,
    diagnosis: Diagnosis,
    traced: TracedOp,
    tmp_path: object,
) -> None:
    episodes = [make_episode(name, "helped", op_name=str(i)) for i in range(3) for name in TRANSFORMS]
    for episode in episodes:
        library.record(episode)
    first = on()
    assert asdict(on()) == asdict(first)
    copy = Library.open(f"{tmp_path}/copy", choice=Choice(HashingEmbedder(), "test"))
    shuffler = Random(3)
    pages = list(library.pages())
    for items, keep in ((pages, copy.add), (episodes, copy.record)):
        shuffler.shuffle(items)
        for item in items:
            keep(item)
        copy.search("half-way")  # another history of the index
    assert asdict(advise(diagnosis, traced, find_spec("h100"), copy, TRANSFORMS)) == asdict(first)


def test_without_an_embedder_the_advice_is_lexical_and_still_cited(
    library: Library, diagnosis: Diagnosis, traced: TracedOp
) -> None:
    lexical = Library.open(library.root, choice=Choice(None, "lexical only: test"))
    advice = advise(diagnosis, traced, find_spec("h100"), lexical, TRANSFORMS)
    assert (advice.mode, advice.note) == ("lexical", "lexical only: test")
    assert {"fuse-rows", "vector-width", "split-rows"} <= set(order(advice))
    assert all(step.citations[0].passage_id for step in advice.steps)


def test_no_bottleneck_still_gives_an_order(library: Library, traced: TracedOp) -> None:
    advice = advise(Diagnosis((), (), None, "D"), traced, find_spec("h100"), library, TRANSFORMS)
    assert order(advice)[0] == "fuse-rows"
    assert advice.withheld == ()


def test_the_question_holds_bottlenecks_remedies_and_device(diagnosis: Diagnosis, traced: TracedOp) -> None:
    question = ask(diagnosis, traced, find_spec("h100"))
    assert question.text == (
        "dram_bandwidth: fuse, 128-bit loads. small_grid: split the reduction. "
        "norm operator: pointwise reduction. bfloat16 on H100 SXM5 80GB hopper sm_90"
    )
    assert question.bottlenecks == (("dram_bandwidth", "high"), ("small_grid", "low"))
    assert question.archs == ("sm_90", "sm_80", "sm_75", "sm_70")


@pytest.fixture(scope="module")
def shipped_library(indexed_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Library:
    root = shutil.copytree(indexed_library, tmp_path_factory.mktemp("shipped") / "library")
    return Library.open(root, choice=Choice(HashingEmbedder(), "test"))


@pytest.mark.parametrize("spec", all_specs(), ids=lambda spec: spec.id)
def test_the_shipped_corpus_gives_cited_steps_on_every_device(
    spec: DeviceSpec, shipped_library: Library, diagnosis: Diagnosis, traced: TracedOp
) -> None:
    transforms = [page.transform for page in shipped.pages() if page.transform]
    advice = advise(diagnosis, traced, spec, shipped_library, transforms)
    assert len(advice.steps) >= 5
    assert "dram_bandwidth" in advice.steps[0].why
    assert all(step.citations and step.citations[0].source.startswith("https://") for step in advice.steps)
