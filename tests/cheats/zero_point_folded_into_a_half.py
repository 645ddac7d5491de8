"""Rounds value * scale and zero * scale to float16, each for itself, before it takes their difference.

op: unpack_dequant
class: B11 roundings before a difference
expected: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def unpack_kernel(
    words_ptr,
    zero_ptr,
    scale_ptr,
    out_ptr,
    count,
    fields,
    row_stride,
    word_stride,
    zero_stride,
    scale_stride,
    BITS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    field = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    live = field < fields
    offset = field.to(tl.int64) * BITS
    word = offset // 32
    shift = offset % 32
    line = words_ptr + row * row_stride
    low = tl.load(line + word * word_stride, mask=live, other=0).to(tl.int64) & 0xFFFFFFFF
    high = tl.load(
        line + (word + 1) * word_stride, mask=live & (word + 1 < count) & (shift + BITS > 32), other=0
    ).to(tl.int64)
    value = ((low | (high << 32)) >> shift) & ((1 << BITS) - 1)
    zero = tl.load(zero_ptr + row * zero_stride).to(tl.int64)
    scale = tl.load(scale_ptr + row * scale_stride)
    bias = (zero.to(tl.float32) * scale.to(tl.float32)).to(tl.float16)
    result = (value.to(tl.float32) * scale.to(tl.float32)).to(tl.float16) - bias
    tl.store(out_ptr + row * fields + field, result.to(out_ptr.dtype.element_ty), mask=live)


class ModelNew(torch.nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.bits = bits

    def forward(self, words, zero, scale):
        rows, count = words.shape
        fields = count * 32 // self.bits
        out = torch.empty((rows, fields), dtype=scale.dtype, device=words.device)
        block = 1024
        unpack_kernel[(rows, triton.cdiv(fields, block))](
            words,
            zero,
            scale,
            out,
            count,
            fields,
            words.stride(0),
            words.stride(1),
            zero.stride(0),
            scale.stride(0),
            BITS=self.bits,
            BLOCK=block,
        )
        return out
