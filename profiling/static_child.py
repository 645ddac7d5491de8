"""The child of `static.py`: runs a candidate's forward on fake tensors and compiles what it launched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

# What the first fake tensor and the first launch import is more than a second of work: named here, it is done
# before a warm start forks (see nursery.py).
import torch.fx.experimental.validator
import triton.experimental.gluon  # noqa: F401
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from .build import build
from .compile import Attempt, Compiled, compile_all
from .kernel_key import kernel_key, kernel_texts
from .launches import Launch, Variant, recording
from .sandbox_child import serve
from .source import OpError, Source, blame, execute, quiet, read_source
from .standin import Card, present


def handle(request: Mapping[str, Any]) -> dict[str, Any]:
    """`{"kernels": [...]}`, or `{"error": sentence}` when the candidate cannot be run at all. What is in
    `known`, by its key, is taken as it is."""
    card = Card(**request["card"])
    op = Source(Path(request["op"]), request["source"])
    with present(card):
        try:
            source = read_source(Path(request["candidate"]))
            launches = _launches(source, op, request["overrides"])
        except OpError as error:
            return {"error": str(error)}
        texts, known = kernel_texts(source.text, request["overrides"]), request.get("known", {})
        keys = {v: kernel_key(texts, v.request) for launch in launches for v in launch.variants}

        def seen(variant: Variant) -> Compiled | None:
            found = known.get(keys[variant])
            return Compiled.from_json(found) if found else None

        attempts = compile_all(launches, card.shared_bytes_per_block, seen)
    return {
        "kernels": [_kernel(launch, tried, keys) for launch, tried in zip(launches, attempts, strict=True)]
    }


def _launches(source: Source, op: Source, overrides: Mapping[str, Any]) -> list[Launch]:
    """What `ModelNew(*get_init_inputs())(*get_inputs())` launches at full size."""
    shared_overrides = {name: value for name, value in overrides.items() if name in source.assigned()}
    with torch.no_grad(), recording() as recorder:
        made = getattr(execute(source, shared_overrides), "ModelNew", None)
        if made is None:
            raise OpError(f"{source.path} has no class ModelNew; add it with the constructor of Model.")
        reference = execute(op, overrides)
        vars(reference)["Model"] = _Arguments
        shapes = ShapeEnv()
        with FakeTensorMode(allow_non_fake_inputs=True, static_shapes=True, shape_env=shapes) as mode:
            arguments, inputs = build(reference, op.path, seed=0)
            assert isinstance(arguments, _Arguments)
            with quiet(), torch.device("cpu"):
                model = _told(source, "ModelNew()", lambda: made(*arguments.positional, **arguments.named))
                mode.shape_env = None  # a constructor may read numbers it has made itself, forward may not
                _told(source, "forward()", lambda: model(*inputs))
    return recorder.launches


class _Arguments(nn.Module):
    """Stands where Model stood, to learn what it would be made with."""

    def __init__(self, *positional: Any, **named: Any) -> None:
        super().__init__()
        self.positional, self.named = positional, named


def _told(source: Source, what: str, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        blamed = blame(error, source.path)
        raise OpError(f"{what} of {source.path.name} fails on fake tensors: {blamed}.") from error


def _kernel(launch: Launch, tried: list[Attempt], keys: Mapping[Variant, str | None]) -> dict[str, Any]:
    """The last attempt is the one to report: the first that fits, or the last resort when none does."""
    chosen = next((attempt for attempt in reversed(tried) if attempt.compiled), tried[-1])
    return {
        "name": launch.kernel,
        "key": keys[chosen.variant],
        "grid": chosen.variant.grid,
        "config": chosen.variant.config,
        "configs_tried": len(tried),
        "configs": len(launch.variants),
        "launches": launch.times,
        "error": chosen.error,
        "compiled": asdict(chosen.compiled) if chosen.compiled else None,
    }


if __name__ == "__main__":
    serve(handle)
