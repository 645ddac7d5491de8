"""A reply is read strictly: one file, or edits of spans that exist; anything else says what is wrong."""

from __future__ import annotations

import pytest

from kbgen.generator.prompts.spans import marked, spans, with_spans
from kbgen.generator.writers.reply import LARGEST, ReplyError, read_reply

KERNEL = '''"""A kernel."""

import triton


@triton.jit
def double(x):
    """Fences ``` in a string do not close a block."""
    return x


class ModelNew:
    pass
'''


def block(text: str, info: str = "python") -> str:
    return f"```{info}\n{text.rstrip()}\n```\n"


def test_a_whole_file_is_taken_as_it_stands() -> None:
    assert read_reply(f"I would do this:\n\n{block(KERNEL)}\nThat is all.", None) == KERNEL
    assert read_reply(f"````python\n{KERNEL}\n````", None) == f"{KERNEL}\n"


def test_spans_join_to_the_file_again() -> None:
    assert "".join(spans(KERNEL)) == KERNEL
    assert [text.split("\n")[0] for text in spans(KERNEL)] == [
        '"""A kernel."""',
        "@triton.jit",
        "class ModelNew:",
    ]
    assert marked(KERNEL).count("# [span ") == 3
    assert with_spans(KERNEL, {}) == KERNEL


def test_an_edit_replaces_its_span_and_nothing_else() -> None:
    edited = read_reply(block("@triton.jit\ndef double(x):\n    return 2 * x\n", "python span=2"), KERNEL)
    assert edited == KERNEL.replace('    """Fences ``` in a string do not close a block."""\n', "").replace(
        "return x", "return 2 * x"
    )
    assert "def double" not in read_reply(block("", "python span=2"), KERNEL)


@pytest.mark.parametrize(
    ("reply", "parent", "fault"),
    [
        ("", None, "no text"),
        ("I cannot help with that.", None, "no fenced block"),
        (block(KERNEL) * 2, None, "2 fenced blocks"),
        (block(KERNEL, "cuda"), None, "not opened by ```python"),
        (block(KERNEL, "python ../../etc/passwd"), None, "not opened by ```python"),
        (f"```python\n{KERNEL}", None, "not closed"),
        (block("def f(:\n"), None, "syntax error on line 1"),
        (block("x = '\0'\n"), None, "syntax error"),
        (block("(" * 5000), None, "syntax error"),
        (block("x = 1\n"), None, "class ModelNew"),
        (block("x", "python span=2"), None, "no kernel to edit"),
        (block("x", "python span=9"), KERNEL, "spans 1 to 3"),
        (block("x", "python span=0"), KERNEL, "spans 1 to 3"),
        (block("x", "python span=2; rm"), KERNEL, "names no span"),
        (block("x", "python span=2") * 2, KERNEL, "replaced twice"),
        (block("x", "python span=2") + block(KERNEL), KERNEL, "with and without a span"),
        (block(spans(KERNEL)[1], "python span=2"), KERNEL, "change nothing"),
        (block("", "python span=3"), KERNEL, "class ModelNew"),
        ("x" * (LARGEST + 1), None, "characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_says_why(reply: str, parent: str | None, fault: str) -> None:
    with pytest.raises(ReplyError, match=fault.replace("(", r"\(")):
        read_reply(reply, parent)
