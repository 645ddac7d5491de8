"""Every program walks through one frame up to its own length, through strides.

op: crc_of_frames
class: scalar program per frame, loop up to the length, strides
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def crc_one(data, lengths, table, out, sb, sn, ls):
    b = tl.program_id(0)
    n = tl.load(lengths + b * ls).to(tl.int32)
    crc = tl.full((), 0xFFFF, dtype=tl.int32)
    for i in range(0, n):
        byte = tl.load(data + b * sb + i * sn).to(tl.int32)
        crc = ((crc << 8) & 0xFFFF) ^ tl.load(table + (((crc >> 8) ^ byte) & 0xFF))
    tl.store(out + b, crc)


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

    def forward(self, data, lengths):
        out = torch.empty((data.shape[0],), dtype=torch.int32, device=data.device)
        crc_one[(data.shape[0],)](data, lengths, self.table, out, *data.stride(), lengths.stride(0))
        return out
