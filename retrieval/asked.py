"""Recognises what a query is (words, a metric, an error, code, a profile) and takes its telling words."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .. import KbgenError

Form = Literal["words", "metric", "error", "code", "profile"]
LONGEST = 1 << 20
MOST_WORDS = 90  # of code or a message; more would only blur the ranking

_METRIC = re.compile(
    r"(?:smsp|sm|l1tex|lts|ltc|dram|gpu|gpc|launch|idc|fbpa|sys|profiler|pcsamp|derived|memory|device)__\w+(?:\.\w+)*"
    r"|(?:SQC?|TCP|TCC|TA|TD|GRBM|SPI|CPC|GL2C|GL1C)_\w+"
)
_ERROR = re.compile(
    r"\b(?:error|exception|traceback|failed|failure|fatal|invalid|illegal|out of (?:resource|memory)|cannot|"
    r"unsupported|not supported|assertion|mismatch|too large|no kernel image)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[;{}]\s*$|^\s*(?:def|class|import|from|for|if|return|@)\b|__global__|__shared__|@triton|\btl\.\w+\(|\basm\b"
    r"|^\s*(?:[a-z_]\w+(?:\.\w+)+|[vs]_\w+|ds_\w+)\s+[%v{\[]|\w+\s*[-+*/]?=\s*\S+",
    re.MULTILINE,
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:(?:::|\.)\w+)*")
_NOISE = re.compile(
    r"0x[0-9a-fA-F]+|(?:[A-Za-z]:)?(?:[\w.-]*[/\\])+[\w.-]+(?::\d+)*|\bline \d+|\b\d+\b|['\"`]"
)
_COMMON = frozenset({
    "self", "def", "class", "import", "from", "return", "if", "else", "elif", "for", "while", "in", "not",
    "and", "or", "none", "true", "false", "int", "float", "double", "void", "const", "auto", "char", "bool",
    "long", "short", "unsigned", "size_t", "static", "inline", "struct", "template", "typename", "print",
    "range", "len", "torch", "nn", "forward", "super", "init", "args", "kwargs", "file", "line", "raise",
})  # fmt: skip


# What code does without a name for it: pattern -> the words that a page has for it.
_IDIOMS = tuple(
    (re.compile(pattern, re.MULTILINE), words)
    for pattern, words in (
        (
            r"(?=.*\bfloat\b)(?=.*(?<![\w.])\d+\.\d+(?![\w.]))",
            "double precision constant in float code fp64 literal",
        ),
        (
            r"\w+\[\s*(\w+)\s*\*\s*\w+\s*\+\s*(\w+)\s*\]\s*=\s*\w+\[\s*\2\s*\*\s*\w+\s*\+\s*\1\s*\]",
            "transpose strided",
        ),
        (r"(?s)\w\s*/(?!/).*?\w\s*%\s*\w", "integer division and modulo of an index"),
        (r"tl\.load\((?!.*\bother\b).*\bmask\b", "masked load without other, neutral value"),
        (r"for\s*\(.*>>=\s*1\)[^;]*shfl", "warp shuffle reduction"),
        (r"atomicAdd\(\s*&?\w+\[\s*\w+\[", "histogram, privatise atomics"),
    )
)


@dataclass(frozen=True)
class Asked:
    """What was asked in the words to search with; `form` is what it was taken for."""

    form: Form
    text: str


class NotAQuestion(KbgenError):  # noqa: N818 - named for what was found
    """A file that was given as a query and cannot be one."""


def recognise(text: str) -> Asked:
    """`text` as a question: a metric's name stays whole, of code and messages the names are kept."""
    bare = text.strip()
    if bare.startswith("{"):
        found = _profile(bare)
        if found:
            return Asked("profile", found)
    if _METRIC.fullmatch(bare):
        return Asked("metric", bare)
    lines = [line for line in bare.split("\n") if line.strip()]
    code_like = sum(bool(_CODE.search(line)) for line in lines)
    if (len(lines) > 1 and 2 * code_like > len(lines)) or (len(lines) == 1 and _is_code_line(bare)):
        return Asked("code", _names(bare))
    if _ERROR.search(bare) and (len(lines) > 1 or ":" in bare):
        return Asked("error", _message(bare))
    return Asked("words", bare)


def read_query(path: Path) -> str:
    """The text of a file given as a query."""
    try:
        data = path.read_bytes()[: LONGEST + 1]
        if len(data) > LONGEST:
            raise NotAQuestion(f"{path} is too long for a query; give the part that matters, or ingest it.")
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotAQuestion(
            f"{path} is not text; give code, a message, or a report of kbgen in JSON."
        ) from None


def _is_code_line(line: str) -> bool:
    """One line is code if it ends or calls as code does; `a = b` alone may be prose."""
    return (
        len(line) > 4
        and bool(re.search(r"[;{}]$|\w\(.*\)|^\s*@\w|<<<|asm\b", line))
        and bool(re.search(r"[(){};=<>%]", line))
    )


def _names(code: str) -> str:
    """What `code` does, as far as that shows, and its identifiers, those with seams first: they name
    instructions and interfaces."""
    words = (name for name in _IDENTIFIER.findall(code) if len(name) > 1 and name.lower() not in _COMMON)
    found = list(dict.fromkeys(words))
    telling = [name for name in found if "." in name or "::" in name or "_" in name]
    idioms = [words for pattern, words in _IDIOMS if pattern.search(code)]
    return (
        " ".join([*idioms, *telling, *(name for name in found if name not in telling)][:MOST_WORDS])
        or code.strip()
    )


def _message(text: str) -> str:
    """A message without paths, addresses and numbers; of a long one the last lines that tell of errors."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    telling = [line for line in lines if _ERROR.search(line)][-6:] or lines[-6:]
    words = " ".join(_NOISE.sub(" ", line) for line in telling).split()
    return " ".join(words[:MOST_WORDS]) or text.strip()


def _profile(text: str) -> str:
    """The words of a JSON document of `kbgen profile` or `advise`: its bottlenecks with their evidence."""
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(document, dict):
        return ""
    inner = (*(document.get("kernels") or ()), *(document.get("counted") or ()))
    holders = [document, *(kernel for kernel in inner if isinstance(kernel, dict))]
    parts = [
        f"{found.get('class', '')}: {found.get('evidence', '')}"
        for holder in holders
        for found in holder.get("bottlenecks") or ()
        if isinstance(found, dict)
    ]
    family = document.get("family")
    return ". ".join([*parts, *([f"{family} operator"] if parts and family else [])])
