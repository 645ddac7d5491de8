"""Says what the operator is and what holds it back: source, shapes, least work, diagnosis with evidence."""

from __future__ import annotations

from ...profiling.classify import Diagnosis
from ...profiling.trace import TensorSpec, TracedOp
from .prompt import Item, Part

_MODES = {"as-is": "as the file leaves it", "train": "train()", "eval": "eval()"}


def operator_part(traced: TracedOp) -> Part:
    """The op file whole, and its tensors at full size."""
    op = traced.op
    given = "".join(
        f"\n- `{name} = {value!r}` replaces the file's own" for name, value in op.overrides.items()
    )
    facts = (
        f"- inputs: {_tensors(traced.inputs)}\n- outputs: {_tensors(traced.outputs)}\n"
        f"- module mode: {_MODES[traced.mode]}{given}"
    )
    source = f"```\n{op.source.strip()}\n```"
    return Part("operator", f"The operator: {op.name}", (Item(f"{source}\n\n{facts}"),), needed=True)


def diagnosis_part(traced: TracedOp, diagnosis: Diagnosis) -> Part:
    """What any kernel must do, and what holds eager PyTorch back, class by class with its numbers."""
    least = (
        f"- family {traced.family}; at least {traced.bytes_min / 2**20:.1f} MiB through DRAM and "
        f"{traced.flops / 1e9:.3g} GFLOP a call"
    )
    roof = diagnosis.roofline
    if roof is not None:
        least += (
            f"\n- {roof.bound}-bound: {roof.intensity:.2f} flop/byte against a ridge of {roof.ridge:.1f}; no "
            f"kernel can take less than {roof.attainable_us:.1f} us"
        )
    found = [
        f"- {one.evidence}" + (f". Remedies: {'; '.join(one.remedies)}" if one.remedies else "")
        for one in diagnosis.bottlenecks
    ]
    held = "\n".join(("As eager PyTorch runs it, one operator after another:", *found)) if found else ""
    items = tuple(Item(text) for text in (least, held) if text)
    return Part("diagnosis", "What holds it back", items, needed=True)


def _tensors(specs: tuple[TensorSpec, ...]) -> str:
    return ", ".join(
        f"{one.dtype}{list(one.shape)}" + ("" if _packed(one) else f" strides {list(one.strides)}")
        for one in specs
    )


def _packed(one: TensorSpec) -> bool:
    """Whether elements lie row by row without gaps."""
    step = 1
    for size, stride in zip(reversed(one.shape), reversed(one.strides), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return True
