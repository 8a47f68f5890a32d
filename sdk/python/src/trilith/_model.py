"""What answers are made of."""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from . import types as t

if sys.version_info >= (3, 11):
    from typing import Self, dataclass_transform
elif TYPE_CHECKING:
    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda cls: cls


SCOPE = ("project", "domain", "user", "agent", "session", "channel", "time_zone")


class Operation(NamedTuple):
    """How one call of the API is made."""

    method: str
    path: str
    query: tuple[str, ...]
    """Arguments that are sent in the address."""
    body: tuple[str, ...] | None
    """Names of the scope that the body takes; None: there is no body."""
    repeat: str
    """How it is repeated safely: "safe" as it is, "header" or "body" with a key in that place, "" not at all."""
    answer: type[Model]


@dataclass_transform(kw_only_default=True)
class Model:
    """An answer, or a part of one.

    Members are attributes. One that is absent in an answer is None; one that a newer server sends and this version does
    not know is an attribute too. Two are equal if they hold the same. answer["name"] works for every name.
    """

    _nested: ClassVar[dict[str, type[Any]]] = {}

    def __init__(self, **members: Any) -> None:
        self.__dict__.update(members)

    @classmethod
    def _read(cls, data: dict[str, Any]) -> Self:
        """Reads what a server has sent."""
        model = cls.__new__(cls)
        members = model.__dict__
        members.update(data)
        for name, kind in cls._nested.items():
            value = members.get(name)
            if not value:
                continue
            if kind is datetime.datetime:
                members[name] = _moment(value)
            elif type(value) is list:
                members[name] = [kind._read(one) for one in value]
            elif kind.__name__ == "Part":  # by the names of arms
                members[name] = {key: kind._read(one) for key, one in value.items()}
            else:
                members[name] = kind._read(value)
        return model

    def to_dict(self) -> dict[str, Any]:
        """The answer as it came over the wire."""
        return {name: _plain(value) for name, value in self.__dict__.items()}

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __contains__(self, name: object) -> bool:
        return name in self.__dict__

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        members = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({members})"


def _moment(text: str) -> Any:
    """A point in time that a server has sent; the text itself if it is out of the range of datetime."""
    if sys.version_info < (3, 11):  # which reads neither Z nor fewer than six digits
        text = re.sub(r"\.(\d+)", lambda digits: "." + digits[1][:6].ljust(6, "0"), text).replace("Z", "+00:00")
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return text


def wire(when: datetime.datetime) -> str:
    """A point in time as servers send it."""
    zone = when.replace(microsecond=0).isoformat()[19:]
    fraction = f".{when.microsecond:06}".rstrip("0") if when.microsecond else ""
    return when.isoformat()[:19] + fraction + ("Z" if zone == "+00:00" else zone)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return wire(value)
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value


class HitMore:
    """What a hit can do beside holding its members."""

    if TYPE_CHECKING:
        memory: t.Memory
        score: float
        similarity: float | None
        parts: dict[str, t.Part] | None
        weak: bool | None

    @property
    def text(self) -> str:
        return self.memory.text

    @property
    def id(self) -> str:
        return self.memory.id

    def why(self) -> str:
        """Says how it was found: by which arms, in which place of each, if the recall had explain=True."""
        said = [f"score {self.score:.2f}"]
        if self.similarity is not None:
            said.append(f"similarity {self.similarity:.2f}")
        for arm, part in (self.parts or {}).items():
            place = f", number {part.rank}" if part.rank else ""
            said.append(f"{arm} {part.norm:.2f} × {part.weight:g}{place}")
        if self.weak:
            said.append("weak: it fills the list")
        return "; ".join(said)


class RecallResultMore:
    """A recall is a sequence of its hits."""

    if TYPE_CHECKING:
        hits: list[t.Hit]

    def __iter__(self) -> Iterator[t.Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __bool__(self) -> bool:
        return bool(self.hits)


class RememberResultMore:
    if TYPE_CHECKING:
        memories: list[t.Memory]

    @property
    def ids(self) -> list[str]:
        """Ids of what is stored, in the order of the request."""
        return [memory.id for memory in self.memories]


class ContextBlockMore:
    if TYPE_CHECKING:
        text: str

    def __str__(self) -> str:
        return self.text
