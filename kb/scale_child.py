"""The child of `scale.py`: opens the library, searches it often on one thread, and prints what it saw."""

import time

BEGAN = time.perf_counter()

import json  # noqa: E402 - the imports are timed
import random  # noqa: E402
import resource  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402

from .choice import Choice, choose  # noqa: E402
from .embed import Embedder, HashingEmbedder, Vectors, spread  # noqa: E402
from .library import Library  # noqa: E402
from .scale import WIDTH, Vocabulary  # noqa: E402

QUERIES = 400
BOUNDS: tuple[dict[str, object], ...] = (
    {}, {"arch": ("sm_90", "sm_80")}, {"vendor": "amd"}, {"vendor": "nvidia", "arch": ("sm_120", "sm_89")},
)  # fmt: skip


class Prepared(HashingEmbedder):
    """Knows the vectors of its questions beforehand, so that a search is timed without embedding them."""

    def __init__(self, questions: list[str]) -> None:
        super().__init__(WIDTH)
        self._known = {text: self.embed([text])[0] for text in map(spread, questions)}

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._known[text]
        return vector


def main(folder: Path) -> dict[str, float | None]:
    import_s = time.perf_counter() - BEGAN
    words = Vocabulary()
    questions = [words.query(random.Random(f"query {i}")) for i in range(QUERIES)]
    embedder = Prepared(questions)
    with Library.open(folder, choice=Choice(embedder, "measuring")) as library:
        load = _timed(lambda: library.search(questions[0]))
        took = [
            _timed(lambda: library.search(text, **BOUNDS[i % len(BOUNDS)]))  # type: ignore[arg-type]  # noqa: B023
            for i, text in enumerate(questions)
        ]
        memory = _memory_mb()
        share = _nearest_found(folder, embedder, questions[:50])
    model = choose().embedder
    embed = [_timed(lambda: model.embed_query(text)) for text in questions[:50]] if model else []  # noqa: B023
    return {
        "import_s": round(import_s, 2),
        "load_s": round(load[0] / 1e3, 2),
        "load_cpu_s": round(load[1] / 1e3, 2),
        "search_p50_ms": _quantile(took, 0, 0.5),
        "search_p95_ms": _quantile(took, 0, 0.95),
        "search_cpu_p50_ms": _quantile(took, 1, 0.5),
        "search_cpu_p95_ms": _quantile(took, 1, 0.95),
        "embed_query_p50_ms": _quantile(embed, 0, 0.5) if embed else None,
        "nearest_found": share,
        "memory_mb": memory,
        "memory_with_model_mb": _memory_mb() if embed else None,
    }


def _nearest_found(folder: Path, embedder: Embedder, questions: list[str]) -> float:
    """The share of each question's ten nearest rows that `Near` gives, of those of a full scan."""
    from .near import Near

    (path,) = (folder / "index" / "near").glob("*/[!.]*")
    near = Near(path)
    everywhere, shares = np.ones(len(near.ids), dtype=np.bool_), []
    for text in questions:
        vector = embedder.embed_query(spread(text))
        true = np.argsort(-(near.vectors @ vector), kind="stable")[:10]
        shares.append(len(set(near.nearest(vector, everywhere, 100)) & {int(place) for place in true}) / 10)
    return round(float(np.mean(shares)), 3)


def _timed(act: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds on the wall's clock and on the processor."""
    began, computed = time.perf_counter(), time.process_time()
    act()
    return (time.perf_counter() - began) * 1e3, (time.process_time() - computed) * 1e3


def _quantile(took: list[tuple[float, float]], clock: int, share: float) -> float:
    return round(sorted(each[clock] for each in took)[int(len(took) * share)], 1)


def _memory_mb() -> float:
    """The most memory this process ever held, mapped files included."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))))
