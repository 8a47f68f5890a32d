"""The retriever passes LangChain's own suite; the history gives back every message as it was."""

import pytest

pytest.importorskip("langchain_core")

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_tests.integration_tests import RetrieversIntegrationTests

import cairn
from cairn.langchain import CairnChatMessageHistory, CairnRetriever

TURNS = ["I moor the boat in Bergen.", "My sister bakes rye bread.", "The anchor rope is blue.", "I moved from Oslo in June."]


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def turns(self, server):
        type(self).client = server.scope(user="retriever")
        for i, turn in enumerate(TURNS):
            self.client.remember(turn, external_id=f"t{i}")

    @property
    def retriever_constructor(self):
        return CairnRetriever

    @property
    def retriever_constructor_params(self):
        return {"client": self.client}

    @property
    def retriever_query_example(self):
        return "Where is the boat of the sister moored, on which rope, since she moved?"


def test_documents(memory):
    memory.remember("I moor the boat in Bergen.", speaker="Ana", tags=["boat"], metadata={"page": 4})
    memory.remember("My sister bakes rye bread.")
    documents = CairnRetriever(client=memory, filter=cairn.F.tag("boat")).invoke("Where is the boat moored?")
    assert [d.page_content for d in documents] == ["I moor the boat in Bergen."]
    assert documents[0].metadata["page"] == 4 and documents[0].metadata["speaker"] == "Ana"
    assert CairnRetriever(client=memory).invoke(" ") == []


def test_history(memory):
    history = CairnChatMessageHistory("one", memory)
    messages = [
        SystemMessage("Be brief."), HumanMessage("Which rope holds the anchor?", name="Ana"),
        AIMessage("", tool_calls=[{"name": "look", "args": {"where": "locker"}, "id": "c1"}]),
        ToolMessage("rope <blue>", tool_call_id="c1"), AIMessage("The blue one.", response_metadata={"model": "m"}),
        HumanMessage([{"type": "text", "text": "Sure?"}])]
    history.add_messages(messages[:2])
    history.add_messages(messages[2:])
    assert history.messages == messages
    assert memory.recall("Which rope holds the anchor?").hits[0].memory.text in (messages[1].content, messages[4].content)
    assert CairnChatMessageHistory("two", memory).messages == []
    history.clear()
    assert history.messages == []
