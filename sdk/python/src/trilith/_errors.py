"""Errors, a class for each kind of the API."""

from __future__ import annotations

from typing import Any


class TrilithError(Exception):
    """What went wrong. The message says what to fix."""

    kind = "internal"

    def __init__(
        self,
        detail: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        fields: list[dict[str, Any]] | None = None,
        retry_after: float | None = None,
        rejected: list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        """HTTP status; None where no answer came."""
        self.request_id = request_id
        """Identifies the line in the server's log."""
        self.fields = fields or []
        """The fields that are wrong, each with its location and message."""
        self.rejected = rejected or []
        """The items of a request of which nothing is stored, each with its index, reason and detail."""
        self.retry_after = retry_after
        """Seconds after which repeating makes sense, where the server says so."""

    def __str__(self) -> str:
        return f"{self.detail} (request {self.request_id})" if self.request_id else self.detail


class Internal(TrilithError):
    """A fault of the server, or an answer that is none."""


class Invalid(TrilithError):
    """The request has to change."""

    kind = "invalid"


class Unauthenticated(TrilithError):
    """There is no key, or it is not known."""

    kind = "unauthenticated"


class Forbidden(TrilithError):
    """The key lacks the right."""

    kind = "forbidden"


class NotFound(TrilithError):
    """It is not there, or it is outside of the scope."""

    kind = "not_found"


class Conflict(TrilithError):
    """It has changed meanwhile, or is taken."""

    kind = "conflict"


class Unsupported(TrilithError):
    """The server cannot do this as it is set up."""

    kind = "unsupported"


class Exhausted(TrilithError):
    """A limit is reached: of size, of a budget, of the disk."""

    kind = "exhausted"


class Unavailable(TrilithError):
    """The server does not answer now."""

    kind = "unavailable"


class Canceled(TrilithError):
    """The request was given up."""

    kind = "canceled"


class DeadlineExceeded(TrilithError):
    """It took too long."""

    kind = "deadline_exceeded"


KINDS: dict[str, type[TrilithError]] = {error.kind: error for error in TrilithError.__subclasses__()}

# What stands between us and the server answers without a kind.
STATUSES: dict[int, type[TrilithError]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: Exhausted,
    429: Exhausted,
    501: Unsupported,
    502: Unavailable,
    503: Unavailable,
    504: DeadlineExceeded,
    507: Exhausted,
}
