"""The client of trilith, a long-term memory for AI agents.

Trilith talks to a server, AsyncTrilith is the same to be awaited, and Trilith.embedded(…) starts a server of its own.
"""

from . import types
from ._async._base import AsyncPages
from ._async.client import AsyncTrilith
from ._core import VERSION as __version__
from ._errors import (
    TrilithError,
    Canceled,
    Conflict,
    DeadlineExceeded,
    Exhausted,
    Forbidden,
    Internal,
    Invalid,
    NotFound,
    Unauthenticated,
    Unavailable,
    Unsupported,
)
from ._filter import F
from ._sync._base import Pages
from ._sync.client import Trilith

__all__ = [
    "AsyncTrilith",
    "AsyncPages",
    "Trilith",
    "TrilithError",
    "Canceled",
    "Conflict",
    "DeadlineExceeded",
    "Exhausted",
    "F",
    "Forbidden",
    "Internal",
    "Invalid",
    "NotFound",
    "Pages",
    "Unauthenticated",
    "Unavailable",
    "Unsupported",
    "__version__",
    "types",
]
