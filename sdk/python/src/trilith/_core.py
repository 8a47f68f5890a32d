"""What both clients do without waiting: making requests, reading answers, deciding what is repeated."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import json
import random
import re
import uuid
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple, Optional, Union
from urllib.parse import quote

import httpx

from ._errors import KINDS, STATUSES, TrilithError, DeadlineExceeded, Internal, Invalid, Unavailable
from ._model import SCOPE, Model
from ._operations import OPERATIONS

VERSION = "0.1.0"
PREFIX = "/api/v1"
LONGEST_PAUSE = 30.0  # seconds; a server that wants longer is not waited for


Params = list[tuple[str, Optional[Union[str, int, float, bool]]]]


class Position:
    """How far the server's store had come at the latest write of a connection: what is read on standbys then shows that."""

    def __init__(self) -> None:
        self._seen = (0, "")

    def headers(self) -> dict[str, str]:
        return {"Trilith-Position": self._seen[1]} if self._seen[1] else {}

    def see(self, headers: httpx.Headers) -> None:
        text = headers.get("Trilith-Position", "")
        if match := re.fullmatch("([0-9A-F]{1,8})/([0-9A-F]{1,8})", text):
            at = int(match[1], 16) << 32 | int(match[2], 16)
            self._seen = max(self._seen, (at, text))  # answers may come in another order than that of the writes


class Request(NamedTuple):
    method: str
    path: str
    params: Params
    content: bytes | None
    headers: dict[str, str]
    repeatable: bool
    answer: type[Model]


def narrowed(scope: dict[str, str], own: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call over the scope of its client.

    A value that is given and names nothing is refused, None too: if it were left out, the call would be about everybody.
    """
    for name, value in own.items():
        if name in SCOPE and (value is None or isinstance(value, str) and not value.strip()) or name == "scope" and value is None:
            raise Invalid(f"{name}: is {value!r}, which names nothing; name one, or leave it out")
    return {**scope, **own}


def prepare(name: str, scope: dict[str, str], args: dict[str, Any]) -> Request:
    """Makes the request of an operation. Arguments that are None are left out; others win over the scope."""
    try:
        op = OPERATIONS[name]
    except KeyError:
        raise Invalid(f"operation: {name!r} is no operation of the API") from None
    takes = op.query if op.body is None else op.query + op.body
    args = narrowed({key: value for key, value in scope.items() if key in takes}, args)
    args = {key.removesuffix("_"): value for key, value in args.items() if value is not None}  # from_ is from

    def part(match: re.Match[str]) -> str:
        value = str(args.pop(match[1], ""))
        if not value or value in (".", ".."):
            raise Invalid(f"{match[1]}: is {value!r}, which no path can contain")
        return quote(value, safe="")

    path, _, chosen = re.sub(r"\{(\w+)\}", part, op.path).partition("?")
    params: Params = [(chosen.partition("=")[0], chosen.partition("=")[2])] if chosen else []
    params += [(key, _text(args.pop(key))) for key in op.query if key in args]
    headers, content = {}, None
    repeatable = op.repeat != ""
    if op.repeat == "header" and "request_key" not in args:
        headers["Idempotency-Key"] = uuid.uuid4().hex
    elif op.repeat == "body":
        args.setdefault("request_key", uuid.uuid4().hex)
    elif "version" in args or "if_absent" in args:
        repeatable = False  # the first attempt may have changed what is compared
    if args.get("atomic"):  # of a batch
        repeatable = not any({"version", "if_absent"} & (one.get("put") or {}).keys() for one in args["operations"])
    if op.body is not None:
        content = encode(args)
        headers["Content-Type"] = "application/json"
    elif args:
        params += [(key, _text(value)) for key, value in args.items()]  # the server says what is wrong with them
    return Request(op.method, PREFIX + path, params, content, headers, repeatable or bool(args.get("dry_run")), op.answer)


def encode(value: Any) -> bytes:
    try:
        return json.dumps(value, default=_json, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise Invalid(f"the request cannot be written as JSON: {error}") from error


def _json(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    for name in ("model_dump", "to_dict"):  # of pydantic and of most others
        if not isinstance(value, type) and callable(dump := getattr(value, name, None)):
            return dump()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _text(value: Any) -> str:
    """An argument as addresses have it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return encode(value).decode()
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    if isinstance(value, datetime.date):
        return str(_json(value))
    return str(value)


def read(response: httpx.Response) -> Any:
    try:
        return json.loads(response.content)
    except ValueError as error:
        raise Internal("the answer is not what a trilith server sends", status=response.status_code) from error


def problem(response: httpx.Response) -> TrilithError:
    """Reads an answer of another status than 200 and 202."""
    status = response.status_code
    try:
        said = json.loads(response.content)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        said = {}
    if isinstance(said.get("error"), dict):  # of JSON-RPC
        inner = said["error"]
        said = {"kind": (inner.get("data") or {}).get("kind"), "detail": inner.get("message")}
    kind = STATUSES.get(status, Invalid if 400 <= status < 500 else Internal)
    after = response.headers.get("retry-after", "")
    return KINDS.get(str(said.get("kind")), kind)(
        said.get("detail") or f"the server answers {status} {response.reason_phrase}",
        status=status,
        request_id=said.get("request_id") or response.headers.get("x-request-id"),
        fields=said.get("errors"),
        rejected=said.get("rejected"),
        retry_after=float(after) if after.isdigit() else None,
    )


def said_error(said: dict[str, Any]) -> TrilithError:
    """Reads a problem in the middle of an answer."""
    return KINDS.get(said["kind"], Internal)(said["detail"], status=said.get("status"), request_id=said.get("request_id"))


def fault(error: httpx.HTTPError) -> TrilithError:
    """Turns what happened to a connection into an error of ours."""
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
        out: TrilithError = DeadlineExceeded("the server has not answered in time")
    else:
        out = Unavailable(f"the server does not answer: {error}")
    out.__cause__ = error
    return out


def again(error: TrilithError, repeatable: bool) -> bool:
    """Tells whether a call is repeated. One that never reached a server is, whatever it does."""
    if isinstance(error.__cause__, (httpx.ConnectError, httpx.ConnectTimeout)):
        return True
    if (error.retry_after or 0) > LONGEST_PAUSE:
        return False
    return repeatable and (isinstance(error, Unavailable) or error.status == 429 and error.retry_after is not None)


def pause(error: TrilithError, attempt: int) -> float:
    """Seconds before the next attempt, the first being number 1."""
    return error.retry_after or 0.05 * 3 ** (attempt - 1) * random.uniform(0.8, 1.2)


def tool_params(scope: dict[str, str], sets: tuple[str, ...] | list[str]) -> Params:
    params: Params = [(name, scope[name]) for name in SCOPE if name in scope]
    return params + [("tools", ",".join(sets))] if sets else params


def tool_result(said: dict[str, Any]) -> dict[str, Any]:
    """What a tool has answered. A mistake of the model is an answer too, for the model to read."""
    if "error" in said:
        return {"status": "error", "kind": "invalid", "message": said["error"]["message"]}
    result = said["result"]
    if "structuredContent" in result:
        return dict(result["structuredContent"])
    text = result["content"][0]["text"]
    try:
        return dict(json.loads(text))
    except ValueError:
        return {"status": "error" if result.get("isError") else "success", "message": text}


def form(fields: dict[str, Any], files: Iterable[tuple[str, bytes]]) -> tuple[str, bytes]:
    """A form with files, and its content type. Fields stand before the files."""
    mark = uuid.uuid4().hex
    head = "--" + mark + '\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n'
    parts = [(head % (name, "")).encode() + str(value).encode() + b"\r\n" for name, value in fields.items() if value]
    for name, content in files:
        plain = re.sub(r'["\r\n]', "_", name)
        parts.append((head % ("files", f'; filename="{plain}"')).encode() + content + b"\r\n")
    return "multipart/form-data; boundary=" + mark, b"".join([*parts, f"--{mark}--\r\n".encode()])


def events(lines: list[str]) -> tuple[str, Any]:
    """Reads one server-sent event."""
    name = data = ""
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            data += value
    return name, json.loads(data or "null")

