"""The JSON document is valid for every JSON reader, carries its schema, and is never seen half written."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.report import json_report


@dataclass(frozen=True)
class Pair:
    left: int
    right: frozenset[str]


def refuse(text: str) -> None:
    raise AssertionError(f"{text} is no JSON")


def test_the_schema_comes_first_and_every_key_stays(result: dict[str, Any]) -> None:
    read = json.loads(json_report.dumps("optimize", result), parse_constant=refuse)
    assert next(iter(read.items())) == ("schema", "kbgen/optimize/1")
    assert set(read) == {"schema", *result}


def test_numbers_that_are_not_finite_become_null(result: dict[str, Any]) -> None:
    read = json.loads(json_report.dumps("optimize", result), parse_constant=refuse)
    assert read["verdict"]["cases"][1]["oracle_error"] is None


def test_dataclasses_sets_and_paths_are_plain() -> None:
    document = {"pair": Pair(1, frozenset("ba")), "path": Path("a/b"), "rows": (1, 2.5, True, None)}
    read = json.loads(json_report.dumps("x", document))
    assert read == {
        "schema": "kbgen/x/1",
        "pair": {"left": 1, "right": ["a", "b"]},
        "path": "a/b",
        "rows": [1, 2.5, True, None],
    }


def test_what_json_cannot_hold_is_an_error() -> None:
    with pytest.raises(TypeError, match="object has no place"):
        json_report.dumps("x", {"value": object()})


def test_an_unwritable_document_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    json_report.write(target, "x", {"a": 1})
    with pytest.raises(TypeError):
        json_report.write(target, "x", {"a": object()})
    assert json.loads(target.read_text())["a"] == 1
    assert list(tmp_path.iterdir()) == [target]
