"""A retriever and a chat history of LangChain in cairn: pip install cairn-memory[langchain].

    retriever = CairnRetriever(client=Cairn(user="ana"), k=5)
    documents = retriever.invoke("Where did we moor?")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from ._errors import NotFound
from ._sync.client import Cairn

ROLES = {"human": "user", "ai": "assistant"}


class CairnRetriever(BaseRetriever):
    """Finds memories in the scope of a client, the best first."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Cairn
    k: int = 10
    """Memories at most."""
    filter: dict[str, Any] | None = None
    """Conditions; see cairn.F."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        if not query.strip():
            return []
        hits = self.client.recall(query, k=k or self.k, filter=self.filter)
        return [
            Document(
                id=hit.memory.id,
                page_content=hit.memory.text,
                metadata={
                    **(hit.memory.metadata or {}),
                    "score": hit.score,
                    "kind": hit.memory.kind,
                    "event_time": hit.memory.event_time,
                    "session": hit.memory.scope.session,
                    "speaker": hit.memory.speaker,
                },
            )
            for hit in hits
        ]


class CairnChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session, kept exactly; what people and the assistant say is remembered beside."""

    def __init__(self, session_id: str, client: Cairn) -> None:
        self.session_id = session_id
        self.client = client

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """All messages, the oldest first."""
        items = self.client.session_items(self.session_id, limit=1000)
        return messages_from_dict([item.item["langchain"] for item in items])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Adds messages after those that are there."""
        if messages:
            self.client.append_items(self.session_id, [_item(message) for message in messages])

    def clear(self) -> None:
        """Removes all messages."""
        try:
            self.client.clear_items(self.session_id)
        except NotFound:
            pass


def _item(message: BaseMessage) -> dict[str, Any]:
    """The item of a message: whole for LangChain, and with role and words for the memory."""
    item: dict[str, Any] = {"langchain": message_to_dict(message)}
    if message.type in ROLES and isinstance(message.content, str) and message.content:
        item |= {"role": ROLES[message.type], "content": message.content}
    return item
