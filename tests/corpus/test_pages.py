"""Pages about bottlenecks, metrics and how-tos: whole, true to the vocabulary, and found by a search."""

import ast
import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from kbgen.corpus.document import Bottleneck, Document, shipped
from kbgen.kb.blocks import estimated_tokens, lift_fences, read_blocks
from kbgen.kb.choice import Choice
from kbgen.kb.library import Library
from kbgen.profiling.rules import rule_book

FOLDERS = {
    "architectures": "architecture",
    "bottlenecks": "bottleneck",
    "metrics": "metric",
    "howto": "howto",
    "numerics": "numerics",
}
PAGES = [page for page in shipped() if page.path.split("/")[0] in FOLDERS]
BOTTLENECKS = [page for page in PAGES if page.kind == "bottleneck"]
METRIC_PAGES = [page for page in PAGES if page.kind == "metric"]
SECTIONS = ["What it is", "How it shows", "What it is confused with", "Try first", "When to stop"]
MODEL_TOKENS = 250  # the embedding model reads 256 tokens, its headings among them
METRIC_MAP = Path(__file__).parents[3] / "shared" / "data" / "metrics_nvidia.yaml"
# Hardware names that pages need beside those of the map; each is bound to chips and said so where it stands.
BESIDE_THE_MAP = {
    "lts__t_sectors_srcunit_ltcfabric",
    "lts__t_sectors_aperture_sysmem",
    "sm__inst_executed_pipe_tensor_op_gmma",
    "sm__pipe_tensor_op_hmma_cycles_active",
    "dram__bytes_op_read",
    "dram__bytes_op_write",
}


def metric_entries() -> dict[str, str]:
    """Metric name -> the text under its heading; a heading may give several names of one metric."""
    found = {}
    for page in METRIC_PAGES:
        for heading, text in re.findall(r"^### (.+)\n((?:(?!#).*\n?)*)", page.body, re.MULTILINE):
            for name in re.findall(r"`([a-z0-9_]+)`", heading):
                assert name not in found, f"{name} is told twice"
                found[name] = text
    return found


ENTRIES = metric_entries()


def metric_map() -> dict:
    if not METRIC_MAP.exists():
        pytest.skip("the metric map is not beside this checkout")
    return yaml.safe_load(METRIC_MAP.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("pages") / "library", choice=Choice(None, "words only"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_a_page_lies_in_the_folder_of_its_kind_and_offers_no_transform(page: Document) -> None:
    assert FOLDERS[page.path.split("/")[0]] == page.kind
    assert page.transform is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_no_table_or_fence_is_too_long_for_the_embedding_model(page: Document) -> None:
    """Prose is cut to the model's window; these stay whole, and what is beyond the window is not embedded."""
    blocks = [block for block in read_blocks(*lift_fences(page.body)) if block.kind != "prose"]
    assert [block.text for block in blocks if estimated_tokens(block.text) > MODEL_TOKENS] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_python_blocks_define_documented_functions(page: Document) -> None:
    for block in re.findall(r"```python\n(.*?)```", page.body, re.DOTALL):
        tree = ast.parse(block)
        assert tree.body
        assert all(isinstance(node, ast.FunctionDef) for node in tree.body)


def test_every_bottleneck_class_has_one_page() -> None:
    assert sorted(name for page in BOTTLENECKS for name in page.addresses) == sorted(get_args(Bottleneck))
    assert set(rule_book().classes) <= set(get_args(Bottleneck))


@pytest.mark.parametrize("page", BOTTLENECKS, ids=lambda page: page.id)
def test_a_bottleneck_page_has_its_sections_in_order(page: Document) -> None:
    assert re.findall(r"^## (.+)$", page.body, re.MULTILINE) == SECTIONS
    assert page.title.startswith(f"{page.addresses[0]}: ")


@pytest.mark.parametrize("page", BOTTLENECKS, ids=lambda page: page.id)
def test_what_to_try_first_exists(page: Document) -> None:
    """A name with a dash is a technique, one of them for this class; a name that looks like a fact is one."""
    cards = {card.id: card for card in shipped() if card.path.startswith("techniques/")}
    words = re.findall(r"`([a-z0-9-]+)`", page.body.split("## Try first\n")[1].split("## ")[0])
    tried = {word for word in words if "-" in word or word in cards}
    assert tried <= set(cards)
    assert any(page.addresses[0] in cards[name].addresses for name in tried)
    shown = page.body.split("## How it shows\n")[1].split("## ")[0]
    facts = set(re.findall(r"`((?![vs]_)[a-z]+[a-z0-9]*(?:_[a-z0-9]+)+)`", shown))  # not v_exp_f32, s_barrier
    assert facts <= set(ENTRIES), "names without an entry among the metrics"


@pytest.mark.parametrize("name", sorted(rule_book().facts))
def test_every_fact_of_the_rules_is_explained(name: str) -> None:
    text = ENTRIES[name]
    assert "**Good:**" in text
    assert "**Misleads:**" in text
    assert ("**From:**" in text) != ("**ncu:**" in text and "**AMD:**" in text)


def test_every_metric_of_the_map_is_explained_under_its_hardware_name() -> None:
    known = metric_map()
    for metric in known["metrics"]:
        assert metric["metric"] in ENTRIES[metric["key"]], metric["key"]
    for stall in known["stalls"]["reasons"]:
        name = known["stalls"]["pattern"].replace("{reason}", stall["reason"])
        assert name in ENTRIES[stall["reason"]], name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_hardware_metrics_named_exist(page: Document) -> None:
    known = set(re.findall(r"[a-z0-9]+__\w+", str(metric_map()))) | BESIDE_THE_MAP
    named = set(re.findall(r"\b(?:smsp|sm|l1tex|lts|dram|gpu|launch)__[a-z]\w*[a-z]\b", page.body))
    reasons = {name for name in named if name.startswith("smsp__average_warps_issue_stalled_")}
    assert named - reasons <= known


@pytest.mark.parametrize(
    ("query", "arch", "page"),
    [
        ("ERR_NVGPUCTRPERM", None, "howto-counter-permission-nvidia"),
        ("capability SYS_PERFMON rocprofv3 warning", None, "howto-counter-permission-amd"),
        ("smsp__average_warps_issue_stalled_long_scoreboard", None, "metrics-stalls"),
        ("excess_sectors_pct", None, "metrics-memory"),
        ("tcgen05 on RTX 5090", "sm_120", "arch-blackwell-sm120"),
        ("LDS size and XCD L2 of MI300X", "gfx942", "arch-cdna3"),
        ("e4m3 FNUZ 240 against OCP 448", None, "numerics-fp8-encodings"),
        ("partial_blocks whole_waves last wave", None, "bottleneck-tail-effect"),
        ("replay mode passes clock-control", None, "howto-ncu-collect"),
        ("bf16x6 split products error", None, "numerics-split-products"),
        ("Cannot make_shape_compatible: incompatible dimensions", None, "howto-errors-triton"),
        ("hipErrorNoBinaryForGpu", None, "howto-errors-amd"),
        ("Instruction 'wgmma.fence' not supported on .target 'sm_100'", None, "ptx-wgmma"),
        ("AMD word for shared memory and warp", None, "howto-vendor-words"),
    ],
)
def test_a_search_finds_the_page(library: Library, query: str, arch: str | None, page: str) -> None:
    found = list(dict.fromkeys(hit.doc_id for hit in library.search(query, arch=arch, k=10).hits))
    assert page in found[:4], found


def test_a_target_never_gets_the_page_of_another(library: Library) -> None:
    for arch in ("sm_90", "sm_120", "gfx950"):
        hits = library.search("limits, shared memory, new instructions, traps", arch=arch, k=40).hits
        assert {hit.archs for hit in hits if hit.kind == "architecture"} == {(arch,)}
