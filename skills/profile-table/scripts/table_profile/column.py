"""Everything that is known about one column after every row was seen once."""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter
from typing import Any, Dict, List, Optional, Tuple

from .values import Value

# Beyond these the figures are of a part, and the report says so.
MAX_DISTINCT = 50_000
MAX_SAMPLE = 20_000
KEPT_EXTREMES = 5
KEPT_LINES = 5
MAX_KEPT_CHARACTERS = 200


class Column:
    """Counts, extremes and a sample of a column's values; memory does not grow with the rows."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.present = 0
        self.kinds: Counter = Counter()
        self.missing_forms: Counter = Counter()
        self.date_forms: Counter = Counter()
        self.counts: Counter = Counter()
        self.distinct_is_known = True
        self.padded = 0
        self.longest = 0
        self.first_lines: Dict[str, List[int]] = {}
        self._sample: List[float] = []
        self._numbers = 0
        self._mean = 0.0
        self._squares = 0.0
        self._lowest: List[Tuple[float, int]] = []
        self._highest: List[Tuple[float, int]] = []
        # The same table gives the same report.
        self._random = random.Random(0)

    def add(self, value: Value, line: int) -> None:
        """Takes one value of the column."""
        self.kinds[value.kind] += 1
        lines = self.first_lines.setdefault(value.kind, [])
        if len(lines) < KEPT_LINES:
            lines.append(line)
        if value.kind == "missing":
            self.missing_forms[value.form] += 1
            return
        self.present += 1
        self.longest = max(self.longest, len(value.text))
        if value.text != value.text.strip():
            self.padded += 1
        if value.form is not None:
            self.date_forms[value.form] += 1
        if self.distinct_is_known:
            self.counts[value.text.strip()[:MAX_KEPT_CHARACTERS]] += 1
            self.distinct_is_known = len(self.counts) <= MAX_DISTINCT
        if value.number is not None and math.isfinite(value.number):
            self._add_number(value.number, line)

    def _add_number(self, number: float, line: int) -> None:
        self._numbers += 1
        change = number - self._mean
        self._mean += change / self._numbers
        self._squares += change * (number - self._mean)
        for kept, key in ((self._highest, number), (self._lowest, -number)):
            if len(kept) < KEPT_EXTREMES:
                heapq.heappush(kept, (key, -line))
            else:
                heapq.heappushpop(kept, (key, -line))
        if len(self._sample) < MAX_SAMPLE:
            self._sample.append(number)
        else:
            place = self._random.randrange(self._numbers)
            if place < MAX_SAMPLE:
                self._sample[place] = number

    @property
    def missing(self) -> int:
        return self.kinds["missing"]

    @property
    def kind(self) -> str:
        """What nearly all values are; `mixed` when nothing is."""
        if self.present == 0:
            return "empty"
        kinds = Counter(self.kinds)
        del kinds["missing"]
        if set(kinds) == {"integer", "number"}:
            return "number"
        # A code that happens to have no leading zero looks like a whole number.
        if set(kinds) == {"integer", "code"}:
            return "code"
        kind, count = max(kinds.items(), key=lambda item: (item[1], item[0]))
        if kind in ("integer", "number"):
            count = kinds["integer"] + kinds["number"]
            kind = "number" if kinds["number"] else "integer"
        return kind if count / self.present >= 0.9 else "mixed"

    def odd_ones(self) -> Dict[str, int]:
        """Values of another kind than nearly all of the column."""
        if self.kind in ("empty", "mixed", "text"):
            return {}
        own = {"number": {"integer", "number"}, "code": {"integer", "code"}}.get(self.kind, {self.kind})
        return {kind: count for kind, count in self.kinds.items() if kind != "missing" and kind not in own}

    @property
    def distinct(self) -> Optional[int]:
        return len(self.counts) if self.distinct_is_known else None

    def most_frequent(self, limit: int) -> List[Tuple[str, int]]:
        return sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))[:limit]

    def figures(self) -> Optional[Dict[str, float]]:
        """Smallest, quartiles, largest, mean and deviation of a column of numbers."""
        if self._numbers == 0 or self.kind not in ("integer", "number"):
            return None
        ordered = sorted(self._sample)
        return {
            "min": -max(self._lowest)[0],
            "q1": _quantile(ordered, 0.25),
            "median": _quantile(ordered, 0.5),
            "q3": _quantile(ordered, 0.75),
            "max": max(self._highest)[0],
            "mean": self._mean,
            "deviation": math.sqrt(self._squares / (self._numbers - 1)) if self._numbers > 1 else 0.0,
        }

    def outliers(self) -> List[Dict[str, Any]]:
        """The most extreme numbers that lie more than three quartile ranges outside the middle half."""
        figures = self.figures()
        if figures is None or self._numbers < 20:
            return []
        reach = 3 * (figures["q3"] - figures["q1"])
        if reach == 0:
            return []
        low, high = figures["q1"] - reach, figures["q3"] + reach
        found = [(-key, -line) for key, line in self._lowest if -key < low]
        found += [(key, -line) for key, line in self._highest if key > high]
        return [{"value": number, "line": line} for number, line in sorted(set(found))]


def _quantile(ordered: List[float], share: float) -> float:
    place = (len(ordered) - 1) * share
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
