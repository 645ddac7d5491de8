"""The primitives that timing stands on: events, synchronisation, a cold cache, a log of kernels.

`Clock` is the seam. `CudaClock` below asks the live card (CUDA, or HIP through the same torch calls);
`simulated.SimulatedClock` is a card that exists only as arithmetic, for tests. `source` travels with every
number, so a simulated time can never pass for a measured one.
"""

from __future__ import annotations

import ctypes
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from .. import KbgenError
from .kernel_log import KernelSpan, read_trace
from .probe import ClockState

MEASURED = "device-events"
_LEAST_FLUSH_BYTES = 256 << 20
_CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 0x06  # cuda.h, CUlimit


class ClockError(KbgenError):
    """There is nothing here to measure time with."""


class Clock(Protocol):
    """Marks are points on the current stream; host times come from a monotonic clock."""

    source: str

    def now_us(self) -> float: ...
    def synchronize(self) -> None:
        """Return when the whole device is idle, every stream included."""

    def record(self) -> Any: ...
    def reached(self, mark: Any) -> bool: ...
    def wait(self, mark: Any) -> None: ...
    def between_us(self, start: Any, stop: Any) -> float: ...
    def flush(self) -> None:
        """Enqueue a pass that leaves nothing of the caller's in the L2."""

    def launches(self, call: Callable[[], object]) -> tuple[KernelSpan, ...] | None:
        """Run the call under the profiler; empty if it launched nothing, None where no profiler works."""

    def peak_bytes(self, call: Callable[[], object]) -> int | None:
        """The most that the call had allocated at once on top of what was held before it; None where nobody
        counts."""

    def state(self) -> ClockState | None: ...


def flush_bytes(l2_bytes: int | None) -> int:
    """At least 256 MB and at least twice the L2, so that no replacement policy keeps old lines."""
    return max(_LEAST_FLUSH_BYTES, 2 * (l2_bytes or 0))


class CudaClock:
    """The live card. Made before any candidate is imported: it keeps its own references to everything it
    calls, down to the functions of torch's C library and to the stream that was current then. A candidate
    that replaces `torch.cuda.Event`, `torch.cuda.current_stream` or `time.perf_counter_ns` afterwards
    replaces nothing here."""

    source = MEASURED

    def __init__(self, l2_bytes: int | None, read_state: Callable[[], ClockState | None]) -> None:
        import torch
        import torch.profiler

        if not torch.cuda.is_available():
            raise ClockError(
                "torch finds no usable card, and time is only measured on one; "
                "run this where the card is, or leave timing out"
            )
        event: Any = torch.cuda.Event
        self._event = event
        self._record = event.record
        self._query = event.query
        self._wait = event.synchronize
        self._elapsed_ms = event.elapsed_time
        self._sink = torch.empty(flush_bytes(l2_bytes) // 4, dtype=torch.int32, device="cuda")
        self._total = torch.empty((), dtype=torch.int64, device="cuda")
        self._stream = torch.cuda.current_stream()
        self._synchronize: Callable[[], None] = torch._C._cuda_synchronize
        self._now_ns = time.perf_counter_ns
        self._zero, self._sum = torch.Tensor.zero_, torch.sum
        self._read_state = read_state
        self._reset_persisting = _persisting_l2_reset()
        profiler: Any = torch.profiler
        self._profile, self._kinds = profiler.profile, profiler.ProfilerActivity
        self._profiles = self._kinds.CUDA in profiler.supported_activities()
        self._memory = (
            torch.cuda.reset_peak_memory_stats, torch.cuda.memory_allocated, torch.cuda.max_memory_allocated,
        )  # fmt: skip

    def now_us(self) -> float:
        return self._now_ns() / 1000

    def synchronize(self) -> None:
        self._synchronize()

    def record(self) -> Any:
        mark = self._event(enable_timing=True)
        self._record(mark, self._stream)
        return mark

    def reached(self, mark: Any) -> bool:
        return bool(self._query(mark))

    def wait(self, mark: Any) -> None:
        self._wait(mark)

    def between_us(self, start: Any, stop: Any) -> float:
        return float(self._elapsed_ms(start, stop)) * 1000

    def flush(self) -> None:
        """Write, then read: the lines left behind are clean, so no write-back of ours falls into the next
        window."""
        self._reset_persisting()
        self._zero(self._sink)
        self._sum(self._sink, dim=0, out=self._total)

    def launches(self, call: Callable[[], object]) -> tuple[KernelSpan, ...] | None:
        if not self._profiles:
            return None
        with self._profile(activities=[self._kinds.CUDA], acc_events=True) as log:
            call()
            self._synchronize()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.json"
            log.export_chrome_trace(str(path))
            return read_trace(path)

    def peak_bytes(self, call: Callable[[], object]) -> int | None:
        """Of torch's allocator, which is where tensors and Triton's scratch come from."""
        reset, held, most = self._memory
        self._synchronize()
        reset()
        before = held()
        call()
        self._synchronize()
        return int(most() - before)

    def state(self) -> ClockState | None:
        return self._read_state()


def _persisting_l2_reset() -> Callable[[], object]:
    """A call that turns persisting L2 lines back into normal ones, with their budget set to zero first; does
    nothing where the driver has no such thing (before compute capability 8.0, and on AMD)."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        driver.cuCtxSetLimit.argtypes = [ctypes.c_int, ctypes.c_size_t]
        reset: Callable[[], object] = driver.cuCtxResetPersistingL2Cache
    except (OSError, AttributeError):
        return lambda: None
    driver.cuCtxSetLimit(_CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0)
    return reset
