"""The memory tool of Anthropic's SDK over trilith; it needs the extra anthropic.

    tool = TrilithMemoryTool(Trilith(user="ana"))
    client.beta.messages.run_tools(model=…, messages=[…], tools=[tool])

A file is an entry under the key of its path: the memory's searches find it, old wordings stay in the history, and what is
deleted is forgotten and can come back. Secrets are masked; the answer says so.
"""

from __future__ import annotations

import asyncio
import posixpath
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from . import types as t
from ._errors import Conflict, Invalid, NotFound
from ._sync.client import Trilith

if TYPE_CHECKING:
    from anthropic.types.beta import BetaCacheControlEphemeralParam

ROOT = "/memories"
KEY = "file:"
EXACT = "file_text"  # member of the metadata
WIDTH = 6  # of a line number
LONGEST = 255  # bytes of a key
ATTEMPTS = 20  # of an edit, where others edit the same file


class TrilithMemoryTool(BetaAbstractMemoryTool):
    """Keeps files in the scope of a client. Its methods are safe for concurrent use."""

    def __init__(self, client: Trilith, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        super().__init__(cache_control=cache_control)
        self.client = client

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """A file with line numbers, or what is in a folder."""
        path = _path(command.path)
        if path != ROOT:
            file = self._find(path)
            if file is not None:
                return _numbered(command.path, _text(file), command.view_range)
        sizes = {
            name[len(path) + 1 :]: len(_text(file).encode())
            for name, file in self._files(path).items()
            if not any(part.startswith(".") for part in name[len(path) + 1 :].split("/"))
        }
        if not sizes and path != ROOT:
            raise ToolError(f"The path {command.path} does not exist. Please provide a valid path.")
        shown: dict[str, int] = {}
        for name, size in sizes.items():
            parts = name.split("/")
            for depth in (1, 2):
                if len(parts) > depth:
                    folder = "/".join(parts[:depth]) + "/"
                    shown[folder] = shown.get(folder, 0) + size
            if len(parts) <= 2:
                shown[name] = size
        lines = [f"Here're the files and directories up to 2 levels deep in {command.path}, excluding hidden items:"]
        lines.append(f"{_size(sum(sizes.values()))}\t{command.path}")
        order = sorted(shown, key=lambda name: [part for part in name.split("/") if part])
        return "\n".join(lines + [f"{_size(shown[name])}\t{command.path}/{name}" for name in order])

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Makes a file; one that is there is not overwritten."""
        path = _path(command.path)
        self._refuse_folder(path, command.path)
        try:
            masked = self._put(path, command.file_text, if_absent=True)
        except Conflict:
            raise ToolError(f"File {command.path} already exists") from None
        return f"File created successfully at: {command.path}{masked}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replaces a text that is in the file once."""
        line = 0

        def edit(text: str) -> str:
            nonlocal line
            count = text.count(command.old_str)
            if count == 0:
                raise ToolError(
                    f"No replacement was performed, old_str `{command.old_str}` did not appear verbatim in {command.path}."
                )
            before, _, after = text.partition(command.old_str)
            line = before.count("\n") + 1
            if count > 1:
                starts = [i for i in range(len(text)) if text.startswith(command.old_str, i)]
                lines = ", ".join(str(text[:i].count("\n") + 1) for i in starts)
                raise ToolError(
                    f"No replacement was performed. Multiple occurrences of old_str `{command.old_str}` "
                    f"in lines: {lines}. Please ensure it is unique"
                )
            return before + command.new_str + after

        text, masked = self._edit(command.path, edit)
        lines = text.split("\n")
        near = range(max(1, line - 2), min(len(lines), line + 2) + 1)
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            + "\n".join(f"{number:{WIDTH}}\t{lines[number - 1]}" for number in near)
            + masked
        )

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Puts lines behind a line; 0 is before the first."""

        def edit(text: str) -> str:
            lines = text.split("\n")
            if lines[-1] == "":
                lines.pop()
            if not 0 <= command.insert_line <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {command.insert_line}. "
                    f"It should be within the range [0, {len(lines)}]."
                )
            lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
            whole = "\n".join(lines)
            return whole if whole.endswith("\n") else whole + "\n"

        _, masked = self._edit(command.path, edit)
        return f"The file {command.path} has been edited.{masked}"

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Forgets a file, or a folder with all that is in it."""
        path = _path(command.path)
        if path == ROOT:
            raise ToolError("Cannot delete the /memories directory itself")
        if not self._forget(self._below(path)):
            raise ToolError(f"The path {command.path} does not exist")
        return f"Successfully deleted {command.path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Moves a file or a folder; what is at the new place is not overwritten."""
        old, new = _path(command.old_path), _path(command.new_path)
        if old == ROOT:
            raise ToolError("Cannot rename the /memories directory itself")
        if new == ROOT or self._below(new):
            raise ToolError(f"The destination {command.new_path} already exists")
        self._refuse_folder(new, command.new_path)
        files = self._below(old)
        if not files:
            raise ToolError(f"The path {command.old_path} does not exist")
        if new.startswith(old + "/"):
            raise ToolError(f"The path {command.new_path} is inside of {command.old_path}")
        for name, file in files.items():
            self._put(new + name[len(old) :], _text(file))
        self._forget(files)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Forgets all files."""
        self._forget(self._files(ROOT))
        return "All memory cleared"

    def _find(self, path: str) -> t.Memory | None:
        try:
            return self.client.entry_by_key(KEY + path)
        except NotFound:
            return None

    def _files(self, folder: str) -> dict[str, t.Memory]:
        """The files in a folder, however deep, by path."""
        prefix = KEY + folder + "/"
        return {str(file.external_id)[len(KEY) :]: file for file in self.client.keyed_entries(prefix=prefix, limit=1000)}

    def _below(self, path: str) -> dict[str, t.Memory]:
        """A file, or the files in a folder."""
        file = self._find(path)
        return self._files(path) if file is None else {path: file}

    def _put(self, path: str, text: str, if_absent: bool = False, version: int | None = None) -> str:
        """Stores a file, and says what was masked of it."""
        try:
            file = self.client.put_entry(
                KEY + path, text, title=path, imported=True, category="file", if_absent=if_absent, version=version,
                structured={"path": path} if text == "" else None, metadata=_exact(text),
            )  # fmt: skip
        except Invalid as error:
            raise ToolError(str(error)) from None
        if file.state == "quarantined":
            raise ToolError("The file is stored, but it reads like an order and is hidden until a person releases it.")
        return f"\nSecrets masked before storing: {file.masked}" if file.masked else ""

    def _edit(self, shown: str, edit: Callable[[str], str]) -> tuple[str, str]:
        path = _path(shown)
        for attempt in range(1, ATTEMPTS + 1):
            file = None if path == ROOT else self._find(path)
            if file is None:
                if path == ROOT or self._files(path):
                    raise ToolError(f"The path {shown} is not a file.")
                raise ToolError(f"The path {shown} does not exist. Please provide a valid path.")
            text = edit(_text(file))
            try:
                return text, self._put(path, text, version=file.version)
            except Conflict as error:
                if attempt == ATTEMPTS:
                    raise ToolError(str(error)) from None
        raise AssertionError("the loop has an end")

    def _refuse_folder(self, path: str, shown: str) -> None:
        """Refuses a file where a folder is, and below a file."""
        if path == ROOT or self._files(path):
            raise ToolError(f"File {shown} already exists")
        while (path := posixpath.dirname(path)) != ROOT:
            if self._find(path) is not None:
                raise ToolError(f"The path {path} is a file.")

    def _forget(self, files: dict[str, t.Memory]) -> bool:
        for path in files:
            try:
                self.client.forget_by_key(KEY + path)
            except NotFound:
                pass  # somebody else was faster
        return bool(files)


class AsyncTrilithMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for the asynchronous client of Anthropic; calls of trilith run in threads."""

    def __init__(self, client: Trilith, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = TrilithMemoryTool(client)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await asyncio.to_thread(self._tool.view, command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await asyncio.to_thread(self._tool.create, command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await asyncio.to_thread(self._tool.str_replace, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await asyncio.to_thread(self._tool.insert, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await asyncio.to_thread(self._tool.delete, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await asyncio.to_thread(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self._tool.clear_all_memory)


def _path(shown: str) -> str:
    if shown != ROOT and not shown.startswith(ROOT + "/"):
        raise ToolError(f"Path must start with /memories, got: {shown}")
    path = posixpath.normpath(shown)
    if path != ROOT and not path.startswith(ROOT + "/"):
        raise ToolError(f"Path {shown} would escape /memories directory")
    if len((KEY + path + "/").encode()) > LONGEST:
        raise ToolError(f"Path {shown} is too long: a key has {LONGEST} bytes at most")
    return path


def _exact(text: str) -> dict[str, str] | None:
    """Where a file is kept that the memory writes in another form: with LF for CRLF, and composed letters."""
    return None if unicodedata.normalize("NFC", text.replace("\r\n", "\n")) == text else {EXACT: text}


def _text(file: t.Memory) -> str:
    return str((file.metadata or {}).get(EXACT) or (file.entry.content if file.entry else None) or "")


def _numbered(path: str, text: str, span: list[int] | None) -> str:
    lines = text.split("\n")
    first, last = 1, len(lines)
    if span and len(span) == 2:
        first, last = max(1, span[0]), len(lines) if span[1] == -1 else span[1]
    shown = [f"{first + i:{WIDTH}}\t{line}" for i, line in enumerate(lines[first - 1 : last])]
    return f"Here's the content of {path} with line numbers:\n" + "\n".join(shown)


def _size(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1024 and unit < 3:
        size, unit = size / 1024, unit + 1
    return f"{size:.0f}{'BKMG'[unit]}" if size == int(size) else f"{size:.1f}{'BKMG'[unit]}"
