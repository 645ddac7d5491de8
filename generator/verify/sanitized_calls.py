"""What compute-sanitizer watches: builds a candidate on the card and calls it, judging nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import torch
from torch import nn

from ...profiling.build import build
from ...profiling.op import Op
from ...profiling.source import execute, read_source
from .text.candidate import with_constants


def main(request_file: str, device: str) -> None:
    """Make the calls that `sanitizer.py` asked for, each twice: the second reuses what the first left."""
    request = json.loads(Path(request_file).read_text())
    for overrides in request["overrides"]:
        op = Op(Path(request["op"]), request["source"], {}, overrides)
        model, inputs = op.instantiate(request["seed"], device=device)
        candidate = _built(Path(request["candidate"]), op, device)
        candidate.load_state_dict(model.state_dict())
        if request["mode"] != "as-is":
            candidate.train(request["mode"] == "train")
        with torch.no_grad():
            for _ in range(2):
                candidate(*inputs)
                if device == "cuda":
                    torch.cuda.synchronize()


def _built(path: Path, op: Op, device: str) -> nn.Module:
    source = read_source(path)
    made = execute(replace(source, text=with_constants(source.text, op.overrides)), {}).ModelNew
    reference = op.module()
    vars(reference)["Model"] = made
    return build(reference, op.path, seed=0, device=device)[0]
