"""The report tells what answers took; what is not known is a dash, and who asks nobody has no section."""

from __future__ import annotations

from typing import Any

from kbgen.generator.report.answers_page import answers, summed

ONE: dict[str, Any] = {
    "kind": "draft", "technique": "", "parent": None, "candidate": "abc", "fault": "", "input_tokens": 1000,
    "output_tokens": 200, "cost": 0.004, "seconds": 1.25, "ended": "stop",
}  # fmt: skip
LOST = {**ONE, "kind": "lost", "candidate": None, "fault": "not known", "input_tokens": None, "cost": None}
SPENT = {
    "model": "openai:m", "input_tokens": None, "output_tokens": 400, "cost": None, "currency": "EUR",
    "seconds": 2.5, "asked": [ONE, LOST],
}  # fmt: skip


def test_each_question_has_its_row_and_its_figures() -> None:
    rows = answers({"spent": SPENT}).splitlines()
    assert rows[0].split(" | ")[6] == "cost (EUR)"
    assert rows[2] == "| 1 | draft | - | `abc` | 1000 | 200 | 0.0040 | 1.2 |"
    assert rows[3] == "| 2 | lost | - | not known | - | 200 | - | 1.2 |"
    assert rows[4].startswith("|  | in all |")
    assert summed(SPENT) == "asked openai:m 2 times: - tokens in, 400 out, - EUR, 2.5 s"


def test_who_asks_nobody_has_no_section() -> None:
    assert answers({}) == answers({"spent": None}) == answers({"spent": {**SPENT, "asked": []}}) == ""
