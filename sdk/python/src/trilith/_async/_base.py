"""How the client talks to the server."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

import anyio
import httpx

from .. import _core
from .._connections import AsyncConnections
from .._embedded import Child, spawn
from .._errors import TrilithError
from .._model import SCOPE, Model

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .. import types as t

T = TypeVar("T")
P = TypeVar("P", bound=Model)


class AsyncPages(Generic[P, T]):
    """A list that comes in pages: iterate to get every item, or take page()."""

    def __init__(self, ask: Callable[..., Any], name: str, args: dict[str, Any]) -> None:
        self._ask, self._name, self._args = ask, name, args

    async def page(self) -> P:
        """The first page, with its items and its next_cursor, which goes on as cursor=…"""
        page: P = await self._ask(self._name, **self._args)
        return page

    async def pages(self) -> AsyncIterator[P]:
        args = dict(self._args)
        while True:
            page: P = await self._ask(self._name, **args)
            yield page
            args["cursor"] = getattr(page, "next_cursor", None)
            if not args["cursor"]:
                return

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page["items"]:
                yield item


class Base:
    """A connection to one server with one key, narrowed to a scope."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: int = 3,
        http: httpx.AsyncClient | None = None,
        **scope: Unpack[t.ScopeInput],
    ) -> None:
        """Connects when the first call is made.

        url and key are taken from TRILITH_URL and TRILITH_KEY if absent; the url is http://127.0.0.1:7700 if that is absent
        too. timeout is in seconds, for each attempt. retries counts the attempts after the first, which are made only
        while the server is unavailable, and with a key, so that nothing is stored twice. One client serves all threads and
        event loops. http replaces the HTTP client, which close() then leaves open. scope narrows every call: user="ana". A value that is empty or None is refused.
        """
        self._scope: dict[str, str] = {}
        self._narrow(scope)
        self.url = (url or os.environ.get("TRILITH_URL") or "http://127.0.0.1:7700").rstrip("/")
        key = key or os.environ.get("TRILITH_KEY")
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._headers["User-Agent"] = f"trilith-python/{_core.VERSION}"
        self._timeout = timeout
        self._retries = retries
        self._seen = _core.Position()
        self._connections = AsyncConnections(timeout, http)
        self._copied = False
        self._child: Child | None = None

    @classmethod
    async def embedded(
        cls,
        store: str | os.PathLike[str] | None = None,
        *,
        binary: str | None = None,
        settings: dict[str, str] | None = None,
        **options: Any,
    ) -> Self:
        """Starts a server for this program alone, which ends with it, and connects to it.

        store is a file, ":memory:", or any store of trilith such as postgres://…; if absent, that of TRILITH_STORE or the
        usual file. Several programs may work on one file. binary is the program; if absent, that of the package
        trilith-bin, else the trilith on PATH. settings are further settings of trilith serve by their names without
        TRILITH_, for example {"MODEL": "anthropic:NAME"}. options are those of the constructor.
        """
        _core.narrowed({}, options)  # before there is a server to end
        child = await anyio.to_thread.run_sync(lambda: spawn(store, binary, settings))
        client = cls(child.url, child.key, **options)
        client._child = child
        return client

    def scope(self, **scope: Unpack[t.ScopeInput]) -> Self:
        """A client of the same connection whose calls are narrowed further."""
        return self._copy()._narrow(scope)

    def with_options(self, *, timeout: float | None = None, retries: int | None = None) -> Self:
        """A client of the same connection with another limit of time or another number of retries."""
        out = self._copy()
        if timeout is not None:
            out._timeout = timeout
        if retries is not None:
            out._retries = retries
        return out

    def _copy(self) -> Self:
        out = copy.copy(self)
        out._copied = True
        return out

    def _narrow(self, scope: t.ScopeInput) -> Self:
        for name in scope:
            if name not in SCOPE:
                raise TypeError(f"{name!r} is neither an option nor a part of a scope")
        self._scope = _core.narrowed(self._scope, scope)
        return self

    async def aclose(self) -> None:
        """Closes the connection, and ends the server if it is embedded. Clients made by scope() end with this one."""
        if not self._copied:
            await self._connections.aclose()
            if self._child:
                self._child.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def call(self, operation: str, **args: Any) -> Any:
        """Calls any operation of the REST API by its operationId, with _ for -: call("create_key", name="phone")."""
        request = _core.prepare(operation, self._scope, args)
        response = await self._send(
            request.method, request.path, request.params, request.content, request.headers, request.repeatable
        )
        return request.answer._read(_core.read(response))

    async def _send(
        self,
        method: str,
        path: str,
        params: _core.Params,
        content: Any,
        headers: dict[str, str],
        repeatable: bool,
    ) -> httpx.Response:
        attempt = 1
        while True:
            http = await self._connections.client()
            try:
                response = await http.request(
                    method,
                    self.url + path,
                    params=params or None,
                    content=content,
                    headers={**self._headers, **self._seen.headers(), **headers},
                    timeout=self._timeout,
                )
            except httpx.HTTPError as error:
                problem: TrilithError = _core.fault(error)
            else:
                self._seen.see(response.headers)
                if response.status_code in (200, 202):
                    return response
                problem = _core.problem(response)
            if attempt > self._retries or not _core.again(problem, repeatable):
                raise problem
            await anyio.sleep(_core.pause(problem, attempt))
            attempt += 1

    async def _lines(
        self, method: str, path: str, params: _core.Params, content: bytes | None, accept: str
    ) -> AsyncIterator[str]:
        """The lines of an answer, as they arrive. It is asked for once."""
        headers = {**self._headers, **self._seen.headers(), "Accept": accept, "Content-Type": "application/json"}
        http = await self._connections.client()
        try:
            async with http.stream(
                method, self.url + path, params=params, content=content, headers=headers, timeout=self._timeout
            ) as response:
                if response.status_code != 200:
                    await response.aread()
                    raise _core.problem(response)
                async for line in response.aiter_lines():
                    yield line
        except httpx.HTTPError as error:
            raise _core.fault(error) from error

    async def tools(self, format: str = "openai", sets: tuple[str, ...] | list[str] = ()) -> list[dict[str, Any]]:
        """Definitions of the memory's tools for a model.

        format is openai (chat completions), openai-responses, anthropic, gemini or mcp. sets adds tools to the default
        ones: graph, review, sessions, subagent.
        """
        said = await self.call("tools", format=format, tools=list(sets))
        return list(said["items"])

    async def call_tool(
        self, name: str, arguments: dict[str, Any] | str | None = None, sets: tuple[str, ...] | list[str] = ()
    ) -> dict[str, Any]:
        """Does what a model asks for; arguments may be the JSON text that it wrote.

        The answer goes back to the model. A mistake in its arguments is an answer with "status": "error" and a message;
        only what a model cannot mend is raised.
        """
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments or "{}")
            except ValueError as error:
                return {"status": "error", "kind": "invalid", "message": f"arguments: are not JSON: {error}"}
        call = {"name": name, "arguments": arguments or {}}
        content = _core.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        address = _core.tool_params(self._scope, sets)
        return _core.tool_result(_core.read(await self._send("POST", "/mcp", address, content, headers, False)))
