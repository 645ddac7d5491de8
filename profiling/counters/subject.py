"""The program that a profiler watches: warms an op or a candidate up, then makes one call inside the range.

Compiling, autotuning and the making of inputs happen before cudaProfilerStart, so they are not counted. It
runs beside the sandbox, which a profiler could not see into: only what the user trusts, or the judge passed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # loading it would load torch, which the program alone needs
    from torch import nn

    from ..op import Op

WARM_UPS = 3
_BOOT = """import sys
sys.path[:] = {path!r}
from {package}.subject import main
main({request!r})
"""


def subject_line(
    op: Op, candidate: Path | None, *, mode: str, seed: int, scratch: Path, device: str = "cuda"
) -> list[str]:
    """The command that calls `Model` of the op, or `ModelNew` of the candidate, at the op's full size."""
    scratch.mkdir(parents=True, exist_ok=True)
    request = scratch / "subject.json"
    asked = {
        "op": str(op.path), "source": op.source, "overrides": dict(op.overrides), "mode": mode, "seed": seed,
        "candidate": str(candidate.resolve()) if candidate else None, "device": device,
    }  # fmt: skip
    request.write_text(json.dumps(asked), encoding="utf-8")
    boot = _BOOT.format(path=sys.path, package=__package__, request=str(request.resolve()))
    return [sys.executable, "-c", boot]


def main(request_file: str) -> None:
    """Make the calls that `subject_line` asked for."""
    import torch

    from ..op import Op

    asked = json.loads(Path(request_file).read_text(encoding="utf-8"))
    op = Op(Path(asked["op"]), asked["source"], {}, asked["overrides"])
    model, inputs = op.instantiate(asked["seed"], device=asked["device"])
    called = _candidate(op, asked, model) if asked["candidate"] else model
    if asked["mode"] != "as-is":
        called.train(asked["mode"] == "train")
    with torch.no_grad():
        for _ in range(WARM_UPS):
            called(*inputs)
        with _in_range(asked["device"]):
            called(*inputs)


@contextmanager
def _in_range(device: str) -> Iterator[None]:
    """All of what is launched inside, and nothing else, between the profiler's start and stop."""
    import torch

    if device != "cuda":
        yield
        return
    nvidia = torch.version.hip is None  # rocprofv3 is told launches by their number instead
    torch.cuda.synchronize()
    if nvidia:
        torch.cuda.profiler.start()  # type: ignore[no-untyped-call]
    yield
    torch.cuda.synchronize()
    if nvidia:
        torch.cuda.profiler.stop()  # type: ignore[no-untyped-call]


def _candidate(op: Op, asked: Mapping[str, Any], model: nn.Module) -> nn.Module:
    """`ModelNew` with the arguments and the weights of `Model`."""
    from ..build import build
    from ..source import OpError, execute, read_source

    source = read_source(Path(asked["candidate"]))
    overrides = {name: value for name, value in op.overrides.items() if name in source.assigned()}
    made = getattr(execute(source, overrides), "ModelNew", None)
    if made is None:
        raise OpError(f"{source.path} has no class ModelNew; add it with the constructor of Model.")
    reference = op.module()
    vars(reference)["Model"] = made
    built = build(reference, op.path, asked["seed"], asked["device"])[0]
    built.load_state_dict(model.state_dict())
    return built
