"""A plugin of pytest for tools/scripts/framework_suites: the vendors' own tests get trilith where they name their stores."""

import asyncio
import contextlib
import uuid

import trilith

server = trilith.Trilith.embedded(store=":memory:")
key = server._headers["Authorization"].removeprefix("Bearer ")


def project(path=":memory:"):
    """The scope of a database: of one in memory, one of its own."""
    return uuid.uuid4().hex if str(path) == ":memory:" else uuid.uuid5(uuid.NAMESPACE_URL, str(path)).hex


def langgraph_stores():
    import langgraph.store.memory
    import langgraph.store.sqlite
    import langgraph.store.sqlite.aio

    from trilith.langgraph import TrilithStore

    class Store(TrilithStore):
        def __init__(self, path=":memory:", index=None, ttl=None, **_):
            ttl = ttl and {"refresh_on_read": False, **ttl}  # the default of SqliteStore, not of its interface
            super().__init__(server.scope(project=project(path)), index=index, ttl=ttl)

        def setup(self):
            pass

        def sweep_ttl(self):
            return 0  # what has ended is not found, swept or not

        def start_ttl_sweeper(self, *_):
            pass

        def stop_ttl_sweeper(self, *_, **__):
            return True

        @classmethod
        @contextlib.contextmanager
        def from_conn_string(cls, path, **config):
            yield cls(path, **config)

    class AsyncStore(Store):
        async def setup(self):
            pass

        async def sweep_ttl(self):
            return 0

        async def start_ttl_sweeper(self, *_):
            return asyncio.create_task(asyncio.sleep(0))

        async def stop_ttl_sweeper(self, *_, **__):
            return True

        @classmethod
        @contextlib.asynccontextmanager
        async def from_conn_string(cls, path, **config):
            yield cls(path, **config)

    langgraph.store.memory.InMemoryStore = Store
    langgraph.store.sqlite.SqliteStore = Store
    langgraph.store.sqlite.AsyncSqliteStore = langgraph.store.sqlite.aio.AsyncSqliteStore = AsyncStore


def agents_session():
    import agents
    import agents.memory

    from trilith.openai_agents import TrilithSession

    client = trilith.AsyncTrilith(server.url, key)  # one for all event loops

    class Session(TrilithSession):
        def __init__(self, session_id, db_path=":memory:", session_settings=None):
            super().__init__(session_id, client.scope(project=project(db_path)), session_settings=session_settings)

        def close(self):
            pass

    agents.SQLiteSession = agents.memory.SQLiteSession = Session


def pytest_configure():
    for replace in (langgraph_stores, agents_session):
        with contextlib.suppress(ImportError):
            replace()


def pytest_unconfigure():
    server.close()
