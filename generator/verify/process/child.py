"""Runs one candidate on the interpreter, call after call on the live instance, and reports what it did.

Started by `judge.py` through the sandbox with TRITON_INTERPRET=1. It knows inputs and weights and no expected
output. The same instance answers all calls of one shape, its inputs refilled at the same addresses and its
weights changed in place in between, so that anything cached by address, by identity or at construction shows.
Configurations of autotuned kernels that no call has run get calls of their own at the end.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

# numpy's two and gluon are what a first launch imports, and dynamo what a tensor without memory does: named
# here, it is done before a warm start forks, and before `stand_in` changes what dynamo registers with.
import numpy.ma
import numpy.random  # noqa: F401
import torch
import torch._dynamo
import triton.experimental.gluon  # noqa: F401

from ....profiling.sandbox_child import serve
from ..interpreter.conditions import Conditions, listed
from ..interpreter.interpreter import Watch, install
from ..interpreter.libdevice import emulate_libdevice
from ..interpreter.watched import watch_kernels
from .calls import Calls
from .exchange import RESULT_FILE, StepReport, report_json, take_request, write_call
from .integrity import changed_since, snapshot
from .loading import LeftRunningError, NotLoadableError, TooSlowError
from .stand_in import stand_in
from .state import WrongStateError


def handle(request: dict[str, Any]) -> dict[str, Any]:
    folder = Path.cwd()
    shapes, steps, full = take_request(folder)
    torch.set_num_threads(1)
    watch, conditions = Watch(), Conditions()
    watch.spins = lambda: conditions.spins
    install(watch, request["device"]["arch"])
    watch_kernels(conditions)
    emulate_libdevice()
    stand_in(request["device"]["properties"], request["device"]["arch"])
    write_call(folder, -1, StepReport("ok"), {"outputs": steps[0].inputs})  # leaves caches on classes
    before = snapshot()
    judging = Calls(shapes, steps, watch, conditions, request, folder, before)
    started = time.monotonic()
    try:
        judging.run()
        called = time.monotonic() - started
        configurations, left = watch.tuning.counts(), judging.left()
        patched, began = [*judging.patched, *changed_since(before)], time.monotonic()
        rehearsed = judging.at_full_size(full)
        reached = sorted(judging.reached.all())
        judging.ask_off_the_card()
    except NotLoadableError as error:
        return {"not_loadable": str(error)}
    except WrongStateError as error:
        return {"wrong_state": str(error)}
    except LeftRunningError as error:
        return {"left_running": str(error)}
    except TooSlowError as error:
        return {"first_call_s": error.taken_s}
    taken = time.monotonic() - began
    patched = patched or changed_since(before)  # before saving, which leaves caches of its own on classes
    torch.save(judging.tensors, folder / RESULT_FILE)
    return {
        "reports": [report_json(report) for report in judging.in_order()],
        "configurations": configurations,
        "reached": reached,
        "reached_off": sorted(judging.reached.all()),
        "rehearsed": asdict(rehearsed) if rehearsed else None,
        "left": listed(left.amounts),
        "calls_s": called,
        "full_size_s": taken,
        "patched": patched,
    }


if __name__ == "__main__":
    serve(handle)
