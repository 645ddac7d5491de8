"""Decisions that follow from the operator alone and are part of every schedule, each with its technique."""

from __future__ import annotations

from ..dtypes import EIGHT_BITS
from ..expr import Contract, Load
from ..loops import Loops
from ..rewrite import op_name
from ..schedule import Choice
from ..skeletons.frame import is_wide
from ..skeletons.scores import looks_back_only
from ..traces import aten_name
from ..views import PLUMBING, is_view

INHERENT = (
    "fuse-row-program",
    "fuse-elementwise",
    "gemm-epilogue-fusion",
    "epilogue-reduction",
    "causal-tile-skip",
    "linear-then-reduce",
    "flat-grid",
    "pair-halves",
    "wide-offsets",
    "fp32-accumulate",
    "fp8-promotion",
    "shrink-tile",
)
"""Techniques that are no step of the search: the partition, the skeletons and the mend have them built in."""


def inherent(loops: Loops) -> tuple[Choice, ...]:
    """What the partition and the skeleton decided for one region."""
    region = loops.region
    ops = sum(1 for n in region.nodes if aten_name(n) and not is_view(n) and op_name(n) not in PLUMBING)
    found: list[Choice] = []
    if loops.reduced and ops > 1:
        found.append(
            Choice(
                "fusion",
                f"{ops} operators in one row program",
                "reductions and the work around them share the row",
                "fuse-row-program",
            )
        )
    elif loops.tiling is not None and loops.tiling.inner:
        found += _of_attention(loops)
    elif loops.tiling is not None:
        if ops > 1:
            found.append(
                Choice(
                    "fusion",
                    f"{ops} operators in one kernel",
                    "what follows the product is done before its tile leaves the registers",
                    "gemm-epilogue-fusion",
                )
            )
        if loops.tiling.holds:
            why = "a tile holds whole what is reduced of its results, so none of these is stored for it"
            found.append(Choice("reductions", "in the tile", why, "epilogue-reduction"))
    elif ops > 1:
        found.append(
            Choice(
                "fusion",
                f"{ops} operators in one kernel",
                "nothing between them goes through memory",
                "fuse-elementwise",
            )
        )
    if not loops.reduced and loops.tiling is None:
        found.append(
            Choice(
                "grid", "flat", "axes that lie behind one another in memory are walked as one", "flat-grid"
            )
        )
    if region.unrolled_axes:
        found.append(
            Choice("halves", "read once, both written", "the joined parts share their loads", "pair-halves")
        )
    if is_wide(loops):
        found.append(Choice("offsets", "64 bit", "the tensor passes 2^31 elements", "wide-offsets"))
    short = {n.dtype for n in region.builder.nodes if isinstance(n, Load)} & {"bf16", "fp16"}
    if short:
        found.append(
            Choice(
                "arithmetic",
                "fp32",
                f"{', '.join(sorted(short))} is widened on load and rounded once on store",
                "fp32-accumulate",
            )
        )
    nodes = [n for n in region.builder.nodes if isinstance(n, Contract) and not n.fast]
    if any(region.builder.dtype(n.left) in EIGHT_BITS for n in nodes):
        why = "Hopper's matrix units keep 14 bits of a sum of 8-bit products"
        found.append(Choice("sums", "each step's added in fp32", why, "fp8-promotion"))
    return tuple(found)


def _of_attention(loops: Loops) -> list[Choice]:
    found = [Choice("scores", "kept on the chip", "they are as many as queries times keys", "flash-tiling")]
    if looks_back_only(loops):
        why = "a query sees no key behind its own place, so tiles of such keys are not visited"
        found.append(Choice("keys", "up to the last query's place", why, "causal-tile-skip"))
    return found
