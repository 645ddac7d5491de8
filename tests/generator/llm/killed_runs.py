"""Runs searches over a model's answers, kills each with SIGKILL at a random moment, and resumes it.

Started by `test_kills.py` as `python killed_runs.py FOLDER PORT KILLS`: one process that imports once and
then forks a run each time, so that fifty kills take seconds. Prints what every run came to as JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import llama_index.llms.openai_like  # noqa: F401 - imported once, before the first fork

from kbgen.generator.beam import Beam, Seams
from kbgen.generator.evaluated import Evaluated
from kbgen.generator.job import Asking
from kbgen.generator.prompts.briefing import Briefing, Focus
from kbgen.generator.prompts.prompt import Item, Part
from kbgen.generator.verify.verdict import Failed, Passed, Verdict
from kbgen.generator.writers.llm.settings import Endpoint
from kbgen.generator.writers.llm.writer import LLMWriter
from kbgen.generator.writers.writer import Candidate, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.occupancy import occupancy
from kbgen.profiling.roofline import Estimate
from kbgen.profiling.static import KernelReport, StaticReport

SPEC = find_spec("h100")
KERNEL = KernelReport(
    name="double", arch="sm_90", grid=(64, 1, 1), num_warps=4, num_stages=1, registers=32, spill_bytes=0,
    shared_bytes=0, load_bits={}, store_bits={}, instructions={},
    occupancy=occupancy(SPEC, 128, 32, 0), waves=1.0, compile_s=0.0,
)  # fmt: skip


def compiled(candidate: Candidate) -> Evaluated:
    refused = ("double does not compile",) if "does not compile" in candidate.source else ()
    return Evaluated(candidate, Path(candidate.id) / "x.py", StaticReport("sm_90", (KERNEL,), refused), None)


def judged(found: Evaluated) -> Verdict:
    wrong = "wrong" in found.candidate.source
    return Failed(cause="wrong-values", detail="all of them") if wrong else Passed()


def weighed(found: Evaluated, verdict: Verdict) -> Evaluated:
    us = float(found.candidate.source.split("time ")[1].split()[0])
    return replace(found, estimate=Estimate(us, 0.0, 0.0, 0.0, us))


def run(out: Path, port: int, resume: bool) -> None:
    """One whole search; its result stands in `out` once it is over."""
    parts = (Part("operator", "The operator", (Item("x"),), needed=True),)
    briefing = Briefing("double", "fp32", parts, tuple(Focus(f"t{n}", f"T{n}") for n in range(3)))
    traced: Any = SimpleNamespace(flops=1)
    asked = Request(cast(Any, SimpleNamespace(name="double")), traced, (), SPEC, briefing=briefing)
    endpoint = Endpoint("openai", "m", f"http://127.0.0.1:{port}/v1", f"key-of-{out.name}")
    writer = LLMWriter(endpoint, Asking(drafts=2), out)
    assert writer.journal is not None
    writer.journal.begin({"op": "double"}, resume=resume)
    seams = Seams(compiled, judged, weighed, lambda found: "It stands.", None, floor_us=1.0)
    climb = Beam(writer, asked, seams, deadline=1e18, most=7, say=lambda text: None).climb()
    assert climb.spent is not None
    writer.journal.finish()
    kinds = [one["kind"] for one in climb.spent["asked"]]
    result = {"answered": len(kinds) - kinds.count("lost"), "lost": kinds.count("lost")}
    (out / "result.json").write_text(json.dumps({**result, "accepted": len(climb.accepted)}))


def forked(out: Path, port: int, moment_s: float | None) -> int:
    """A run in a process of its own, killed after `moment_s`; its wait status."""
    child = os.fork()
    if not child:
        try:
            run(out, port, (out / "journal" / "run.json").exists())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(3)
    until = None if moment_s is None else time.monotonic() + moment_s
    while until is not None and time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.001)
    if until is not None:
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def main(folder: Path, port: int, kills: int) -> list[dict[str, Any]]:
    """Runs until `kills` of them were killed; a first one, left alone, tells how long one takes."""
    chance, results = random.Random(7), []
    begun = time.monotonic()
    assert forked(folder / "whole", port, None) == 0
    whole_s, killed = time.monotonic() - begun, 0
    while killed < kills:
        out = folder / f"run-{len(results)}"
        hit = os.WIFSIGNALED(forked(out, port, chance.uniform(0, whole_s)))
        killed += hit
        assert not hit or forked(out, port, None) == 0, "the resumed run failed"
        results.append({"run": out.name, "killed": hit, **json.loads((out / "result.json").read_text())})
    return results


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
