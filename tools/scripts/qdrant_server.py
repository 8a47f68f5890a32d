"""Serves the part of Qdrant's REST API that a vector index needs from Qdrant's own engine, the package qdrant-edge-py.

    python3 qdrant_server.py FOLDER

It listens on a free port of this machine, prints its address, and ends with its standard input. A collection is a shard of
the engine below FOLDER. Collections, aliases and metadata live as long as the process; strict mode, clusters and keys are
not here. tools/scripts/qdrant_edge installs the package and runs this.
"""

import json
import os
import re
import shutil
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import qdrant_edge as qe

VERSION = "1.20.0"  # of the server whose filters the engine has
IDLE = 8.0  # seconds without a write after which vectors are indexed; writes wait meanwhile
TYPES = {"keyword": "Keyword", "integer": "Integer", "float": "Float", "datetime": "Datetime", "bool": "Bool"}
# The binding takes true for 1 where it compares. Truth values are compared as words, under a key of their own.
BOOL = "__bool__"


class Refused(Exception):
    def __init__(self, status, text):
        self.status, self.text = status, text


class Collection:
    def __init__(self, folder, body):
        vectors = body["vectors"]
        quantized = None
        if "quantization_config" in body:
            quantized = qe.ScalarQuantizationConfig(type=qe.ScalarType.Int8, always_ram=True)
        params = qe.EdgeVectorParams(size=vectors["size"], distance=getattr(qe.Distance, vectors["distance"]),
                                     quantization_config=quantized)
        self.folder, self.vectors, self.metadata = folder, vectors, body.get("metadata")
        self.schema, self.lock = {}, threading.Lock()
        self.written = None  # when, if vectors are not indexed since
        self.shard = qe.EdgeShard.create(folder, qe.EdgeConfig(vectors=params))

    def update(self, operation):
        with self.lock:
            self.shard.update(operation)
            self.written = time.monotonic()

    def close(self):
        with self.lock:
            self.shard.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def match_of(key, match):
    if "value" in match:
        value = match["value"]
        if isinstance(value, bool):
            return BOOL + key, qe.MatchValue(str(value))
        return key, qe.MatchValue(value)
    for name, kind in (("any", qe.MatchAny), ("substring", qe.MatchSubstring), ("prefix", qe.MatchPrefix)):
        if name in match:
            return key, kind(match[name])
    raise Refused(400, "Format error in JSON body: unknown match")


def range_of(bounds):
    bounds = {name: value for name, value in bounds.items() if value is not None}
    if any(isinstance(value, str) for value in bounds.values()):
        return qe.RangeDateTime(**bounds)
    return qe.RangeFloat(**{name: float(value) for name, value in bounds.items()})


def condition_of(c):
    if "is_empty" in c:
        return qe.IsEmptyCondition(c["is_empty"]["key"])
    if "has_id" in c:
        return qe.HasIdCondition(set(c["has_id"]))
    if "key" not in c:
        return filter_of(c)
    key, parts = c["key"], {}
    if "match" in c:
        key, parts["match"] = match_of(key, c["match"])
    if "range" in c:
        parts["range"] = range_of(c["range"])
    if "values_count" in c:
        parts["values_count"] = qe.ValuesCount(**c["values_count"])
    return qe.FieldCondition(key=key, **parts)


def filter_of(f):
    if not f:
        return None
    parts = {}
    for name in ("must", "should", "must_not"):
        if name in f:
            conditions = f[name] if isinstance(f[name], list) else [f[name]]
            parts[name] = [condition_of(c) for c in conditions]
    return qe.Filter(**parts)


def stored(payload):
    out = dict(payload)
    for key, value in payload.items():
        words = [str(v) for v in (value if isinstance(value, list) else [value]) if isinstance(v, bool)]
        if words:
            out[BOOL + key] = words
    return out


def plain(p):
    payload = {key: value for key, value in (p.payload or {}).items() if not key.startswith(BOOL)}
    out = {"id": p.id if isinstance(p.id, int) else str(p.id), "payload": payload}
    if getattr(p, "vector", None) is not None:
        out["vector"] = p.vector
    if hasattr(p, "score"):
        out["score"], out["version"] = p.score, 0
    return out


def query_of(body):
    params = body.get("params") or {}
    quantization = params.get("quantization")
    if quantization is not None:
        quantization = qe.QuantizationSearchParams(rescore=quantization.get("rescore"))
    query = body["query"]
    return qe.QueryRequest(
        limit=body.get("limit", 10), query=qe.Query.Nearest(query if isinstance(query, list) else query["nearest"]),
        filter=filter_of(body.get("filter")), with_payload=body.get("with_payload", False),
        params=qe.SearchParams(hnsw_ef=params.get("hnsw_ef"), exact=params.get("exact", False), quantization=quantization))


class Server:
    def __init__(self, folder):
        self.folder, self.collections, self.aliases = folder, {}, {}
        self.lock, self.number = threading.Lock(), 0

    def named(self, name):
        c = self.collections.get(self.aliases.get(name, name))
        if c is None:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        return c

    def answer(self, method, path, body):
        if path == "/":
            return {"title": "qdrant - vector search engine", "version": VERSION}
        return {"result": self.route(method, path, body), "status": "ok", "time": 0}

    def route(self, method, path, body):
        if path == "/collections":
            return {"collections": [{"name": name} for name in sorted(self.collections)]}
        if path == "/aliases":
            return {"aliases": [{"alias_name": a, "collection_name": c} for a, c in sorted(self.aliases.items())]}
        if path == "/collections/aliases":
            return self.change_aliases(body["actions"])
        found = re.match(r"^/collections/([^/]+)(/.*)?$", path)
        if not found:
            raise Refused(404, "Not found")
        name, rest = found[1], found[2] or ""
        if rest == "" and method == "PUT":
            return self.create(name, body)
        if rest == "" and method == "DELETE":
            return self.drop(name)
        return self.within(self.named(name), method, rest, body)

    def create(self, name, body):
        with self.lock:
            if name in self.collections or name in self.aliases:
                raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
            self.number += 1
            self.collections[name] = Collection(os.path.join(self.folder, str(self.number)), body)
        return True

    def drop(self, name):
        with self.lock:
            c = self.collections.pop(name, None)
            self.aliases = {a: to for a, to in self.aliases.items() if to != name}
        if c is not None:
            c.close()
        return c is not None

    def change_aliases(self, actions):
        with self.lock:
            for a in actions:
                if "delete_alias" in a:
                    self.aliases.pop(a["delete_alias"]["alias_name"], None)
                    continue
                alias, to = a["create_alias"]["alias_name"], a["create_alias"]["collection_name"]
                if alias in self.collections:
                    raise Refused(409, f"Wrong input: Collection `{alias}` already exists!")
                self.named(to)
                self.aliases[alias] = to
        return True

    def within(self, c, method, rest, body):
        done = {"operation_id": 0, "status": "completed"}
        if rest == "":
            info = c.shard.info()
            schema = {key: {"data_type": kind, "points": 0} for key, kind in c.schema.items()}
            return {"status": "green" if c.written is None else "yellow", "points_count": info.points_count, "payload_schema": schema,
                    "config": {"params": {"vectors": c.vectors}, "metadata": c.metadata}}
        if rest == "/index":
            schema = body["field_schema"]
            kind = schema["type"] if isinstance(schema, dict) else schema
            params = getattr(qe.PayloadSchemaType, TYPES[kind])
            if isinstance(schema, dict):
                params = qe.KeywordIndexParams(is_tenant=schema.get("is_tenant"))
            c.update(qe.UpdateOperation.create_field_index(body["field_name"], params))
            c.schema[body["field_name"]] = kind
            return done
        if rest == "/points" and method == "PUT":
            points = [qe.Point(p["id"], p["vector"], stored(p.get("payload") or {})) for p in body["points"]]
            c.update(qe.UpdateOperation.upsert_points(points, condition=filter_of(body.get("update_filter"))))
            return done
        if rest == "/points/delete":
            if "points" in body:
                c.update(qe.UpdateOperation.delete_points(body["points"]))
            else:
                c.update(qe.UpdateOperation.delete_points_by_filter(filter_of(body["filter"])))
            return done
        if rest == "/points/query":
            return {"points": [plain(p) for p in c.shard.query(query_of(body))]}
        if rest == "/points/query/batch":
            return [{"points": [plain(p) for p in c.shard.query(query_of(b))]} for b in body["searches"]]
        if rest == "/points/scroll":
            points, after = c.shard.scroll(qe.ScrollRequest(
                limit=body.get("limit", 10), offset=body.get("offset"), filter=filter_of(body.get("filter")),
                with_payload=body.get("with_payload", True), with_vector=body.get("with_vector", False)))
            after = after if after is None or isinstance(after, int) else str(after)
            return {"points": [plain(p) for p in points], "next_page_offset": after}
        if rest == "/points/count":
            return {"count": c.shard.count(qe.CountRequest(filter=filter_of(body.get("filter")), exact=True))}
        raise Refused(404, "Not found")

    def index(self):
        """Builds the graph of vectors where nothing was written for a while."""
        while True:
            time.sleep(IDLE / 4)
            for c in list(self.collections.values()):
                with c.lock:
                    if c.written is not None and time.monotonic() - c.written > IDLE:
                        c.shard.optimize()
                        c.written = None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body go out together: two small packets would wait for each other's acknowledgement
    disable_nagle_algorithm = True
    server_of = None

    def log_message(self, *_):
        pass

    def do(self):
        size = int(self.headers.get("Content-Length") or 0)
        status = 200
        try:
            body = json.loads(self.rfile.read(size)) if size else {}
            answer = self.server_of.answer(self.command, self.path.split("?")[0], body)
        except Refused as e:
            status, answer = e.status, {"status": {"error": e.text}, "time": 0}
        except Exception as e:  # what the engine refuses
            status, answer = 400, {"status": {"error": f"Wrong input: {e}"}, "time": 0}
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    do_GET = do_PUT = do_POST = do_DELETE = do


class HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass  # the client has gone away


def main():
    Handler.server_of = Server(sys.argv[1])
    http = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    threading.Thread(target=Handler.server_of.index, daemon=True).start()
    print(f"http://127.0.0.1:{http.server_address[1]}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
