"""kill -9 at random moments, then --resume: no answer is asked for twice, and none that came is lost."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from .conftest import Move, Server

RUNS = Path(__file__).with_name("killed_runs.py")


def answer(question: str) -> Move:
    """Decided by the question, so that a run that is gone on with goes the same way."""
    chance = int(hashlib.sha256(question.encode()).hexdigest(), 16)
    says = [f"time {30 + chance % 60}", "wrong", f"does not compile {chance % 1000}", f"time {chance % 80}"]
    block = f"```python\n# {says[chance % 4]} of {question}\nclass ModelNew:\n    pass\n```\n"
    return Move("no block" if chance % 7 == 0 else block)


def test_a_killed_run_is_gone_on_with_and_pays_for_nothing_twice(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    """KBGEN_KILLS sets how many runs are killed; a release is tried with 50."""
    kills = int(os.environ.get("KBGEN_KILLS", "3"))
    server = serve(lambda headers: answer(headers["idempotency-key"]))
    command = [sys.executable, str(RUNS), str(tmp_path), str(server.port), str(kills)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert sum(one["killed"] for one in results) == kills
    asked = Counter((headers["authorization"], headers["idempotency-key"]) for _, headers, _ in server.asked)
    assert max(asked.values()) == 1, "a question was sent twice"
    for one in results:
        sent = sum(key.endswith(f"key-of-{one['run']}") for key, _ in asked)
        assert one["lost"] <= one["killed"], "a crash costs at most the answer that was under way"
        assert one["answered"] <= sent <= one["answered"] + one["lost"], "an answer that came was lost"
