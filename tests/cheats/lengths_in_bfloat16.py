"""Compares places with lengths that were cast to bfloat16, which rounds them beyond 256.

op: crc_of_frames
class: B23 integers cast to the compute dtype
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl


@triton.jit
def crc_lanes(data, lengths, table, out, B, N, LANES: tl.constexpr):
    row = tl.program_id(0) * LANES + tl.arange(0, LANES)
    ok = row < B
    length = tl.load(lengths + row, mask=ok, other=0.0).to(tl.float32)
    crc = tl.full((LANES,), 0xFFFF, dtype=tl.int32)
    for i in range(N):
        live = ok & (i < length)
        byte = tl.load(data + row * N + i, mask=live, other=0).to(tl.int32)
        place = ((crc >> 8) ^ byte) & 0xFF
        new = ((crc << 8) & 0xFFFF) ^ tl.load(table + place, mask=live, other=0)
        crc = tl.where(live, new, crc)
    tl.store(out + row, crc, mask=ok)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        table = []
        for i in range(256):
            c = i << 8
            for _ in range(8):
                c = ((c << 1) ^ 0x1021) & 0xFFFF if c & 0x8000 else c << 1
            table.append(c)
        self.register_buffer("table", torch.tensor(table, dtype=torch.int32))

    # wrong for frames of more than 256 bytes with odd lengths (301 of 400)
    def forward(self, data, lengths):
        data = data.contiguous()
        b, n = data.shape
        out = torch.empty((b,), dtype=torch.int32, device=data.device)
        crc_lanes[(triton.cdiv(b, 32),)](
            data, lengths.to(torch.bfloat16).contiguous(), self.table, out, b, n, LANES=32
        )
        return out
