"""The Triton idioms: every block compiles for its targets to the instructions its page promises."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kbgen.corpus.document import Document, shipped

PAGES = [page for page in shipped() if page.path.startswith("triton/")]
COMPILER = Path(__file__).with_name("compile_blocks.py")


def blocks(page: Document) -> list[str]:
    return re.findall(r"^```triton\n(.*?)^```", page.body, re.MULTILINE | re.DOTALL)


def compile_all(found: list[dict[str, str]], folder: Path) -> list[dict]:
    """Rows of `compile_blocks.py` for these blocks, in a child process with a cache of its own."""
    (folder / "blocks.json").write_text(json.dumps(found))
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    environment["TRITON_CACHE_DIR"] = str(folder / "cache")
    command = [sys.executable, str(COMPILER), str(folder / "blocks.json"), str(folder / "results.json")]
    subprocess.run(command, env=environment, check=True, timeout=300)
    return json.loads((folder / "results.json").read_text())


def fault(row: dict) -> str:
    """What is wrong with one compiled block; empty if nothing."""
    if row["refusal"]:
        return (
            "" if row["refusal"] in row.get("error", "") else f"not refused: {row.get('error', 'compiled')}"
        )
    if "error" in row:
        return row["error"]
    missing = [text for text in row["expect"] if text not in row["assembly"]]
    if missing:
        return f"no {missing} in the assembly"
    return f"{row['spills']} spilled" if row["spills"] else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_page_is_whole(page: Document) -> None:
    assert (page.kind, page.path) == ("howto", f"triton/{page.id}.md")
    assert blocks(page), "an idiom shows itself"
    assert len(blocks(page)) == page.body.count("```triton\n")
    assert re.search(r"\b3\.[4-9]\b", page.body), "an idiom says which versions of Triton it was seen in"


def test_blocks_compile_to_what_the_pages_promise(tmp_path: Path) -> None:
    found = [{"card": page.id, "code": block} for page in PAGES for block in blocks(page)]
    rows = compile_all(found, tmp_path)
    assert [f"{row['card']} for {row['target']}: {fault(row)}" for row in rows if fault(row)] == []
    assert any(row["expect"] for row in rows)
    assert any(row["refusal"] for row in rows)


COPY = """# signature: x_ptr=*fp32 y_ptr=*fp32 BLOCK=1024
# options: num_warps=4
# targets: sm_80
{claim}
@triton.jit
def copy(x_ptr, y_ptr, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    tl.store(y_ptr + columns, tl.load(x_ptr + columns))
"""


def test_a_wrong_promise_is_seen(tmp_path: Path) -> None:
    """Control: texts that are not there, refusals that do not come, and code that does not compile."""
    claims = ["# expect sm_80: ld.global.v4", "# expect sm_80: tcgen05", "# refused sm_90: Unsupported"]
    broken = COPY.format(claim="# targets: sm_80").replace("BLOCK)", "BLOCK - 1)")
    codes = [*(COPY.format(claim=claim) for claim in claims), broken.replace("# targets: sm_80\n", "", 1)]
    rows = compile_all([{"card": str(number), "code": code} for number, code in enumerate(codes)], tmp_path)
    seen = {(row["card"], row["target"]): fault(row) for row in rows}
    assert seen["0", "sm_80"] == ""
    assert "tcgen05" in seen["1", "sm_80"]
    assert seen["2", "sm_80"] == ""
    assert "not refused" in seen["2", "sm_90"]
    assert "power of 2" in seen["3", "sm_80"]
