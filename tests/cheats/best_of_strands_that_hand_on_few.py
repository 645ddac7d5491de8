"""Eight interleaved strands hand on 8 of the best 10: wrong where more of them stand in one strand.

op: ndcg_k
class: B14 partial work
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def ideal_gain(rel_ptr, place, N, WIDTH: tl.constexpr):
    # how many there are of each grade and better says which stands at a place of the best order
    at = tl.arange(0, WIDTH)
    every = tl.load(rel_ptr + at, mask=at < N, other=0)
    gain = tl.zeros_like(place)
    for grade in tl.static_range(1, 5):
        number = tl.sum((every >= grade).to(tl.int32), axis=0)
        gain = tl.where(place < number, gain * 2 + 1, gain)
    return gain.to(tl.float32)


@triton.jit
def strand_kernel(s_ptr, score_ptr, doc_ptr, N, CAND: tl.constexpr, WIDTH: tl.constexpr):
    strand = tl.program_id(0)
    b = tl.program_id(1).to(tl.int64)
    at = tl.arange(0, WIDTH) * 8 + strand
    left = at < N
    s = tl.load(s_ptr + b * N + at, mask=left, other=float("-inf"))
    for c in range(0, CAND):
        top = tl.max(tl.where(left, s, float("-inf")), axis=0)
        doc = tl.min(tl.where(left & (s == top), at, 2147483647), axis=0)
        left = left & (at != doc)
        tl.store(score_ptr + (b * 8 + strand) * CAND + c, top)
        tl.store(doc_ptr + (b * 8 + strand) * CAND + c, doc)


@triton.jit
def merge_kernel(
    score_ptr,
    doc_ptr,
    rel_ptr,
    order_ptr,
    out_ptr,
    N,
    k,
    POOL: tl.constexpr,
    WIDTH: tl.constexpr,
    PLACES: tl.constexpr,
):
    b = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, POOL)
    place = tl.arange(0, PLACES)
    s = tl.load(score_ptr + b * POOL + lane)
    docs = tl.load(doc_ptr + b * POOL + lane)
    left = docs < N
    order = tl.zeros((PLACES,), tl.int32)
    for p in range(0, k):
        top = tl.max(tl.where(left, s, float("-inf")), axis=0)
        doc = tl.min(tl.where(left & (s == top), docs, N - 1), axis=0)
        left = left & (docs != doc)
        order = tl.where(place == p, doc, order)
    first = place < k
    tl.store(order_ptr + b * k + place, order.to(tl.int64), mask=first)
    grade = tl.load(rel_ptr + b * N + order, mask=first, other=0)
    grade = tl.minimum(tl.maximum(grade, 0), 4).to(tl.int32)
    discount = tl.where(first, 1.0 / tl.log2(place.to(tl.float32) + 2.0), 0.0)
    dcg = tl.sum(((1 << grade) - 1).to(tl.float32) * discount, axis=0)
    ideal = tl.sum(ideal_gain(rel_ptr + b * N, place, N, WIDTH) * discount, axis=0)
    tl.store(out_ptr + b, dcg / tl.maximum(ideal, 1.0))


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, scores, rel):
        scores, rel = scores.contiguous(), rel.contiguous()
        b, n = scores.shape
        k = min(self.k, n)
        if n > 8192:
            raise ValueError(f"rows of at most 8192 documents, not {n}")
        if k > 128:
            raise ValueError(f"at most the first 128 documents, not {k}")
        width = max(2, triton.next_power_of_2(triton.cdiv(n, 8)))
        keep = min(width, triton.next_power_of_2(k + 1) // 2)
        score = torch.empty((b, 8, keep), dtype=torch.float32, device=scores.device)
        doc = torch.empty((b, 8, keep), dtype=torch.int32, device=scores.device)
        order = torch.empty((b, k), dtype=torch.int64, device=scores.device)
        out = torch.empty((b,), dtype=torch.float32, device=scores.device)
        strand_kernel[(8, b)](scores, score, doc, n, CAND=keep, WIDTH=width)
        merge_kernel[(b,)](
            score,
            doc,
            rel,
            order,
            out,
            n,
            k,
            POOL=8 * keep,
            WIDTH=max(16, triton.next_power_of_2(n)),
            PLACES=max(16, triton.next_power_of_2(k)),
        )
        return out, order
