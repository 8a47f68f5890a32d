"""Runs with what tools/scripts/test_clients has installed: the client and the program from their packages."""

import os

import pytest

import trilith

for name in ("TRILITH_URL", "TRILITH_KEY"):
    os.environ.pop(name, None)


def pytest_addoption(parser):
    parser.addoption("--kills", type=int, default=5, help="how often a program is killed to see whether its server ends")


@pytest.fixture(scope="session")
def server():
    """A server for all tests that do not mind each other: each takes a user of its own."""
    with trilith.Trilith.embedded(store=":memory:") as client:
        yield client


@pytest.fixture
def memory(server, request):
    return server.scope(user=request.node.name)


def key_of(server):
    """The key of the server, for other clients."""
    return server._headers["Authorization"].removeprefix("Bearer ")
