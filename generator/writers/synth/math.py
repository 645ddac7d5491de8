"""The pointwise functions of Triton that generated kernels use, and the small device functions beside them.

Each is accurate to a few units in the last place of fp32 where torch's own is: log1p, expm1 and tanh keep
their relative accuracy near zero, which the plain formulas lose to cancellation.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """`template` is Triton source over the arguments, `flops` of one element, `helper` a device function."""

    template: str
    flops: int = 1
    helper: str = ""


HELPERS: dict[str, str] = {
    "log1p": '''
@triton.jit
def log1p(x):
    """log(1 + x) without losing small x: the rounding error of 1 + x is divided out (Kahan)."""
    u = 1.0 + x
    far = tl.where((u == 1.0) | (u == float("inf")), 1.0, x / tl.where(u == 1.0, 1.0, u - 1.0))
    return tl.where(u == 1.0, x, tl.log(u) * far)
''',
    "expm1": '''
@triton.jit
def expm1(x):
    """exp(x) - 1; a Taylor polynomial below 0.3, where the subtraction would cancel."""
    series = x * (1.0 + x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x * (1.0 / 720))))))
    return tl.where(tl.abs(x) < 0.3, series, tl.exp(x) - 1.0)
''',
    "tanh": '''
@triton.jit
def tanh(x):
    """tanh from one exponential that cannot overflow; a polynomial below 0.2, where 1 - e would cancel."""
    e = tl.exp(-2.0 * tl.abs(x))
    far = (1.0 - e) / (1.0 + e)
    x2 = x * x
    near = x * (1.0 + x2 * (-1.0 / 3 + x2 * (2.0 / 15 + x2 * (-17.0 / 315))))
    return tl.where(tl.abs(x) < 0.2, near, tl.where(x < 0, -far, far))
''',
    "softplus": '''
@triton.jit
def softplus(x, beta, threshold):
    """log(1 + exp(beta x)) / beta, and x itself above the threshold, as torch defines it."""
    return tl.where(x * beta > threshold, x, log1p(tl.exp(x * beta)) / beta)
''',
    "silu": '''
@triton.jit
def silu(x):
    """x sigmoid(x), with nothing but the division after the exponential."""
    return x / (1.0 + tl.exp2(-1.4426950408889634 * x))
''',
    "gelu": '''
@triton.jit
def gelu(x):
    """x times the normal distribution function: max(x, 0) less |x| times the tail beyond |x|, which is a
    polynomial in t times exp(-x^2 / 2). As near as erf in fp32, without its two branches."""
    size = tl.abs(x)
    z = tl.minimum(size, 16.0)  # the tail is 0 long before
    t = 1.0 / (1.0 + 0.39 * z)
    p = 0.37443538 + t * (-0.25772441 + t * 0.053702851)
    tail = t * (0.15144894 + t * (0.1942676 + t * (-0.016130375 + t * p)))
    return 0.5 * (x + size) - z * tail * tl.exp2(-0.7213475204444817 * z * z)
''',
    "gelu_tanh": '''
@triton.jit
def gelu_tanh(x):
    """gelu by its tanh approximation, as x sigmoid(2 u): 1 + tanh(u) would cancel for u < 0."""
    return x / (1.0 + tl.exp2(-2.302208198144325 * x * (1.0 + 0.044715 * x * x)))
''',
    "mish": '''
@triton.jit
def mish(x):
    """x tanh(softplus(x)) = x n / (n + 2) with n = e^x (e^x + 2); x itself once n + 2 rounds to n."""
    e = tl.exp(tl.minimum(x, 20.0))
    n = e * (e + 2.0)
    return tl.where(x > 20.0, x, x * (n / (n + 2.0)))
''',
    "log_sigmoid": '''
@triton.jit
def log_sigmoid(x):
    """log(sigmoid(x)) without overflow on either side."""
    return tl.minimum(x, 0.0) - log1p(tl.exp(-tl.abs(x)))
''',
    "round_even": '''
@triton.jit
def round_even(x):
    """The nearest whole number, of two the even one: beside 2^23 fp32 has no room for a fraction."""
    size = tl.abs(x)
    whole = tl.where(size < 8388608.0, (size + 8388608.0) - 8388608.0, size)
    return tl.where(whole == 0, x * 0.0, tl.where(x < 0, -whole, whole))
''',
    "to_e4m3": '''
@triton.jit
def to_e4m3(x):
    """x as e4m3 as torch casts it: at most 448, infinities too; NaN stays. Cards' own casts differ."""
    return tl.where(x > 448.0, 448.0, tl.where(x < -448.0, -448.0, x)).to(tl.float8e4nv)
''',
    "to_e5m2": '''
@triton.jit
def to_e5m2(x):
    """x as e5m2 as torch casts it: what rounds beyond 57344 is infinite, where a card may stop there."""
    bits = tl.where(tl.abs(x) > 57344.0, tl.where(x < 0, -57344.0, 57344.0), x).to(tl.float8e5)
    bits = bits.to(tl.uint8, bitcast=True)
    beyond = tl.where(x < 0, 0xFC, 0x7C).to(tl.uint8)
    return tl.where(tl.abs(x) >= 61440.0, beyond, bits).to(tl.float8e5, bitcast=True)
''',
    "max_nan": '''
@triton.jit
def max_nan(a, b):
    """The larger of two; a NaN wins, as in torch.max."""
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
''',
    "min_nan": '''
@triton.jit
def min_nan(a, b):
    """The smaller of two; a NaN wins, as in torch.min."""
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)
''',
    "largest": '''
@triton.jit
def largest(x, axis: tl.constexpr, keep_dims: tl.constexpr):
    """tl.max along an axis; a NaN wins, as in torch.max."""
    nans = tl.max((x != x).to(tl.int32), axis, keep_dims=keep_dims)
    return tl.where(nans > 0, float("nan"), tl.max(x, axis, keep_dims=keep_dims))
''',
    "smallest": '''
@triton.jit
def smallest(x, axis: tl.constexpr, keep_dims: tl.constexpr):
    """tl.min along an axis; a NaN wins, as in torch.min."""
    nans = tl.max((x != x).to(tl.int32), axis, keep_dims=keep_dims)
    return tl.where(nans > 0, float("nan"), tl.min(x, axis, keep_dims=keep_dims))
''',
    "index_of_max": '''
@triton.jit
def index_of_max(x, index, axis: tl.constexpr, keep_dims: tl.constexpr):
    """The lowest index of the largest value; a NaN counts as the largest, as in torch.argmax."""
    nans = x != x
    any_nan = tl.max(nans.to(tl.int32), axis, keep_dims=True) > 0
    found = tl.where(any_nan, nans, x == tl.max(x, axis, keep_dims=True))
    return tl.min(tl.where(found, index, 2147483647), axis, keep_dims=keep_dims)
''',
    "index_of_min": '''
@triton.jit
def index_of_min(x, index, axis: tl.constexpr, keep_dims: tl.constexpr):
    """The lowest index of the smallest value; a NaN counts as the smallest, as in torch.argmin."""
    nans = x != x
    any_nan = tl.max(nans.to(tl.int32), axis, keep_dims=True) > 0
    found = tl.where(any_nan, nans, x == tl.min(x, axis, keep_dims=True))
    return tl.min(tl.where(found, index, 2147483647), axis, keep_dims=keep_dims)
''',
    "multiply": """
@triton.jit
def multiply(a, b):
    return a * b
""",
    "moments": '''
@triton.jit
def moments(away, squares, shift, count, axis: tl.constexpr, keep_dims: tl.constexpr):
    """Mean and sum of squared deviations, from lanes' sums of the distances to `shift` and their squares."""
    away = tl.sum(away, axis, keep_dims=keep_dims)
    m2 = tl.sum(squares, axis, keep_dims=keep_dims) - away * away / count
    return shift + away / count, tl.where(m2 < 0.0, 0.0, m2)
''',
    "join_moments": '''
@triton.jit
def join_moments(mean, m2, count, axis: tl.constexpr, keep_dims: tl.constexpr):
    """Means and sums of squared deviations of many parts as one (Chan, Golub and LeVeque 1983)."""
    n = tl.maximum(tl.sum(count, axis, keep_dims=True), 1.0)
    away = mean - tl.sum(mean * count, axis, keep_dims=True) / n
    m2 = tl.sum(m2 + count * away * away, axis, keep_dims=keep_dims)
    return tl.sum(mean * count / n, axis, keep_dims=keep_dims), m2
''',
}
NEEDS = {"softplus": ("log1p",), "log_sigmoid": ("log1p",)}

FUNCTIONS: dict[str, Function] = {
    "cast": Function("{0}.to({dtype})", 0),
    "add": Function("{0} + {1}"),
    "sub": Function("{0} - {1}"),
    "mul": Function("{0} * {1}"),
    "div": Function("{0} / {1}"),
    "quotient": Function("{0} // {1}", 8),
    "neg": Function("-{0}"),
    "abs": Function("tl.abs({0})"),
    "exp": Function("tl.exp({0})", 2),
    "exp2": Function("tl.exp2({0})", 1),
    "log": Function("tl.log({0})", 2),
    "log2": Function("tl.log2({0})", 2),
    "log1p": Function("log1p({0})", 6, "log1p"),
    "expm1": Function("expm1({0})", 14, "expm1"),
    "sqrt": Function("tl.sqrt({0})"),
    "rsqrt": Function("tl.rsqrt({0})"),
    "sin": Function("tl.sin({0})", 8),
    "cos": Function("tl.cos({0})", 8),
    "erf": Function("tl.erf({0})", 12),
    "tanh": Function("tanh({0})", 14, "tanh"),
    "sigmoid": Function("tl.sigmoid({0})", 4),
    "relu": Function("tl.where({0} < 0, 0.0, {0})"),
    "relu_int": Function("tl.where({0} < 0, 0, {0})"),
    "maximum": Function("tl.where(({0} > {1}) | ({0} != {0}), {0}, {1})", 2),
    "minimum": Function("tl.where(({0} < {1}) | ({0} != {0}), {0}, {1})", 2),
    "where": Function("tl.where({0}, {1}, {2})"),
    "leaky_relu": Function("tl.where({0} > 0, {0}, {0} * {1})", 2),
    "elu": Function("tl.where({0} > 0, {0} * {2}, {1} * {2} * expm1({0} * {3}))", 18, "expm1"),
    "softplus": Function("softplus({0}, {1}, {2})", 12, "softplus"),
    "silu": Function("silu({0})", 5, "silu"),
    "gelu": Function("gelu({0})", 16, "gelu"),
    "gelu_tanh": Function("gelu_tanh({0})", 8, "gelu_tanh"),
    "mish": Function("mish({0})", 8, "mish"),
    "log_sigmoid": Function("log_sigmoid({0})", 10, "log_sigmoid"),
    "floor": Function("tl.floor({0})"),
    "ceil": Function("tl.ceil({0})"),
    "round": Function("round_even({0})", 6, "round_even"),
    "sign": Function("tl.where({0} > 0, 1.0, tl.where({0} < 0, -1.0, 0.0))", 2),
    "to_e4m3": Function("to_e4m3({0})", 2, "to_e4m3"),
    "to_e5m2": Function("to_e5m2({0})", 4, "to_e5m2"),
    "eq": Function("{0} == {1}"),
    "ne": Function("{0} != {1}"),
    "lt": Function("{0} < {1}"),
    "le": Function("{0} <= {1}"),
    "gt": Function("{0} > {1}"),
    "ge": Function("{0} >= {1}"),
    "and": Function("{0} & {1}"),
    "or": Function("{0} | {1}"),
    "xor": Function("{0} ^ {1}"),
    "not": Function("{0} == 0"),
    "invert": Function("~{0}"),
    "isnan": Function("{0} != {0}"),
}


def helper_sources(functions: set[str]) -> list[str]:
    """Device functions needed by the named helpers, dependencies first."""
    wanted: list[str] = []

    def need(name: str) -> None:
        for other in NEEDS.get(name, ()):
            need(other)
        if name not in wanted:
            wanted.append(name)

    for name in sorted(functions):
        need(name)
    return [HELPERS[name].strip("\n") for name in wanted]
