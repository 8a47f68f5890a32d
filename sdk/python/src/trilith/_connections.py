"""Connections to a server. httpx ties those that do not block to the event loop that made them."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from typing import Any

import httpx

from ._errors import Canceled


class Connections:
    """Those of a client that blocks, for all its threads."""

    def __init__(self, timeout: float, http: httpx.Client | None) -> None:
        self._http = http or httpx.Client(timeout=timeout)
        self._owned = http is None

    def client(self) -> httpx.Client:
        if self._http.is_closed:
            raise Canceled("the client is closed")
        return self._http

    def close(self) -> None:
        if self._owned:
            self._http.close()


class AsyncConnections:
    """Those of a client that does not block: one pool for each running event loop, which closes it at its end."""

    def __init__(self, timeout: float, http: httpx.AsyncClient | None) -> None:
        self._timeout = timeout
        self._given = http
        self._pools: dict[Any, tuple[httpx.AsyncClient, AsyncGenerator[None, None]]] = {}
        self._certificates: ssl.SSLContext | None = None
        self._closed = False

    async def client(self) -> httpx.AsyncClient:
        if self._closed or self._given and self._given.is_closed:
            raise Canceled("the client is closed")
        if self._given:
            return self._given
        loop = _running()
        if loop not in self._pools:
            for old in list(self._pools):
                if isinstance(old, asyncio.AbstractEventLoop) and old.is_closed():
                    self._pools.pop(old, None)
            self._certificates = self._certificates or httpx.create_ssl_context()  # takes longer than all else
            http = httpx.AsyncClient(timeout=self._timeout, verify=self._certificates)
            until_end = self._close_at_end(loop, http)
            self._pools[loop] = http, until_end
            await until_end.__anext__()
        return self._pools[loop][0]

    async def _close_at_end(self, loop: Any, http: httpx.AsyncClient) -> AsyncGenerator[None, None]:
        """Event loops end generators that are under way before they end themselves."""
        try:
            yield
        finally:
            self._pools.pop(loop, None)
            await http.aclose()

    async def aclose(self) -> None:
        self._closed = True
        if pool := self._pools.get(_running()):
            await pool[1].aclose()


def _running() -> Any:
    """The event loop that runs: of asyncio, else of trio."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        import trio

        return trio.lowlevel.current_trio_token()
