"""An expectation beside what was measured, and the verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum


class Verdict(str, Enum):
    """What comes of a check; its value is what pages say."""

    MET = "met"
    NOT_MET = "not met"
    KNOWN = "known deviation"
    GONE = "met, but listed as a known deviation"

    @property
    def is_red(self) -> bool:
        return self in (Verdict.NOT_MET, Verdict.GONE)


@dataclass(frozen=True)
class Check:
    """One number against an interval [lower, upper]. `known` is why it is not met, with the evidence: then it
    must not be met, so that the reason goes when the deviation does."""

    name: str
    measured: float
    expected: str  # as the page shows it, with tolerance and unit
    lower: float
    upper: float
    source: str
    unit: str = ""
    known: str = ""

    @property
    def verdict(self) -> Verdict:
        met = self.lower <= self.measured <= self.upper  # NaN is not
        if self.known:
            return Verdict.GONE if met else Verdict.KNOWN
        return Verdict.MET if met else Verdict.NOT_MET

    @property
    def measured_text(self) -> str:
        """With the digits that the interval asks for, and its unit."""
        return f"{number(self.measured, self.upper - self.lower)} {self.unit}".rstrip()


def number(value: float, width: float = math.inf) -> str:
    """Digits down to a tenth of an interval's width, three at least and twelve at most; below a million without a power
    of ten."""
    digits = 4
    if 0 < width < math.inf and value != 0 and math.isfinite(value):
        digits = max(3, min(12, math.ceil(math.log10(abs(value) / width)) + 2))
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if 1 <= abs(value) < 1e6 and "e" in text else text


def near(name: str, measured: float, expected: float, *, source: str, relative: float = 0.0,
         absolute: float = 0.0, unit: str = "", known: str = "") -> Check:
    """measured = expected to a relative or an absolute tolerance, the larger of both."""
    width = max(relative * abs(expected), absolute)
    percent = relative >= 1e-4 and relative * abs(expected) >= absolute
    value = f"{number(expected, width)} {unit}".rstrip()
    text = f"{value} ± {100 * relative:g} %" if percent else f"{number(expected, width)} ± {width:.2g} {unit}"
    return Check(name, measured, text.rstrip(), expected - width, expected + width, source, unit, known)


def at_most(name: str, measured: float, bound: float, *, source: str, unit: str = "",
            known: str = "") -> Check:
    return Check(name, measured, f"≤ {number(bound)} {unit}".rstrip(), -math.inf, bound, source, unit, known)


def at_least(name: str, measured: float, bound: float, *, source: str, unit: str = "",
             known: str = "") -> Check:
    return Check(name, measured, f"≥ {number(bound)} {unit}".rstrip(), bound, math.inf, source, unit, known)


def between(name: str, measured: float, lower: float, upper: float, *, source: str, unit: str = "",
            known: str = "") -> Check:
    return Check(name, measured, f"{number(lower)} to {number(upper)} {unit}".rstrip(), lower, upper, source, unit, known)
