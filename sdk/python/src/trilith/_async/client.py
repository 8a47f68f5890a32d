"""What a memory can do beyond one method for each operation."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable, cast
from urllib.parse import quote

from .. import _core
from .. import types as t
from .._errors import Internal, Invalid, Unavailable
from ._methods import Methods

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncTrilith(Methods):
    """A client of a trilith server.

    Every method takes the members of a scope (project, domain, user, agent, session, channel) beside its own options;
    they win over those of the client. Errors are subclasses of TrilithError.
    """

    # Remembering

    async def remember(
        self, what: str | Iterable[t.Message | Mapping[str, Any] | object], **options: Unpack[t.RememberOptions]
    ) -> t.RememberResult:
        """Stores a text, or the turns of a conversation, word for word.

        Messages may be those of OpenAI, Anthropic, Gemini, LangChain or the AI SDK, as dicts or as objects.
        """
        body: dict[str, Any] = {"text": what} if isinstance(what, str) else {"messages": list(what)}
        return cast(t.RememberResult, await self.call("remember", **body, **options))

    async def note(self, content: str, type: str | None = None, **options: Unpack[t.RememberOptions]) -> t.RememberResult:
        """Stores something noted by hand, such as a decision."""
        note = {"content": content, "type": type} if type else {"content": content}
        return cast(t.RememberResult, await self.call("remember", note=note, **options))

    async def document(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        name: str | None = None,
        content: str | None = None,
        **options: Unpack[t.RememberOptions],
    ) -> t.RememberResult:
        """Stores a file of text or Markdown, or the content of a name, split by its structure."""
        if path is not None:
            content = pathlib.Path(path).read_text(encoding="utf-8")
            name = name or os.path.basename(path)
        if name is None or content is None:
            raise Invalid("document: give a path, or a name and its content")
        media = {"media_type": "text/markdown"} if name.lower().endswith((".md", ".markdown")) else {}
        document = {"name": name, "content": content, **media}
        return cast(t.RememberResult, await self.call("remember", document=document, **options))

    # Changing

    async def batch(
        self, operations: list[t.Operation], *, atomic: bool = False, **scope: Unpack[t.ScopeInput]
    ) -> t.BatchResults:
        """Runs up to 1,000 operations one after the other, each with its own result.

        atomic does the puts and deletes together after all reads, all of them or none; nothing else may write then.
        """
        return cast(t.BatchResults, await self.call("batch", operations=operations, atomic=atomic or None, **scope))

    async def correct(self, id: str, text: str, **scope: Unpack[t.ScopeInput]) -> t.Memory:
        """Replaces the text of a note or an entry; its history keeps the former one. For a fact: supersede_fact."""
        return cast(t.Memory, await self.call("update_memory", id=id, text=text, **scope))

    async def forget_by_key(self, key: str, **scope: Unpack[t.ScopeInput]) -> t.Deletion:
        """Forgets the entry that has a key in this very scope."""
        return cast(t.Deletion, await self.call("delete_keyed_entry", key=key, **scope))

    async def erase_by_key(self, key: str, **scope: Unpack[t.ScopeInput]) -> t.Deletion:
        """Erases the entry that has a key in this very scope. Needs the right admin."""
        return cast(t.Deletion, await self.call("delete_keyed_entry", key=key, erase=True, **scope))

    # Facts

    async def unrelate(self, id: str, relation: str, **scope: Unpack[t.ScopeInput]) -> None:
        """Takes back a relation of a fact."""
        await self.call("unrelate_facts", id=id, relation=relation, **scope)

    async def draw_timeline(self, project: str, **options: Unpack[t.TimelineOptions]) -> str:
        """The timeline of a project as a Mermaid diagram."""
        request = _core.prepare("timeline", self._scope, {**options, "project": project, "format": "mermaid"})
        response = await self._send(
            request.method, request.path, request.params, request.content, request.headers, request.repeatable
        )
        return response.text

    # Asking the server's model

    async def consult_stream(
        self, prompt: str, piece: Callable[[str], object], **options: Unpack[t.ConsultOptions]
    ) -> t.ConsultResult:
        """consult that calls piece with the parts of the answer as they arrive."""
        request = _core.prepare("consult", self._scope, {"prompt": prompt, **options})
        event: list[str] = []
        async for line in self._lines(request.method, request.path, [], request.content, "text/event-stream"):
            if line:
                event.append(line)
                continue
            name, data = _core.events(event)
            event = []
            if name == "piece":
                piece(data["text"])
            elif name == "answer":
                return t.ConsultResult._read(data)
            elif name == "error":
                raise _core.said_error(data)
        raise Unavailable("the answer ends before its end")

    async def forget_recalls(self, **scope: Unpack[t.ScopeInput]) -> int:
        """Deletes the recall log of a scope, and returns the number of rows."""
        return cast(t.ForgottenRecalls, await self.call("delete_recalls", **scope)).deleted

    # Settings and upkeep

    async def use_profile_for(
        self, name: str, role: str = "", phase: str = "", **scope: Unpack[t.ListProfilesOptions]
    ) -> t.Profiles:
        """Chooses a profile for a role, a phase or both; an empty name takes the choice back. Needs the right admin."""
        return await self.use_profile(name, role=role, phase=phase, **scope)

    async def languages(self) -> list[str]:
        """The languages of the tenant's texts; empty if every text tells its own."""
        return cast(t.LanguageChoice, await self.call("get_languages")).languages

    async def use_languages(self, *codes: str) -> list[str]:
        """Chooses the languages. Needs the right admin."""
        return cast(t.LanguageChoice, await self.call("use_languages", languages=list(codes))).languages

    async def job_counts(self) -> t.JobCounts | None:
        """How many jobs in the background are not done."""
        return cast(t.JobPage, await self.call("list_jobs", counts=True, limit=1)).counts

    async def generations(self) -> list[t.GenerationStatus]:
        """The embedders of the store, and how far each has come."""
        return cast(t.GenerationList, await self.call("generations")).items

    async def switch_to(self, embedder: str) -> list[t.GenerationStatus]:
        """Changes the embedder in the background."""
        return cast(t.ReindexResult, await self.call("reindex", to=embedder)).generations or []

    async def rollback(self) -> list[t.GenerationStatus]:
        """Goes back to the embedder before."""
        return cast(t.ReindexResult, await self.call("reindex", rollback=True)).generations or []

    async def forget_previous(self) -> list[t.GenerationStatus]:
        """Removes the vectors of the embedder before."""
        return cast(t.ReindexResult, await self.call("reindex", forget_old=True)).generations or []

    # In and out

    async def export(self, **scope: Unpack[t.ScopeInput]) -> AsyncIterator[dict[str, Any]]:
        """Everything that the scope covers, the header first. Needs the right admin."""
        address: _core.Params = [(name, str(value)) for name, value in _core.narrowed(self._scope, scope).items() if value]
        async for line in self._lines("GET", _core.PREFIX + "/export", address, None, "application/x-ndjson"):
            try:
                item = json.loads(line)
            except ValueError as error:
                raise Internal("the answer is not what a trilith server sends") from error
            yield item

    async def events(self, after: str = "", **scope: Unpack[t.ScopeInput]) -> AsyncIterator[t.Event]:
        """What happens from now on, or after the cursor of an event before: ids and numbers, and no stored text.

        It ends with an error when the connection does; go on with the last cursor.
        """
        members = {**_core.narrowed(self._scope, scope), "after": after}
        address: _core.Params = [(name, str(value)) for name, value in members.items() if value]
        event: list[str] = []
        async for line in self._lines("GET", _core.PREFIX + "/events", address, None, "text/event-stream"):
            if line:
                event.append(line)
                continue
            name, data = _core.events(event)
            event = []
            if name == "error":
                raise _core.said_error(data)
            if name:
                yield cast(t.Event, data)
        raise Unavailable("the stream of events has ended")

    async def import_files(
        self,
        files: Iterable[tuple[str, bytes]],
        *,
        dry_run: bool = False,
        format: str = "",
        extract: str = "",
        **scope: Unpack[t.ScopeInput],
    ) -> t.ImportRun:
        """Takes files of other programs, each a name and its content; doing it twice stores nothing twice."""
        fields = {
            **_core.narrowed(self._scope, scope),
            "format": format,
            "extract": extract,
            "dry_run": "true" if dry_run else "",
        }
        kind, body = _core.form(fields, files)
        said = _core.read(
            await self._send("POST", _core.PREFIX + "/imports", [], body, {"Content-Type": kind}, False)
        )
        return t.ImportRun._read(said)

    async def put_media(
        self,
        content: bytes,
        *,
        name: str = "",
        media_type: str = "application/octet-stream",
        timestamp: str = "",
        extract: str = "",
        dry_run: bool = False,
        **scope: Unpack[t.ScopeInput],
    ) -> dict[str, Any]:
        """Keeps a picture, a recording or scanned pages, and has a model read it; doing it twice stores it once.

        The answer has what is known of the file, and whether it is new.
        """
        fields = {"name": name, "timestamp": timestamp, "extract": extract, "dry_run": "true" if dry_run else ""}
        members = {**_core.narrowed(self._scope, scope), **fields}
        address: _core.Params = [(key, str(value)) for key, value in members.items() if value]
        headers = {"Content-Type": media_type}
        said = _core.read(await self._send("POST", _core.PREFIX + "/media", address, content, headers, False))
        return cast("dict[str, Any]", said)

    async def media(self, **options: Unpack[t.MediaOptions]) -> t.MediaPage:
        """Pictures, recordings and scanned pages, by id; with unread only those that no model has read."""
        return cast(t.MediaPage, await self.call("media", **options))

    async def media_file(self, id: str, **scope: Unpack[t.ScopeInput]) -> bytes:
        """A file as it came."""
        address: _core.Params = [(key, str(value)) for key, value in _core.narrowed(self._scope, scope).items() if value]
        path = _core.PREFIX + "/media/" + quote(id, safe="")
        return (await self._send("GET", path, address, None, {}, True)).content

    async def import_runs(self) -> list[t.ImportRun]:
        """The last hundred imports of files, the latest first."""
        return cast(t.ImportRuns, await self.call("imports")).items

    async def undo_import(self, id: str, dry_run: bool = False) -> t.ImportRun:
        """Takes what an import of files has stored out of search; a dry run only counts that."""
        return cast(t.ImportRun, await self.call("undo_import", id=id, dry_run=dry_run))

    async def import_(self, items: Iterable[dict[str, Any]]) -> dict[str, Any]:
        """Takes back what export() gave; doing it twice stores nothing twice. Needs the right admin.

        The answer counts what was stored and lists the lines that could not be taken.
        """

        async def lines() -> AsyncIterator[bytes]:
            for item in items:
                yield _core.encode(item) + b"\n"

        headers = {"Content-Type": "application/x-ndjson"}
        said = _core.read(await self._send("POST", _core.PREFIX + "/import", [], lines(), headers, False))
        return cast("dict[str, Any]", said)
