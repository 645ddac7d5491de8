"""Kernels of known cause in Triton: streams, reductions and matrix products."""

import triton
import triton.language as tl


@triton.jit  # type: ignore[untyped-decorator]
def specimen_copy_coalesced(x, y, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """y = x over n fp32 elements, 16 bytes a thread: what a card's DRAM gives at best to reads and writes."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + index, tl.load(x + index))


@triton.jit  # type: ignore[untyped-decorator]
def specimen_launch_bound(x, y, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """y = x + 1 over a thousand elements: over before it has begun."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + index, tl.load(x + index, mask=index < n) + 1.0, mask=index < n)


@triton.jit  # type: ignore[untyped-decorator]
def specimen_read_all(x, y, steps, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """One sum a program over `steps` blocks of fp32: reads everything once, at the pace of DRAM."""
    index = tl.program_id(0).to(tl.int64) * steps * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for step in range(steps):
        total += tl.load(x + index + step * BLOCK)
    tl.store(y + tl.program_id(0), tl.sum(total, 0))


@triton.jit  # type: ignore[untyped-decorator]
def specimen_tiny_grid(x, y, steps, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """The same with 16 programs: 16 units work, the others look on."""
    index = tl.program_id(0).to(tl.int64) * steps * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for step in range(steps):
        total += tl.load(x + index + step * BLOCK)
    tl.store(y + tl.program_id(0), tl.sum(total, 0))


@triton.jit  # type: ignore[untyped-decorator]
def specimen_special_functions(x, y, steps, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Chains of exp2: one in eight lanes of the fp32 rate."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + index)
    for _ in range(steps):
        value = tl.exp2(-value)
        value = tl.exp2(-value)
        value = tl.exp2(-value)
        value = tl.exp2(-value)
    tl.store(y + index, value)


@triton.jit  # type: ignore[untyped-decorator]
def _product(  # type: ignore[no-untyped-def]
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr
):
    """c[M, N] = a[M, K] @ b[K, N], row-major, sizes multiples of the tile; eight rows of tiles at a time."""
    tiles_m, tiles_n = M // BM, N // BN
    program = tl.program_id(0)
    first = program // (8 * tiles_n) * 8
    rows = min(tiles_m - first, 8)
    tile_m = first + program % (8 * tiles_n) % rows
    tile_n = program % (8 * tiles_n) // rows
    row, column, depth = tile_m * BM + tl.arange(0, BM), tile_n * BN + tl.arange(0, BN), tl.arange(0, BK)
    left, right = a + row[:, None] * K + depth[None, :], b + depth[:, None] * N + column[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(left), tl.load(right), total, input_precision=PRECISION)
        left += BK
        right += BK * N
    tl.store(c + row[:, None] * N + column[None, :], total.to(c.dtype.element_ty))


@triton.jit  # type: ignore[untyped-decorator]
def specimen_matmul_ieee(  # type: ignore[no-untyped-def]
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """fp32 in IEEE arithmetic: no tensor core takes part."""
    _product(a, b, c, M, N, K, BM, BN, BK, "ieee")


@triton.jit  # type: ignore[untyped-decorator]
def specimen_matmul_bf16(  # type: ignore[no-untyped-def]
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Large, square, bf16: the tensor cores are the limit."""
    _product(a, b, c, M, N, K, BM, BN, BK, "ieee")


@triton.jit  # type: ignore[untyped-decorator]
def specimen_matmul_tail(  # type: ignore[no-untyped-def]
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """144 tiles on 132 units: the second wave has 12."""
    _product(a, b, c, M, N, K, BM, BN, BK, "ieee")


@triton.jit  # type: ignore[untyped-decorator]
def specimen_product_chain(a, b, c, steps, SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    """a = a @ b, over and over: each product needs the one before it, converted by the warps in between."""
    row, column = tl.arange(0, SIZE), tl.arange(0, SIZE)
    tile = row[:, None] * SIZE + column[None, :]
    left, right = tl.load(a + tile), tl.load(b + tile)
    for _ in range(steps):
        left = tl.dot(left, right).to(left.dtype)
    tl.store(c + tl.program_id(0).to(tl.int64) * SIZE * SIZE + tile, left)
