"""Three products for four (Gauss): the imaginary part is lost where imaginary parts are the smaller ones.

op: spectral_mix
class: B11 cancels where parts differ in size
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _mix(
    re_ptr,
    im_ptr,
    wr_ptr,
    wi_ptr,
    or_ptr,
    oi_ptr,
    batch,
    modes,
    c_in,
    c_out,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    mode = tl.program_id(0).to(tl.int64)
    b = tl.program_id(1) * BM + tl.arange(0, BM)
    o = tl.program_id(2) * BN + tl.arange(0, BN)
    one = tl.zeros((BM, BN), tl.float32)
    two = tl.zeros((BM, BN), tl.float32)
    three = tl.zeros((BM, BN), tl.float32)
    for start in range(0, c_in, BK):
        c = start + tl.arange(0, BK)
        xm = (b < batch)[:, None] & (c < c_in)[None, :]
        wm = (c < c_in)[:, None] & (o < c_out)[None, :]
        x_at = (b[:, None] * modes + mode) * c_in + c[None, :]
        w_at = (mode * c_in + c[:, None]) * c_out + o[None, :]
        xr = tl.load(re_ptr + x_at, mask=xm, other=0.0)
        xi = tl.load(im_ptr + x_at, mask=xm, other=0.0)
        wr = tl.load(wr_ptr + w_at, mask=wm, other=0.0)
        wi = tl.load(wi_ptr + w_at, mask=wm, other=0.0)
        one = tl.dot(xr, wr, one, input_precision="ieee")
        two = tl.dot(xi, wi, two, input_precision="ieee")
        three = tl.dot(xr + xi, wr + wi, three, input_precision="ieee")
    om = (b < batch)[:, None] & (o < c_out)[None, :]
    at = (b[:, None] * modes + mode) * c_out + o[None, :]
    tl.store(or_ptr + at, one - two, mask=om)
    tl.store(oi_ptr + at, three - one - two, mask=om)


class ModelNew(nn.Module):
    def __init__(self, modes, c_in, c_out):
        super().__init__()
        self.w_re = nn.Parameter(torch.randn(modes, c_in, c_out) * c_in**-0.5)
        self.w_im = nn.Parameter(torch.randn(modes, c_in, c_out) * c_in**-0.5)

    def forward(self, re, im):
        re, im = re.contiguous(), im.contiguous()
        batch, modes, c_in = re.shape
        c_out = self.w_re.shape[2]
        out_re = torch.empty((batch, modes, c_out), dtype=re.dtype, device=re.device)
        out_im = torch.empty_like(out_re)
        grid = (modes, triton.cdiv(batch, 16), triton.cdiv(c_out, 32))
        _mix[grid](
            re, im, self.w_re, self.w_im, out_re, out_im, batch, modes, c_in, c_out, BM=16, BN=32, BK=32
        )
        return out_re, out_im
