"""Measures a library of many passages: how fast they go in, load and are found, in which memory and disk.

The text is made up: sentences of the shipped corpus' own words at their own frequencies, with its identifiers
among them. Its vectors are hashed, of the packaged model's width; that model is timed on a sample.
"""

import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import KbgenError
from . import shipped
from .choice import Choice, choose
from .embed import HashingEmbedder
from .library import Library
from .page import Page

WIDTH = 384  # of the packaged model's vectors
PER_PAGE = 100  # sections of one made-up page, a passage each
WORDS, NAMES = 75, 3  # of a passage
SAMPLE = 256  # passages that the configured model is timed on
STANDINGS = (
    ("nvidia", ()),
    ("nvidia", ("sm_90",)),
    ("nvidia", ("sm_80", "sm_86")),
    ("amd", ("gfx942",)),
    ("any", ()),
)
_NAME = re.compile(r"[A-Za-z]\w*(?:[._]+\w+){1,6}")


class ScaleError(KbgenError):
    """The measurement could not be made."""


@dataclass(frozen=True)
class Scale:
    """Times in the unit of each name; what needs an embedding model is None where there is none.

    `passages` are the `chunks` and the shipped ones. `search` is without the embedding of the query, which is
    `embed_query`; `load` from opening the library to its first answer, after the imports of `import`; `cpu`
    says what of it the process computed, whatever else the machine was busy with. `nearest_found` is the
    share of the ten nearest passages that the search by meaning gives of those that a full scan does.
    """

    chunks: int
    passages: int
    lexical_per_s: float
    vectors_per_s: float
    embedder: str | None
    embed_per_s: float | None
    embed_all_hours: float | None
    disk_mb: float
    import_s: float
    load_s: float
    load_cpu_s: float
    search_p50_ms: float
    search_p95_ms: float
    search_cpu_p50_ms: float
    search_cpu_p95_ms: float
    embed_query_p50_ms: float | None
    nearest_found: float
    memory_mb: float
    memory_with_model_mb: float | None


def measure(folder: Path, chunks: int, watch: Callable[[int, int], None] = lambda done, total: None) -> Scale:
    """Fill a library at `folder`, which must not hold one, and measure it; minutes for 100 000 passages."""
    if folder.exists() and any(folder.iterdir()):
        raise ScaleError(f"{folder} is not empty; name a folder that does not exist yet.")
    words = Vocabulary()
    with Library.open(folder, choice=Choice(None, "measuring words alone")) as library:
        for number in range(0, chunks, PER_PAGE):
            library.add(words.page(number // PER_PAGE, min(PER_PAGE, chunks - number)))
        lexical_s = _seconds(lambda: library.index(lambda done, total: None))
        passages = sum(library.status()["passages"].values())
    with Library.open(folder, choice=Choice(HashingEmbedder(WIDTH), "measuring")) as library:
        vectors_s = _seconds(lambda: library.index(watch))
    embedder = choose().embedder
    embed_per_s = None
    if embedder is not None:
        sample = [words.passage(random.Random(f"sample {i}")) for i in range(SAMPLE)]
        embed_per_s = round(SAMPLE / _seconds(lambda: embedder.embed(sample)), 1)
    found = _searched(folder)
    return Scale(
        chunks=chunks,
        passages=passages,
        lexical_per_s=round(passages / lexical_s, 1),
        vectors_per_s=round(passages / vectors_s, 1),
        embedder=embedder.name if embedder else None,
        embed_per_s=embed_per_s,
        embed_all_hours=round(chunks / embed_per_s / 3600, 2) if embed_per_s else None,
        disk_mb=round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6, 1),
        **found,
    )


class Vocabulary:
    """The words of the shipped corpus by frequency, and its identifiers, to make text of."""

    def __init__(self) -> None:
        text = "\n".join(f"{page.title}\n{page.body}" for page in shipped.pages())
        counted = Counter(re.findall(r"[a-z]{2,}", text.lower()))
        self._words, self._weights = list(counted), list(counted.values())
        self._names = sorted(set(_NAME.findall(text)))

    def passage(self, chance: random.Random) -> str:
        words = chance.choices(self._words, self._weights, k=WORDS) + chance.choices(self._names, k=NAMES)
        chance.shuffle(words)
        return " ".join(words) + "."

    def query(self, chance: random.Random) -> str:
        """Some words and now and then an identifier, as people ask."""
        names = chance.choices(self._names, k=chance.randint(0, 1))
        return " ".join(chance.choices(self._words, self._weights, k=6) + names)

    def page(self, number: int, sections: int) -> Page:
        vendor, archs = STANDINGS[number % len(STANDINGS)]
        chance = random.Random(number)
        body = "\n\n".join(f"## Section {i}\n\n{self.passage(chance)}" for i in range(sections))
        return Page(
            id=f"made-up-{number}", kind="document", title=f"Made-up document {number}", body=body,
            origin="library", vendor=vendor, archs=archs,
        )  # fmt: skip


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _searched(folder: Path) -> Mapping[str, Any]:
    """What a fresh process measures: nothing of this one's memory or caches counts."""
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, "-m", "kbgen.kb.scale_child", str(folder)],
        env=os.environ | threads, capture_output=True, text=True, check=False,
    )  # fmt: skip
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise ScaleError(
            f"the searching process failed ({last}); free memory or ask for fewer chunks."
        ) from None
    return found
