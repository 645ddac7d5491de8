"""What the compilers said is found again under exactly the same conditions, and a torn file is no answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling import static
from kbgen.profiling.compile_cache import MOST_ENTRIES, CompileCache, default_folder, key_of
from kbgen.profiling.op import Op
from kbgen.profiling.sandbox import Outcome
from kbgen.profiling.static import inspect, limits_for

ASKED = {"candidate": "/somewhere/a.py", "op": "/op.py", "source": "x", "overrides": {}, "card": {"arch": 90}}


def test_a_key_is_of_the_text_and_not_of_its_place() -> None:
    assert key_of(ASKED, "text") == key_of({**ASKED, "candidate": "/elsewhere/b.py"}, "text")


@pytest.mark.parametrize("change", [{"source": "y"}, {"overrides": {"n": 2}}, {"card": {"arch": 80}}])
def test_a_key_is_of_everything_that_decides(change: dict[str, Any]) -> None:
    assert key_of({**ASKED, **change}, "text") != key_of(ASKED, "text")
    assert key_of(ASKED, "other text") != key_of(ASKED, "text")


def test_modules_beside_the_op_are_part_of_the_key(tmp_path: Path) -> None:
    for name, text in {"sizes": "import depth\nN = 2", "depth": "", "other": "", "pack/deep/a": ""}.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    asked = {**ASKED, "op": str(tmp_path / "op.py"), "source": "import math, pack.deep\nfrom sizes import N"}
    keys = [key_of(asked, "text")]
    for changed in ("sizes", "depth", "pack/deep/a"):
        (tmp_path / f"{changed}.py").write_text("import depth\nN = 3")
        keys.append(key_of(asked, "text"))
    assert len(set(keys)) == 4
    (tmp_path / "other.py").write_text("N = 3")
    assert key_of(asked, "text") == keys[-1]
    assert key_of({**asked, "source": "import ("}, "text") != keys[-1]


def test_compiler_switches_are_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(ASKED, "text")
    monkeypatch.setenv("TRITON_PTXAS_PATH", "/opt/ptxas")
    assert key_of(ASKED, "text") != before


def test_what_was_put_is_got_and_a_torn_file_is_not(tmp_path: Path) -> None:
    cache = CompileCache(tmp_path)
    assert cache.get("ab12") is None
    cache.put("ab12", {"kernels": []})
    assert cache.get("ab12") == {"kernels": []}
    (tmp_path / "compiled" / "ab" / "ab12.json").write_text('{"kern')
    assert cache.get("ab12") is None


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "compiled").write_text("a file where a folder should be")
    cache = CompileCache(tmp_path)
    cache.put("ab12", {})
    assert cache.get("ab12") is None


def test_the_oldest_go_where_there_are_too_many(tmp_path: Path) -> None:
    cache, shelf = CompileCache(tmp_path), tmp_path / "compiled" / "ab"
    shelf.mkdir(parents=True)
    for number in range(MOST_ENTRIES // 256):
        (shelf / f"ab{number}.json").write_text("{}")
        os.utime(shelf / f"ab{number}.json", (number, number))
    cache.put("abnew", {})
    assert not (shelf / "ab0.json").exists()
    assert cache.get("abnew") == {}


def test_the_folder_is_the_users_unless_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KBGEN_CACHE", str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.delenv("KBGEN_CACHE")
    assert default_folder().name == "kbgen"


def test_only_what_compiled_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A compiler that failed may have failed for want of memory."""
    asked: list[str] = []
    replies = [
        {"error": "forward() fails"},
        {"kernels": [{"name": "k", "compiled": None, "error": "no"}]},
        {"kernels": []},
    ]

    def child(module: str, request: dict[str, Any], **how: Any) -> Outcome:
        asked.append(module)
        return Outcome("ok", replies[min(len(asked), len(replies)) - 1], "", 0.1, "", ())

    monkeypatch.setattr(static, "run_child", child)
    path = tmp_path / "candidate.py"
    path.write_text("pass")
    op, spec = Op(path, "pass", {}, {}), find_spec("h100")
    for _ in range(4):
        inspect(path, op, spec, tmp_path, CompileCache(tmp_path))
    assert len(asked) == 3


def test_the_kernels_of_one_candidate_are_known_for_the_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The child is told what it need not compile, and its limits grow with the kernels of a network."""
    asked: list[tuple[Any, Any]] = []
    reply = {"kernels": [{"name": "k", "key": "of k", "compiled": {"registers": 32}}]}

    def child(module: str, request: dict[str, Any], **how: Any) -> Outcome:
        asked.append((request["known"], how["limits"]))
        return Outcome("ok", reply, "", 0.1, "", ())

    monkeypatch.setattr(static, "run_child", child)
    monkeypatch.setattr(static, "_report", lambda kernels, spec: None)
    cache, op, spec = CompileCache(tmp_path), Op(tmp_path / "op.py", "pass", {}, {}), find_spec("h100")
    for number, text in enumerate(("@triton.jit\n", "@triton.jit\n" * 38)):
        path = tmp_path / f"{number}.py"
        path.write_text(text)
        inspect(path, op, spec, tmp_path, cache)
    assert [known for known, _ in asked] == [{}, {"of k": {"registers": 32}}]
    assert [limits for _, limits in asked] == [limits_for(1), limits_for(38)]
    assert limits_for(38).wall_s == limits_for(8).wall_s + 300
