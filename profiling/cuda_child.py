"""The child of `cuda_static.py`: hands one source to NVRTC, where nothing is lost if it breaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from .nvrtc import NvrtcError, compile_cuda
from .sandbox_child import serve


def handle(request: Mapping[str, Any]) -> dict[str, Any]:
    """A compilation, or `unknown`: why nothing can be said."""
    try:
        return asdict(compile_cuda(request["text"], request["target"], request["kernels"]))
    except NvrtcError as error:
        return {"unknown": str(error)}


if __name__ == "__main__":
    serve(handle)
