"""Readable, unique Python names for the tensors of a region and the state of the model."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping

from torch import fx
from torch._subclasses.fake_tensor import is_fake
from torch.export import ExportedProgram

from ..math import HELPERS

RESERVED = frozenset(
    {
        "torch",
        "triton",
        "tl",
        "nn",
        "F",
        "self",
        "out",
        "n_rows",
        "n_cols",
        "n_k",
        "n_batch",
        "n_elements",
        "n_keys",
        "n_inner",
        "n_held_rows",
        "n_held_cols",
        "tiles_of",
        "n_images",
        "n_channels",
        "packed_channels",
        "packed_row",
        "place_blocks",
        "channel_blocks",
        "weight_blocks",
        "row_tiles",
        "place_tiles",
        "depth",
        "height",
        "width",
        "TensorDescriptor",
        "units",
    }
)
"""Names that generated files use themselves."""

LOCALS = frozenset({
    "row", "rows", "cols", "mask", "row_mask", "col_mask", "offsets", "batch", "start", "part", "parts",
    "tile", "lanes", "edges", "edge_mask", "edge_cols", "row_start", "row_end", "body_start", "body_end",
    "part_size", "part_start", "part_end", "col_blocks", "first_row", "n_outer", "n_inner",
    "first_cols", "first_mask", "first_rows", "first_row_mask", "first_col_mask", "first_outer",
    "done", "last_start", "last_outer",
    "program", "n_tiles", "row_blocks", "tile_row", "tile_col", "left_ks", "right_ks", "left_ks_mask",
    "right_ks_mask", "left_mask", "right_mask", "keys", "down_keys", "key_mask", "down_key_mask",
    "score_mask", "value_mask",
    "last_key", "whole_keys", "inner_start", "half",
    "row_lanes", "row_sets", "col_lanes", "col_sets", "out_rows", "out_cols", "held_rows", "held_cols",
    "out_row_mask", "out_col_mask", "held_row_mask", "held_col_mask",
    "stretch", "steps", "step", "product", "left_part", "right_part",
    "number", "first", "wide", "rest", "second", "third",
})  # fmt: skip
"""Variables that kernels use for where they are."""


def identifier(text: str) -> str:
    """A lower-case identifier made of a file or operator name: "19_ReLU" gives "relu"."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", "_", re.sub(r"\W+", "_", text))
    name = re.sub(r"_+", "_", words).strip("_").lstrip("0123456789_").lower()
    return f"{name}_op" if not name or keyword.iskeyword(name) else name


def state_path(program: ExportedProgram, node: fx.Node) -> str | None:
    """`norm.weight` for a placeholder of a parameter, a buffer, or a plain tensor that the constructor makes.

    The model is built on fake tensors, so a real one was written down by forward itself and has no such path.
    """
    signature, name = program.graph_signature, node.name
    path: str | None = signature.inputs_to_parameters.get(name) or signature.inputs_to_buffers.get(name)
    if path is None and (constant := signature.inputs_to_lifted_tensor_constants.get(name)):
        path = constant if is_fake(program.constants.get(constant)) else None
    return path


def state_source(path: str) -> str:
    """`self.layers[0].weight` for `layers.0.weight`."""
    return "self." + re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", path)


class Names:
    """Hands out names: the last word of a parameter's path, an input's own name, a node's name."""

    def __init__(
        self,
        program: ExportedProgram,
        inputs: Mapping[str, str],
        taken: Iterable[str] = (),
        *,
        plain: bool = False,
    ) -> None:
        """Under `plain` names a tensor that is no parameter is x: for kernels that serve several regions."""
        self._program, self._inputs, self._plain = program, inputs, plain
        self._taken: set[str] = {*RESERVED, *HELPERS, *taken}

    def name(self, node: fx.Node) -> str:
        path = state_path(self._program, node)
        base = path.rsplit(".", 1)[-1] if path else self._inputs.get(node.name, node.name)
        base = base.removeprefix("c_lifted_").rstrip("_") or "value"
        if self._plain:
            base = base if path else "x"
        elif path and base in self._taken:
            base = path.replace(".", "_")
        return self.unique(base if base.isidentifier() else identifier(base))

    def unique(self, base: str) -> str:
        name, count = base, 1
        while name in self._taken or keyword.iskeyword(name):
            count += 1
            name = f"{base}_{count}"
        self._taken.add(name)
        return name
