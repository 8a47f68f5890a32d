"""The client of cairn, a long-term memory for AI agents.

Cairn talks to a server, AsyncCairn is the same to be awaited, and Cairn.embedded(…) starts a server of its own.
"""

from . import types
from ._async._base import AsyncPages
from ._async.client import AsyncCairn
from ._core import VERSION as __version__
from ._errors import (
    CairnError,
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
from ._sync.client import Cairn

__all__ = [
    "AsyncCairn",
    "AsyncPages",
    "Cairn",
    "CairnError",
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
