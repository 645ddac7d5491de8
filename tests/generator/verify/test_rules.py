"""Every rule stands in docs/verification.md; rules with no cheat of their own are tried here."""

import re
from pathlib import Path

import pytest

from kbgen.generator.verify.judge import verify
from kbgen.generator.verify.verdict import Inconclusive, Passed, Verdict
from kbgen.profiling.op import load_op

pytestmark = pytest.mark.usefixtures("quick_judgements")

ROOT = Path(__file__).parents[3]
TESTS = ROOT / "tests"
OPS = Path(__file__).parent / "ops"
PAGE = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
RULES = [
    f"{part}{number}"
    for part, last in (("A", 8), ("B", 23), ("T", 14), ("R", 4))
    for number in range(1, last + 1)
]


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_row_with_code_and_a_test(rule: str) -> None:
    rows = re.findall(rf"^\| {rule} \|.*$", PAGE, re.MULTILINE)
    assert len(rows) == 1
    where, held_by = [cell.strip() for cell in rows[0].split("|")][4:6]
    assert re.search(r"`(generator|profiling)/", where)
    assert re.search(r"`tests/", held_by)


def test_every_file_and_name_of_the_page_exists() -> None:
    named = re.findall(r"`([\w/]+/[\w/]+\.py)(?:::(\w+))?`", PAGE)
    assert len(named) > 60
    for path, name in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert not name or re.search(rf"^ *(?:class|def) {name}\b", source, re.MULTILINE), f"{path}::{name}"


def judged(source: str, op: str, folder: Path, head: str = "") -> Verdict:
    path = folder / "candidate.py"
    path.write_text(source.replace("import torch\n", f"import torch\n{head}", 1))
    return verify(path, load_op(OPS / f"{op}.py"), None, scratch=folder / "scratch", seed=1)


def test_kernelbench_s_rule_stands_beside_the_verdict(tmp_path: Path) -> None:
    verdict = judged((TESTS / "cheats" / "matmul_tf32.py").read_text(), "matmul", tmp_path)
    assert verdict.cause == "low-precision"
    assert verdict.upstream == {"0.0001": False, "0.01": True}


def test_a_thread_that_outlives_its_call_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is let through for once, to see what watches behind it."""
    monkeypatch.setattr("kbgen.generator.verify.text.scan._Reader.fault", lambda reader: None)
    source = (TESTS / "honest" / "add_flat.py").read_text()
    late = source.replace(
        "        return out",
        "        threading.Thread(target=time.sleep, args=(60,)).start()\n        return out",
    )
    assert late != source
    verdict = judged(late, "add", tmp_path, "import threading\nimport time\n")
    assert verdict.cause == "deferred-work", verdict.detail


ASM = """
@triton.jit
def add_kernel(a_ptr, b_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    a, b = tl.load(a_ptr + offsets, mask=inside), tl.load(b_ptr + offsets, mask=inside)
    total = tl.inline_asm_elementwise("add.f32 $0, $1, $2;", "=f,f,f", [a, b], tl.float32, True, 1)
    tl.store(out_ptr + offsets, total, mask=inside)
"""


def test_inline_assembly_cannot_be_interpreted_and_is_said_so(tmp_path: Path) -> None:
    source = (TESTS / "honest" / "add_flat.py").read_text()
    start, end = source.index("@triton.jit"), source.index("class ModelNew")
    name = re.search(r"def (\w+)\(", source[start:])
    assert name is not None
    asm = source[:start] + ASM.strip().replace("add_kernel", name[1]) + "\n\n\n" + source[end:]
    verdict = judged(asm, "add", tmp_path)
    assert isinstance(verdict, Inconclusive), verdict.detail
    assert verdict.cause == "unsupported"
    assert "inline_asm" in verdict.detail


def test_every_configuration_of_a_tuned_kernel_runs(tmp_path: Path) -> None:
    source = (TESTS / "honest" / "add_autotuned.py").read_text()
    sizes = ", ".join(f'triton.Config({{"BLOCK": {2**power}}})' for power in range(8, 12))
    many = re.sub(r"configs=\[.*?\], key", f"configs=[{sizes}], key", source, flags=re.DOTALL)
    assert many != source
    verdict = judged(many, "add", tmp_path)
    assert isinstance(verdict, Passed), verdict.detail
    assert any("each of its 4 configurations" in note for note in verdict.notes)
