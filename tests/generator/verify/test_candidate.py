"""Constants of a candidate file are replaced in place."""

import pytest

from kbgen.generator.verify.text.candidate import with_constants


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("N = 4\nM = N * 2\n", "N = 7\nM = N * 2\n"),
        ("N: int = 4  # rows\n", "N: int = 7  # rows\n"),
        ("N = 2 * 1024\nx = 1\n", "N = 7\nx = 1\n"),
        ("N = (\n    4\n)\nx = 1\n", "N = (\n    7\n)\nx = 1\n"),
        ("é = 'ü'; N = 4\n", "é = 'ü'; N = 7\n"),
        ("def f():\n    N = 4\n", "def f():\n    N = 4\n"),
        ("N = compute()\n", "N = compute()\n"),
    ],
)
def test_only_module_level_literals_change(source: str, expected: str) -> None:
    assert with_constants(source, {"N": 7}) == expected


def test_lines_keep_their_numbers() -> None:
    source = "N = [\n    1,\n    2,\n]\nmark = 1\n"
    changed = with_constants(source, {"N": [3]})
    assert changed.splitlines().index("mark = 1") == source.splitlines().index("mark = 1")
