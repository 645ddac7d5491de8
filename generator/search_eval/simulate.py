"""Runs a kernel on a simulated device: blocks take slots, progress together, and leave at their own times.

All blocks of a kernel do the same, so each progresses at a rate that depends on how many run beside it. Work
is counted in blocks done; events are blocks that end and blocks that take their slots (a queue, no formula of
waves), so a tail is what is left when nothing more waits.
"""

from __future__ import annotations

import heapq
import random
from functools import cache

from ..evaluated import Evaluated
from .machine import Machine
from .work import Work

MOST_EVENTS = 2000
"""Blocks are simulated in groups where there are more of them."""

SHARP = 4.0
"""Exponent of the norm by which units that are busy side by side delay each other."""


def simulated_us(found: Evaluated, machine: Machine, kernels: list[Work]) -> float:
    """Time of all kernels of a candidate, one after another."""
    total = sum(machine.launch_us + kernel_us(work, machine) for work in kernels)
    return total * machine.quirk_of(found.candidate.code)


def kernel_us(work: Work, machine: Machine) -> float:
    """From the first block's start to the last one's end."""
    slots = machine.units * work.resident
    group = max(1, work.blocks // MOST_EVENTS)
    dice = random.Random(f"{machine.seed} {work}")
    left = work.blocks
    running: list[float] = []
    done = now_ns = 0.0

    @cache
    def block_ns(active: int) -> float:
        return _block_ns(work, machine, active)

    while left or running:
        while left and len(running) < -(-slots // group):
            size = min(group, left)
            heapq.heappush(running, done + max(0.2, dice.gauss(1.0, machine.jitter / group**0.5)))
            left -= size
        end = heapq.heappop(running)
        active = min(slots, (len(running) + 1) * group)
        now_ns += (end - done) * block_ns(active)
        done = end
    return now_ns * 1e-3


def _block_ns(work: Work, machine: Machine, active: int) -> float:
    """Time of one block beside so many: its steps, its barriers and waits, its start and its results."""
    beside = max(1.0, active / machine.units)
    missed = _missed(work, machine, active)
    dram = machine.dram_gb_s * (1 - machine.write_cost * _written_share(work)) / active
    l2 = machine.l2_gb_s / active
    lanes = machine.issue_per_ns / beside
    read = work.step_bytes * missed / dram
    arithmetic = (work.operations + work.requests * 8 * machine.warp) / lanes
    special = work.specials / (machine.special_per_ns / beside)
    requests = work.requests * machine.request_clocks / machine.clock_ghz * beside
    matrix, alone = _matrix_ns(work, machine) * beside, _matrix_ns(work, machine)
    shared = _norm(read, work.step_bytes / l2, arithmetic + special, requests, matrix)
    busy = min(1.0, read / shared) if shared else 0.0
    latency = missed * machine.dram_latency_ns * (1 + machine.queue * busy**3)
    latency += (1 - missed) * machine.l2_latency_ns
    own = (arithmetic + special) / beside + alone
    if work.stages > 1:
        step = max(shared, own, latency / (work.stages - 1)) + machine.step_ns
    else:
        step = max(shared, latency + own) + (machine.step_ns if work.steps > 1 else 0.0)
    waits = work.waits * machine.l2_latency_ns + work.barriers * machine.barrier_ns
    results = work.written / dram
    hidden = min(1.0, 1.0 / beside)
    return work.steps * step + waits * hidden + results + machine.block_ns * hidden


def _missed(work: Work, machine: Machine, active: int) -> float:
    """Share of the readings that go to DRAM: the first ones, and what was evicted until it was read again."""
    if work.matrix_flops:
        return work.fresh
    spread = active * work.again_bytes
    room = machine.l2_bytes * (1.0 if work.kept else 0.92)
    ratio = room / spread if spread > room else 1.0
    held = ratio if work.walks_back else max(0.0, 1.5 * ratio - 0.5)
    return work.fresh + (1 - work.fresh) * (1 - held)


def _written_share(work: Work) -> float:
    whole = work.written + work.steps * work.step_bytes * work.fresh
    return work.written / whole if whole else 0.0


def _matrix_ns(work: Work, machine: Machine) -> float:
    """Time of a step's products on the unit by itself; narrow tiles of a warp leave it waiting."""
    if not work.matrix_flops:
        return 0.0
    rows, cols = work.tile
    reached = machine.matrix_share / (1 + machine.tile_overhead / rows + machine.tile_overhead / cols)
    rate = work.peak_tflops * 1e3 / machine.units * reached * (1 - machine.throttle)
    return work.matrix_flops / rate * machine.bank_factor(work.row_bytes)


def _norm(*parts: float) -> float:
    return float(sum(part**SHARP for part in parts) ** (1 / SHARP))
