"""The retriever and the vector store pass LangChain's own suites; the history gives back every message as it was."""

import pytest

pytest.importorskip("langchain_core")

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests

import trilith
from trilith.langchain import TrilithChatMessageHistory, TrilithRetriever, TrilithVectorStore

TURNS = ["I moor the boat in Bergen.", "My sister bakes rye bread.", "The anchor rope is blue.", "I moved from Oslo in June."]


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def turns(self, server):
        type(self).client = server.scope(user="retriever")
        for i, turn in enumerate(TURNS):
            self.client.remember(turn, external_id=f"t{i}")

    @property
    def retriever_constructor(self):
        return TrilithRetriever

    @property
    def retriever_constructor_params(self):
        return {"client": self.client}

    @property
    def retriever_query_example(self):
        return "Where is the boat of the sister moored, on which rope, since she moved?"


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, memory):
        yield TrilithVectorStore(memory)


def test_vector_store(memory):
    boats = TrilithVectorStore.from_texts(
        ["I moor the boat in Bergen.", "The anchor rope is blue.", "  ", "cafe\u0301\r\n"],
        metadatas=[{"page": 1, "who": {"name": "Ana"}}, {"page": 2}, {}, {}], ids=["a", "b", "c", "ü"], client=memory)
    others = TrilithVectorStore(memory, collection="others")
    others.add_documents([Document(page_content="The anchor is heavy.", id="a")])
    assert boats.get_by_ids(["ü", "c", "none", "a"]) == [
        Document(id="ü", page_content="cafe\u0301\r\n"), Document(id="c", page_content="  "),
        Document(id="a", page_content="I moor the boat in Bergen.", metadata={"page": 1, "who": {"name": "Ana"}})]
    best, *rest = boats.similarity_search_with_relevance_scores("Which rope holds the anchor?", k=3)
    assert best[0].id == "b" and 0 < best[1] <= 1 and len(rest) == 2 and all(score <= best[1] for _, score in rest)
    assert [d.id for d in boats.similarity_search("Bergen", k=3, filter=trilith.F.where("metadata.page", "gte", 2))] == ["b"]
    assert [d.id for d in others.as_retriever().invoke("Which rope holds the anchor?")] == ["a"]
    assert boats.similarity_search(" ") == []
    assert boats.delete() and boats.similarity_search("Bergen") == [] and len(others.similarity_search("anchor")) == 1
    boats.add_texts(["It is back."], ids=["a"])
    assert [d.page_content for d in boats.similarity_search("back")] == ["It is back."]
    with pytest.raises(ValueError, match="ids: there are 1 for 2 texts"):
        boats.add_texts(["a", "b"], ids=["a"])


def test_documents(memory):
    memory.remember("I moor the boat in Bergen.", speaker="Ana", tags=["boat"], metadata={"page": 4})
    memory.remember("My sister bakes rye bread.")
    documents = TrilithRetriever(client=memory, filter=trilith.F.tag("boat")).invoke("Where is the boat moored?")
    assert [d.page_content for d in documents] == ["I moor the boat in Bergen."]
    assert documents[0].metadata["page"] == 4 and documents[0].metadata["speaker"] == "Ana"
    assert TrilithRetriever(client=memory).invoke(" ") == []


def test_history(memory):
    history = TrilithChatMessageHistory("one", memory)
    messages = [
        SystemMessage("Be brief."), HumanMessage("Which rope holds the anchor?", name="Ana"),
        AIMessage("", tool_calls=[{"name": "look", "args": {"where": "locker"}, "id": "c1"}]),
        ToolMessage("rope <blue>", tool_call_id="c1"), AIMessage("The blue one.", response_metadata={"model": "m"}),
        HumanMessage([{"type": "text", "text": "Sure?"}])]
    history.add_messages(messages[:2])
    history.add_messages(messages[2:])
    assert history.messages == messages
    assert memory.recall("Which rope holds the anchor?").hits[0].memory.text in (messages[1].content, messages[4].content)
    assert TrilithChatMessageHistory("two", memory).messages == []
    history.clear()
    assert history.messages == []


def test_large_metadata(memory):
    from trilith import Invalid
    from trilith.langchain import TrilithVectorStore

    store = TrilithVectorStore(memory)
    document = {"pages": ["é<>&" * 1000] * 200, "deep": {"er": [{"est": 1.5}]}}
    store.add_texts(["The boat is moored."], [document], ids=["a"])
    assert store.get_by_ids(["a"])[0].metadata == document
    with pytest.raises(Invalid, match="metadata: is 1,?500,?"):
        store.add_texts(["The boat is moored."], [{"x": "y" * 1_500_000}], ids=["a"])
