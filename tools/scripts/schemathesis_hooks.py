"""Teaches schemathesis the lines of exports and imports."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def to_lines(ctx, value):
    items = value if isinstance(value, list) else [value]
    return "\n".join(json.dumps(item) for item in items).encode()


@schemathesis.deserializer("application/x-ndjson")
def first_line(ctx, response):
    return json.loads(response.content.splitlines()[0])
