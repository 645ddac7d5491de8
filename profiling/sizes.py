"""Sizes to try for one axis of a smaller shape."""

from collections.abc import Iterator


def few(size: int) -> Iterator[int]:
    """Sizes for an axis that counts rows: 3, then ever more factors of two, as groups and heads need."""
    yield from (
        candidate for candidate in (3, 2, 6, 4, 12, 8, 24, 16, 48, 32, 96, 64, 192, 128) if candidate < size
    )


def halves(size: int) -> tuple[int, ...]:
    """Half of it; then the largest power of two below it, if that is more: an image of 112 pixels that would
    come to nothing at 56 has something left at 64."""
    half, power = size // 2, 1 << ((size - 1).bit_length() - 1)
    return (half, power) if power > half else (half,)


def odd_sizes(size: int) -> Iterator[int]:
    """Primes around `size`, the nearest below first; then 2, 4, 8... times a prime of about the same size."""
    for factor in (1, 2, 4, 8, 16, 32, 64):
        target = max(3, size // factor)
        below = [prime for prime in range(target - 1, 2, -1) if _is_prime(prime)][:3]
        above = [prime for prime in range(target, 2 * target + 4) if _is_prime(prime)][:3]
        yield from (prime * factor for prime in below + above)


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))
