"""A retriever, a vector store and a chat history of LangChain in trilith; it needs the extra langchain.

    retriever = TrilithRetriever(client=Trilith(user="ana"), k=5)
    documents = retriever.invoke("Where did we moor?")
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict

from . import types as t
from ._errors import NotFound
from ._filter import F
from ._sync.client import Trilith

ROLES = {"human": "user", "ai": "assistant"}

# Members of the metadata of a document's entry, beside those of the document itself.
COLLECTION, DOCUMENT, EXACT = "langchain_collection", "langchain_document", "langchain_text"


class TrilithRetriever(BaseRetriever):
    """Finds memories in the scope of a client, the best first."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Trilith
    k: int = 10
    """Memories at most."""
    filter: dict[str, Any] | None = None
    """Conditions; see trilith.F."""

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
                    "event_time": hit.memory.to_dict()["event_time"],  # as JSON has it
                    "session": hit.memory.scope.session,
                    "speaker": hit.memory.speaker,
                },
            )
            for hit in hits
        ]


class TrilithVectorStore(VectorStore):
    """Keeps documents as entries in the scope of a client, which makes vectors of them itself.

    Searches give k documents, however little they have to do with the question. The memory's own searches find them too,
    earlier wordings stay in the history, and what is deleted is forgotten and can come back. Secrets are masked.
    """

    def __init__(self, client: Trilith, collection: str = "default") -> None:
        self.client = client
        self.collection = collection

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        client: Trilith | None = None,
        collection: str = "default",
        **kwargs: Any,
    ) -> TrilithVectorStore:
        """A store that holds the texts. The embedder is that of the memory: another one is not asked."""
        store = cls(client or Trilith(), collection)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Stores texts, each in place of what its id has."""
        texts = list(texts)
        for name, given in (("metadatas", metadatas), ("ids", ids)):
            if given is not None and len(given) != len(texts):
                raise ValueError(f"{name}: there are {len(given)} for {len(texts)} texts")
        done = [id or str(uuid.uuid4()) for id in ids or [None] * len(texts)]
        for text, metadata, id in zip(texts, metadatas or [{}] * len(texts), done):
            held = {**metadata, COLLECTION: self.collection, DOCUMENT: id}
            if unicodedata.normalize("NFC", text.replace("\r\n", "\n")) != text or not text.strip():
                held[EXACT] = text  # the memory writes it in another form
            self.client.put_entry(
                self._key(id), text if text.strip() else id, metadata=held, category="langchain", imported=True
            )
        return done

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The k nearest documents; filter is a condition on what the memory holds, see trilith.F."""
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, *, filter: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """The k nearest documents with their scores between 0 and 1, the best first."""
        if not query.strip():
            return []
        hits = self.client.recall(query, k=k, filter=self._ours() & filter if filter else self._ours())
        return [(_document(hit.memory), hit.score) for hit in hits]

    def _similarity_search_with_relevance_scores(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        return self.similarity_search_with_score(query, k, **kwargs)

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents of these ids that there are."""
        found = []
        for id in ids:
            try:
                found.append(_document(self.client.entry_by_key(self._key(id))))
            except NotFound:
                pass
        return found

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool | None:
        """Forgets documents; all of the collection if no ids are given."""
        if ids is None:
            ids = [memory.metadata[DOCUMENT] for memory in self.client.memories(filter=self._ours()) if memory.metadata]
        for id in ids:
            try:
                self.client.forget_by_key(self._key(id))
            except NotFound:
                pass
        return True

    def _ours(self) -> F:
        return F.where("metadata." + COLLECTION, "eq", self.collection)

    def _key(self, id: str) -> str:
        return "langchain:" + hashlib.sha256(json.dumps([self.collection, id]).encode()).hexdigest()


def _document(memory: t.Memory) -> Document:
    metadata = dict(memory.metadata or {})
    metadata.pop(COLLECTION, None)
    id = metadata.pop(DOCUMENT, None)
    content = memory.entry.content if memory.entry else None
    text = metadata.pop(EXACT, content or memory.text)
    return Document(id=id, page_content=text, metadata=metadata)


class TrilithChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session, kept exactly; what people and the assistant say is remembered beside."""

    def __init__(self, session_id: str, client: Trilith) -> None:
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
