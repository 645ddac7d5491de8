"""A child process: run candidate files in Triton's interpreter against the same model in double precision.

Reads lines of JSON {op, candidate, overrides, truncating} on standard input and answers each with one:
{"worst": largest relative error of an output or a buffer} or {"failed": what went wrong}.
"""

from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"

import copy
import json
import signal
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch.utils import _pytree as pytree
from truncating import Units

from kbgen.generator.verify.interpreter.interpreter import Watch, install
from kbgen.generator.verify.reference.eight_bits import EIGHT_BITS
from kbgen.profiling.op import load_op
from kbgen.profiling.source import execute, read_source

SMS = 3
"""What the device has: programs that stay walk several tiles of most products, and one of the small ones."""

ROUNDED = {torch.bfloat16: 1024, torch.float16: 128, **dict.fromkeys(EIGHT_BITS, 1024)}
"""How many times what an fp32 result may be off by; of eight bits, a value or two in a thousand by a step."""

LIMIT_S = 300
"""A kernel that never ends takes the child with it."""


def main() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    watch, units = Watch(), Units()
    units.install()
    install(watch, "sm_90")
    device: Any = torch.cuda
    device.get_device_properties = lambda _: SimpleNamespace(multi_processor_count=SMS)
    for line in sys.stdin:
        signal.alarm(LIMIT_S)
        job = json.loads(line)
        watch.begin()
        units.truncate = job["truncating"]
        try:
            answer: dict[str, Any] = {
                "worst": worst(Path(job["op"]), Path(job["candidate"]), job["overrides"])
            }
            if watch.memory.violations:
                answer = {"failed": f"{watch.memory.violations[0]}"}
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {str(error)[:400]}"}
        print(json.dumps(answer), flush=True)


def worst(op_path: Path, candidate: Path, overrides: dict[str, Any]) -> float:
    op = load_op(op_path, overrides)
    model, inputs = op.instantiate(3)
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator).to(parameter.dtype) * 0.3)
    source = read_source(candidate)
    shared = {k: v for k, v in overrides.items() if k in source.assigned()}
    namespace = execute(source, shared)
    new = namespace.ModelNew(*op.module().get_init_inputs())
    new.load_state_dict(model.state_dict())
    short = any(isinstance(x, torch.Tensor) and x.dtype in EIGHT_BITS for x in inputs)
    exact = copy.deepcopy(model) if short else copy.deepcopy(model).double()  # which torch multiplies in fp32
    wide = [
        x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() and not short else x
        for x in inputs
    ]
    before = [x.clone() if isinstance(x, torch.Tensor) else x for x in inputs]
    with torch.no_grad():
        want, want_tree = pytree.tree_flatten(exact(*wide))
        reference, _ = pytree.tree_flatten(copy.deepcopy(model)(*[_copied(x) for x in inputs]))
        got, got_tree = pytree.tree_flatten(new(*inputs))
    assert want_tree == got_tree, f"{got_tree} instead of {want_tree}"
    for x, y in zip(inputs, before, strict=True):
        assert not isinstance(x, torch.Tensor) or same(x, y) == 0.0, "an input was changed"
    errors = [compared(w, r, g) for w, r, g in zip(want, reference, got, strict=True)]
    state = zip(exact.state_dict().values(), new.state_dict().values(), strict=True)
    return max([*errors, *(same(a, b) for a, b in state)], default=0.0)


def _copied(x: Any) -> Any:
    return x.clone() if isinstance(x, torch.Tensor) else x


def compared(want: Any, reference: Any, got: Any) -> float:
    if not isinstance(want, torch.Tensor):
        return 0.0 if want == got else 1.0
    assert got.shape == want.shape, f"shape {tuple(got.shape)} instead of {tuple(want.shape)}"
    assert got.dtype == reference.dtype, f"{got.dtype} instead of {reference.dtype}"
    if not got.is_floating_point():
        return same(reference, got)
    exact = want.double() if want.dtype == torch.float64 else reference.double()
    return same(exact, got) / ROUNDED.get(got.dtype, 1)


def same(want: torch.Tensor, got: torch.Tensor) -> float:
    """Relative error in the Frobenius norm; NaNs and infinities must stand where they stand in `want`."""
    a, b = want.double(), got.double()
    odd = ~(a.isfinite() & b.isfinite())
    if not torch.equal(a[odd].nan_to_num(7.0, 8.0, 9.0), b[odd].nan_to_num(7.0, 8.0, 9.0)):
        return float("inf")
    a, b = a.masked_fill(odd, 0.0), b.masked_fill(odd, 0.0)
    return float((a - b).norm() / (a.norm() + 1e-12))


if __name__ == "__main__":
    main()
