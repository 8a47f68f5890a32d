"""Conditions on memories."""

from __future__ import annotations

import datetime
from typing import Any


class F(dict[str, Any]):
    """A condition: what the filter grammar of the API takes, made by these functions and joined by &, | and ~.

    F.tag("travel") & ~F.where("kind", "eq", "note") & F.after("2025-06-01")
    """

    @classmethod
    def where(cls, field: str, operator: str, value: Any) -> F:
        """A field compared by eq, ne, gt, gte, lt, lte, in, nin, contains, icontains, startswith, regex or exists."""
        return cls({field: {operator: value}})

    @classmethod
    def equals(cls, **fields: Any) -> F:
        """Fields that have these values: F.equals(kind="note", user="ana")."""
        return cls(fields)

    @classmethod
    def tag(cls, *tags: str) -> F:
        """All of these tags."""
        conditions = [cls({"tags": {"contains": tag}}) for tag in tags]
        return conditions[0] if len(conditions) == 1 else cls({"and": conditions})

    @classmethod
    def after(cls, time: str | datetime.datetime) -> F:
        """Said at this time or later."""
        return cls({"event_time": {"gte": time}})

    @classmethod
    def before(cls, time: str | datetime.datetime) -> F:
        """Said before this time."""
        return cls({"event_time": {"lt": time}})

    def __and__(self, other: dict[str, Any]) -> F:
        return F({"and": [self, other]})

    def __or__(self, other: dict[str, Any]) -> F:  # type: ignore[override]
        return F({"or": [self, other]})

    def __invert__(self) -> F:
        return F({"not": self})
