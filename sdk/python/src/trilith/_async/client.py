"""What a memory can do, call by call."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable, cast
from urllib.parse import quote

from .. import _core
from .. import types as t
from .._errors import Internal, Invalid, Unavailable
from ._base import AsyncPages, Base

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncTrilith(Base):
    """A client of a trilith server.

    Every method takes the members of a scope (project, domain, user, agent, session, channel) beside its own options;
    they win over those of the client. Errors are subclasses of TrilithError.
    """

    # Remembering

    async def remember(
        self, what: str | Iterable[t.Message | Mapping[str, Any] | object], **options: Unpack[t.RememberOptions]
    ) -> t.RememberResult:
        """Stores a text, or the turns of a conversation, word for word.

        Messages may be those of OpenAI, Anthropic, Gemini, LangChain or the AI SDK, as dicts or as objects.
        """
        body: dict[str, Any] = {"text": what} if isinstance(what, str) else {"messages": list(what)}
        return cast(t.RememberResult, await self.call("remember", **body, **options))

    async def note(self, content: str, type: str | None = None, **options: Unpack[t.RememberOptions]) -> t.RememberResult:
        """Stores something noted by hand, such as a decision."""
        note = {"content": content, "type": type} if type else {"content": content}
        return cast(t.RememberResult, await self.call("remember", note=note, **options))

    async def document(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        name: str | None = None,
        content: str | None = None,
        **options: Unpack[t.RememberOptions],
    ) -> t.RememberResult:
        """Stores a file of text or Markdown, or the content of a name, split by its structure."""
        if path is not None:
            content = pathlib.Path(path).read_text(encoding="utf-8")
            name = name or os.path.basename(path)
        if name is None or content is None:
            raise Invalid("document: give a path, or a name and its content")
        media = {"media_type": "text/markdown"} if name.lower().endswith((".md", ".markdown")) else {}
        document = {"name": name, "content": content, **media}
        return cast(t.RememberResult, await self.call("remember", document=document, **options))

    async def add_entry(self, content: str, **options: Unpack[t.AddEntryOptions]) -> t.Memory:
        """Stores a knowledge entry."""
        return cast(t.Memory, await self.call("add_entry", content=content, **options))

    async def put_entry(self, key: str, content: str, **options: Unpack[t.PutEntryOptions]) -> t.Memory:
        """Stores an entry under a key, in place of what the key has in this very scope."""
        return cast(t.Memory, await self.call("put_entry", key=key, content=content, **options))

    # Finding

    async def recall(self, query: str, **options: Unpack[t.SearchOptions]) -> t.RecallResult:
        """Finds what is known about a question; the result is a sequence of hits."""
        return cast(t.RecallResult, await self.call("search", query=query, **options))

    async def context(self, query: str, **options: Unpack[t.ContextOptions]) -> t.ContextBlock:
        """Makes the text that a prompt gets."""
        return cast(t.ContextBlock, await self.call("context", query=query, **options))

    async def get(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.Memory:
        """One memory, in any state."""
        return cast(t.Memory, await self.call("get_memory", id=id, **scope))

    def memories(self, **options: Unpack[t.ListMemoriesOptions]) -> AsyncPages[t.Page, t.Memory]:
        """Memories from the oldest to the newest, active ones unless states says otherwise."""
        return AsyncPages(self.call, "list_memories", dict(options))

    async def stats(self, **scope: Unpack[t.ScopeInput]) -> t.Stats:
        """How many memories there are, in every state."""
        return cast(t.Stats, await self.call("stats", **scope))

    async def facets(self, **options: Unpack[t.FacetsOptions]) -> t.FacetList:
        """The values that a field of memories has, the most frequent first."""
        return cast(t.FacetList, await self.call("facets", **options))

    async def histogram(self, **options: Unpack[t.HistogramOptions]) -> t.Histogram:
        """How many memories there are by period, the earliest first."""
        return cast(t.Histogram, await self.call("histogram", **options))

    def feed(self, **options: Unpack[t.ChangesOptions]) -> AsyncPages[t.Feed, t.FeedItem]:
        """What has happened to memories, latest first."""
        return AsyncPages(self.call, "changes", dict(options))

    async def history(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.History:
        """The life of a memory."""
        return cast(t.History, await self.call("memory_history", id=id, **scope))

    async def entry(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.Memory:
        """One knowledge entry."""
        return cast(t.Memory, await self.call("get_entry", id=id, **scope))

    async def entry_by_key(self, key: str, **scope: Unpack[t.ScopeInput]) -> t.Memory:
        """The entry that has a key in this very scope."""
        return cast(t.Memory, await self.call("get_keyed_entry", key=key, **scope))

    def keyed_entries(self, **options: Unpack[t.ListKeyedEntriesOptions]) -> AsyncPages[t.Page, t.Memory]:
        """Entries of this very scope that have a key, those with a prefix if one is given."""
        return AsyncPages(self.call, "list_keyed_entries", dict(options))

    async def similar_entries(self, text: str | None = None, **options: Unpack[t.SimilarEntriesOptions]) -> t.SimilarEntries:
        """The entries of the scope's domain that are most like a text or an embedding."""
        return cast(t.SimilarEntries, await self.call("similar_entries", **{"text": text, **options}))

    # Changing

    async def batch(
        self, operations: list[t.Operation], *, atomic: bool = False, **scope: Unpack[t.ScopeInput]
    ) -> t.BatchResults:
        """Runs up to 1,000 operations one after the other, each with its own result.

        atomic does the puts and deletes together after all reads, all of them or none; nothing else may write then.
        """
        return cast(t.BatchResults, await self.call("batch", operations=operations, atomic=atomic or None, **scope))

    async def update(self, id: str, **options: Unpack[t.UpdateMemoryOptions]) -> t.Memory:
        """Changes a memory."""
        return cast(t.Memory, await self.call("update_memory", id=id, **options))

    async def correct(self, id: str, text: str, **scope: Unpack[t.ScopeInput]) -> t.Memory:
        """Replaces the text of a note or an entry; its history keeps the former one. For a fact: supersede_fact."""
        return cast(t.Memory, await self.call("update_memory", id=id, text=text, **scope))

    async def share(self, id: str, to: t.ScopeInput, **scope: Unpack[t.ScopeInput]) -> t.Memory:
        """Makes a memory visible in a second scope; the share follows the memory."""
        return cast(t.Memory, await self.call("share_memory", id=id, **scope, **{"scope": to}))

    async def forget(self, *ids: str, **options: Unpack[t.ForgetOptions]) -> t.ForgetResult:
        """Takes memories out of search, by ids or by a filter; update(id, state="active") brings one back."""
        return cast(t.ForgetResult, await self.call("forget", ids=list(ids) or None, **options))

    async def forget_by_key(self, key: str, **scope: Unpack[t.ScopeInput]) -> t.Deletion:
        """Forgets the entry that has a key in this very scope."""
        return cast(t.Deletion, await self.call("delete_keyed_entry", key=key, **scope))

    async def erase(self, *ids: str, **options: Unpack[t.EraseOptions]) -> t.EraseReceipt:
        """Removes memories for good, with what is derived from them. Needs the right admin."""
        return cast(t.EraseReceipt, await self.call("erase", ids=list(ids) or None, **options))

    async def erase_by_key(self, key: str, **scope: Unpack[t.ScopeInput]) -> t.Deletion:
        """Erases the entry that has a key in this very scope. Needs the right admin."""
        return cast(t.Deletion, await self.call("delete_keyed_entry", key=key, erase=True, **scope))

    async def prune(self, **options: Unpack[t.PruneOptions]) -> t.PruneResult:
        """Forgets the turns and notes of a scope that matter least."""
        return cast(t.PruneResult, await self.call("prune", **options))

    # Facts

    async def assimilate(
        self, content: str, identifier: t.IdentifierInput, **options: Unpack[t.AssimilateOptions]
    ) -> t.AssimilateResult:
        """Stores what was said about an entity, and the facts that follow from it."""
        return cast(
            t.AssimilateResult, await self.call("assimilate", content=content, identifier=identifier, **options)
        )

    async def tell_fact(self, **options: Unpack[t.TellFactOptions]) -> t.Memory:
        """Stores a fact that you state as data: a value of a verb or a topic, or a sentence."""
        return cast(t.Memory, await self.call("tell_fact", **options))

    async def lookup(self, type: str, value: str, **options: Unpack[t.LookupOptions]) -> t.LookupResult:
        """The facts of an entity: all of them, or with a rag_query those that matter for it."""
        return cast(t.LookupResult, await self.call("lookup", type=type, value=value, **options))

    async def card(self, type: str, value: str, **options: Unpack[t.CardOptions]) -> t.Card:
        """Who somebody is, in at most 200 tokens."""
        return cast(t.Card, await self.call("card", type=type, value=value, **options))

    async def lookup_summary(self, type: str, value: str, **options: Unpack[t.LookupSummaryOptions]) -> t.SummaryResult:
        """lookup in words."""
        return cast(t.SummaryResult, await self.call("lookup_summary", type=type, value=value, **options))

    async def facts(self, query: str | None = None, **options: Unpack[t.SearchFactsOptions]) -> t.FactPage:
        """Facts by their relevance for a query, or the newest."""
        return cast(t.FactPage, await self.call("search_facts", **{"query": query, **options}))

    async def actionable(self, **options: Unpack[t.ActionableFactsOptions]) -> t.Page:
        """Facts that require action, most pressing first."""
        return cast(t.Page, await self.call("actionable_facts", **options))

    async def unverified_financial(self, **options: Unpack[t.UnverifiedFinancialFactsOptions]) -> t.Page:
        """Amounts that nobody has verified, largest first."""
        return cast(t.Page, await self.call("unverified_financial_facts", **options))

    async def exposure(self, **scope: Unpack[t.ScopeInput]) -> t.Exposure:
        """Sums of amounts by project, type and currency."""
        return cast(t.Exposure, await self.call("financial_exposure", **scope))

    async def project_ledger(self, project: str, **options: Unpack[t.ProjectLedgerOptions]) -> t.ProjectLedger:
        """The money of a project, matched, as of any date."""
        return cast(t.ProjectLedger, await self.call("project_ledger", project=project, **options))

    async def project_trends(self, project: str, **options: Unpack[t.ProjectTrendsOptions]) -> t.ProjectTrends:
        """How amounts, dates and risks of a project have moved."""
        return cast(t.ProjectTrends, await self.call("project_trends", project=project, **options))

    async def project_report(self, project: str, **options: Unpack[t.ProjectReportOptions]) -> t.ProjectReport:
        """What became known and what ended in a project in a period."""
        return cast(t.ProjectReport, await self.call("project_report", project=project, **options))

    async def fact_stats(self, **scope: Unpack[t.ScopeInput]) -> t.FactStats:
        """How many facts there are of each type and state."""
        return cast(t.FactStats, await self.call("fact_stats", **scope))

    async def similar_facts(self, id: str, **options: Unpack[t.SimilarFactsOptions]) -> t.FactPage:
        """Facts that are like one."""
        return cast(t.FactPage, await self.call("similar_facts", id=id, **options))

    def duplicate_facts(self, **options: Unpack[t.DuplicateFactsOptions]) -> AsyncPages[t.FactGroups, t.FactGroup]:
        """Facts of one entity that say the same."""
        return AsyncPages(self.call, "duplicate_facts", dict(options))

    def fact_conflicts(self, **options: Unpack[t.ConflictingFactsOptions]) -> AsyncPages[t.FactGroups, t.FactGroup]:
        """Facts of one entity that cannot all hold."""
        return AsyncPages(self.call, "conflicting_facts", dict(options))

    async def stale_facts(self, **options: Unpack[t.StaleFactsOptions]) -> t.StalePage:
        """Facts of which nothing was heard for some days, the longest first."""
        return cast(t.StalePage, await self.call("stale_facts", **options))

    async def verify_fact(self, id: str, decision: str, **options: Unpack[t.VerifyFactOptions]) -> t.Memory:
        """Decides about a fact: verify, reject, needs_review, dispute or pending_approval."""
        return cast(t.Memory, await self.call("verify_fact", id=id, decision=decision, **options))

    async def relate(self, id: str, type: str, to: str, **options: Unpack[t.RelateFactsOptions]) -> t.Relation:
        """Says how a fact bears on another one: depends_on, blocks, causes, part_of, settles or replaces."""
        return cast(t.Relation, await self.call("relate_facts", id=id, type=type, to=to, **options))

    async def relations(self, id: str, **options: Unpack[t.FactRelationsOptions]) -> t.RelationList:
        """The relations of a fact, in both directions, and the facts that they connect."""
        return cast(t.RelationList, await self.call("fact_relations", id=id, **options))

    async def unrelate(self, id: str, relation: str, **scope: Unpack[t.ScopeInput]) -> None:
        """Takes back a relation of a fact."""
        await self.call("unrelate_facts", id=id, relation=relation, **scope)

    async def timeline(self, project: str, /, **options: Unpack[t.TimelineOptions]) -> t.ProjectTimeline:
        """What is to be done in a project and when, what waits for what, and the critical chain."""
        return cast(t.ProjectTimeline, await self.call("timeline", name=project, **options))

    async def draw_timeline(self, project: str, /, **options: Unpack[t.TimelineOptions]) -> str:
        """The timeline of a project as a Mermaid diagram."""
        request = _core.prepare("timeline", self._scope, {**options, "name": project, "format": "mermaid"})
        response = await self._send(
            request.method, request.path, request.params, request.content, request.headers, request.repeatable
        )
        return response.text

    async def undo(self, change: str, **scope: Unpack[t.ScopeInput]) -> t.Undone:
        """Undoes a decision, correction, edit, forgetting or merge by the id of its change."""
        return cast(t.Undone, await self.call("undo", id=change, **scope))

    async def supersede_fact(self, id: str, **options: Unpack[t.SupersedeFactOptions]) -> t.Supersession:
        """Corrects a fact by a text in any words, or by another fact."""
        return cast(t.Supersession, await self.call("supersede_fact", id=id, **options))

    async def reextract(self, **options: Unpack[t.ReextractOptions]) -> t.Reextraction:
        """Derives facts in the background, again or where there are none. Needs the right admin."""
        return cast(t.Reextraction, await self.call("reextract", **options))

    # Review

    def inbox(self, **options: Unpack[t.InboxOptions]) -> AsyncPages[t.ReviewPage, t.ReviewItem]:
        """What waits for a person to decide."""
        return AsyncPages(self.call, "inbox", dict(options))

    async def decide(self, decision: str, *ids: str, **options: Unpack[t.DecideOptions]) -> t.DecisionReport:
        """Decides about many facts and quarantined texts at once, by ids or by a filter."""
        return cast(t.DecisionReport, await self.call("decide", **{"decision": decision, "ids": list(ids) or None, **options}))

    async def auto_verify(self, **options: Unpack[t.AutoVerifyFactsOptions]) -> t.AutoVerifyResult:
        """Verifies the facts that meet a policy."""
        return cast(t.AutoVerifyResult, await self.call("auto_verify_facts", **options))

    # Saved searches and their alerts

    async def save_search(self, name: str, **options: Unpack[t.SaveSearchOptions]) -> t.SavedSearch:
        """Saves a search that runs on every change of its scope and raises alerts."""
        return cast(t.SavedSearch, await self.call("save_search", **{**options, "name": name}))

    async def searches(self, **scope: Unpack[t.ScopeInput]) -> t.Searches:
        """The saved searches of a scope, by name."""
        return cast(t.Searches, await self.call("list_searches", **scope))

    async def saved_search(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.SavedSearch:
        """One saved search."""
        return cast(t.SavedSearch, await self.call("get_search", id=id, **scope))

    async def change_search(self, id: str, **options: Unpack[t.ChangeSearchOptions]) -> t.SavedSearch:
        """Replaces what a saved search looks for; its name stays."""
        return cast(t.SavedSearch, await self.call("change_search", **{**options, "id": id}))

    async def delete_search(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.SavedSearch:
        """Deletes a saved search with its alerts, and returns what it was."""
        return cast(t.SavedSearch, await self.call("delete_search", id=id, **scope))

    async def alerts(self, **options: Unpack[t.ListAlertsOptions]) -> t.AlertPage:
        """What saved searches have raised, oldest first; next goes on as after=…"""
        return cast(t.AlertPage, await self.call("list_alerts", **options))

    async def acknowledge_alerts(self, *ids: str, **scope: Unpack[t.ScopeInput]) -> t.Acknowledged:
        """Notes that somebody has seen alerts."""
        return cast(t.Acknowledged, await self.call("acknowledge_alerts", **{**scope, "ids": list(ids)}))

    # Entities

    async def entity(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.Entity:
        """One entity."""
        return cast(t.Entity, await self.call("get_entity", id=id, **scope))

    def entities(self, **options: Unpack[t.ListEntitiesOptions]) -> AsyncPages[t.EntityPage, t.Entity]:
        """Whom and what facts are about."""
        return AsyncPages(self.call, "list_entities", dict(options))

    def search_entities(self, **options: Unpack[t.SearchEntitiesOptions]) -> AsyncPages[t.EntityList, t.FoundEntity]:
        """Entities by what they are called, with the number of their facts."""
        return AsyncPages(self.call, "search_entities", dict(options))

    async def facts_of(self, id: str, **options: Unpack[t.EntityFactsOptions]) -> t.LookupResult:
        """The facts of an entity: those that hold and those that do no longer."""
        return cast(t.LookupResult, await self.call("entity_facts", id=id, **options))

    async def update_entity(self, id: str, **options: Unpack[t.UpdateEntityOptions]) -> t.Entity:
        """Changes names, identifiers and attributes of an entity."""
        return cast(t.Entity, await self.call("update_entity", id=id, **options))

    async def merge_entities(self, into: str, other: str, **scope: Unpack[t.ScopeInput]) -> t.Entity:
        """Makes two entities one; the id of the other leads to the first."""
        return cast(t.Entity, await self.call("merge_entities", id=into, **scope, **{"from": other}))

    async def split_entity(self, id: str, **options: Unpack[t.SplitEntityOptions]) -> t.SplitResult:
        """Undoes a merge, or moves a part of an entity to a new one."""
        return cast(t.SplitResult, await self.call("split_entity", id=id, **options))

    def entity_history(
        self, id: str, **options: Unpack[t.EntityHistoryOptions]
    ) -> AsyncPages[t.EntityHistory, t.EntityChange]:
        """How an entity was changed, newest first."""
        return AsyncPages(self.call, "entity_history", {"id": id, **options})

    async def neighborhood(self, id: str, **options: Unpack[t.EntityNeighborhoodOptions]) -> t.Neighborhood:
        """The facts around an entity and the entities that they name."""
        return cast(t.Neighborhood, await self.call("entity_neighborhood", id=id, **options))

    # Sessions

    def sessions(self, **options: Unpack[t.ListSessionsOptions]) -> AsyncPages[t.SessionPage, t.Session]:
        """Sessions, the one with the latest turn first."""
        return AsyncPages(self.call, "list_sessions", dict(options))

    def turns(self, id: str, **options: Unpack[t.GetSessionOptions]) -> AsyncPages[t.SessionTurns, t.Memory]:
        """The turns of a session in order; page() has the session too."""
        return AsyncPages(self.call, "get_session", {"id": id, **options})

    async def session_context(self, id: str, **options: Unpack[t.MakeSessionContextOptions]) -> t.SessionContext:
        """The newest turns of a session, its newest summary and the relevant past."""
        return cast(t.SessionContext, await self.call("session_context", id=id, **options))

    async def summarize(self, **options: Unpack[t.SummarizeOptions]) -> t.SummarizeResult:
        """Makes summaries of a session, a period or an entity, or by topic."""
        return cast(t.SummarizeResult, await self.call("summarize", **options))

    async def append_items(
        self, id: str, items: list[Any], **options: Unpack[t.AppendSessionItemsOptions]
    ) -> t.SessionItems:
        """Adds items of any JSON to the transcript of a session, which keeps them exactly."""
        return cast(t.SessionItems, await self.call("append_session_items", id=id, items=items, **options))

    def session_items(
        self, id: str, **options: Unpack[t.ListSessionItemsOptions]
    ) -> AsyncPages[t.SessionItems, t.SessionItem]:
        """The transcript of a session."""
        return AsyncPages(self.call, "list_session_items", {"id": id, **options})

    async def pop_item(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.SessionItem:
        """Removes the last item of a transcript and returns it."""
        return cast(t.SessionItem, await self.call("pop_session_item", id=id, **scope))

    async def clear_items(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.ClearedItems:
        """Removes all items of a transcript."""
        return cast(t.ClearedItems, await self.call("clear_session_items", id=id, **scope))

    # Asking the server's model

    async def consult(self, prompt: str, **options: Unpack[t.ConsultOptions]) -> t.ConsultResult:
        """Asks the server's model, which is shown what is known; the exchange is stored."""
        return cast(t.ConsultResult, await self.call("consult", prompt=prompt, **options))

    async def consult_stream(
        self, prompt: str, piece: Callable[[str], object], **options: Unpack[t.ConsultOptions]
    ) -> t.ConsultResult:
        """consult that calls piece with the parts of the answer as they arrive."""
        request = _core.prepare("consult", self._scope, {"prompt": prompt, **options})
        event: list[str] = []
        async for line in self._lines(request.method, request.path, [], request.content, "text/event-stream"):
            if line:
                event.append(line)
                continue
            name, data = _core.events(event)
            event = []
            if name == "piece":
                piece(data["text"])
            elif name == "answer":
                return t.ConsultResult._read(data)
            elif name == "error":
                raise _core.said_error(data)
        raise Unavailable("the answer ends before its end")

    def recalls(self, **options: Unpack[t.RecallsOptions]) -> AsyncPages[t.RecallsPage, t.ServedRecall]:
        """What was asked and what was given for it, newest first."""
        return AsyncPages(self.call, "recalls", dict(options))

    async def logged_recall(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.ServedRecall:
        """One row of the recall log."""
        return cast(t.ServedRecall, await self.call("get_recall", id=id, **scope))

    async def recall_again(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.RecallAgain:
        """Asks again what was asked, and returns what was given then and now."""
        return cast(t.RecallAgain, await self.call("recall_again", id=id, **scope))

    async def forget_recalls(self, **scope: Unpack[t.ScopeInput]) -> int:
        """Deletes the recall log of a scope, and returns the number of rows."""
        return cast(t.ForgottenRecalls, await self.call("delete_recalls", **scope)).deleted

    # Interviews

    async def domains(self) -> t.Domains:
        """What an interview can be about."""
        return cast(t.Domains, await self.call("list_domains"))

    async def domain_gaps(self, domain: str, **options: Unpack[t.DomainGapsOptions]) -> t.DomainGaps:
        """What the entries of a domain do not say."""
        return cast(t.DomainGaps, await self.call("domain_gaps", domain=domain, **options))

    async def start_interview(self, **scope: Unpack[t.ScopeInput]) -> t.Interview:
        """Begins an interview about the scope's domain."""
        return cast(t.Interview, await self.call("start_interview", **scope))

    async def answer_interview(
        self, id: str, text: str, **options: Unpack[t.AnswerInterviewOptions]
    ) -> t.Interview:
        """Answers the question of an interview."""
        return cast(t.Interview, await self.call("answer_interview", id=id, text=text, **options))

    async def interview_gaps(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.DomainGaps:
        """What an interview has not asked yet."""
        return cast(t.DomainGaps, await self.call("interview_gaps", id=id, **scope))

    # Settings and upkeep

    async def profiles(self, **options: Unpack[t.ListProfilesOptions]) -> t.Profiles:
        """What a model looks for, by domain."""
        return cast(t.Profiles, await self.call("list_profiles", **options))

    async def use_profile(self, name: str, **options: Unpack[t.UseProfileOptions]) -> t.Profiles:
        """Chooses the profile of a project or of the tenant. Needs the right admin."""
        return cast(t.Profiles, await self.call("use_profile", name=name, **options))

    async def use_profile_for(
        self, name: str, role: str = "", phase: str = "", **scope: Unpack[t.ListProfilesOptions]
    ) -> t.Profiles:
        """Chooses a profile for a role, a phase or both; an empty name takes the choice back. Needs the right admin."""
        return await self.use_profile(name, role=role, phase=phase, **scope)

    async def extraction(self, **options: Unpack[t.ExtractionOptions]) -> t.ExtractionChoice:
        """How facts are derived."""
        return cast(t.ExtractionChoice, await self.call("extraction", **options))

    async def use_extraction(self, extract: str, **options: Unpack[t.UseExtractionOptions]) -> t.ExtractionChoice:
        """Chooses how facts are derived. Needs the right admin."""
        return cast(t.ExtractionChoice, await self.call("use_extraction", extract=extract, **options))

    async def languages(self) -> list[str]:
        """The languages of the tenant's texts; empty if every text tells its own."""
        return cast(t.LanguageChoice, await self.call("get_languages")).languages

    async def use_languages(self, *codes: str) -> list[str]:
        """Chooses the languages. Needs the right admin."""
        return cast(t.LanguageChoice, await self.call("use_languages", languages=list(codes))).languages

    def jobs(self, **options: Unpack[t.ListJobsOptions]) -> AsyncPages[t.JobPage, t.Job]:
        """Work in the background, newest first."""
        return AsyncPages(self.call, "list_jobs", dict(options))

    async def job(self, id: str) -> t.Job:
        """One job."""
        return cast(t.Job, await self.call("get_job", id=id))

    async def retry_job(self, id: str) -> t.Job:
        """Gives a dead job all its attempts again."""
        return cast(t.Job, await self.call("retry_job", id=id))

    async def me(self) -> t.Me:
        """Who the key is, what it may do, and what the server offers."""
        return cast(t.Me, await self.call("me"))

    def audit_log(self, **options: Unpack[t.AuditOptions]) -> AsyncPages[t.AuditPage, t.AuditEntry]:
        """What was done, oldest first or newest first. Needs the right admin."""
        return AsyncPages(self.call, "audit", dict(options))

    async def job_counts(self) -> t.JobCounts | None:
        """How many jobs in the background are not done."""
        return cast(t.JobPage, await self.call("list_jobs", counts=True, limit=1)).counts

    async def usage(self, days: int | None = None) -> t.UsageReport:
        """What was used of providers."""
        return cast(t.UsageReport, await self.call("usage", days=days))

    async def generations(self) -> list[t.GenerationStatus]:
        """The embedders of the store, and how far each has come."""
        return cast(t.GenerationList, await self.call("generations")).items

    async def switch_to(self, embedder: str) -> list[t.GenerationStatus]:
        """Changes the embedder in the background."""
        return cast(t.ReindexResult, await self.call("reindex", to=embedder)).generations or []

    async def rollback(self) -> list[t.GenerationStatus]:
        """Goes back to the embedder before."""
        return cast(t.ReindexResult, await self.call("reindex", rollback=True)).generations or []

    async def forget_previous(self) -> list[t.GenerationStatus]:
        """Removes the vectors of the embedder before."""
        return cast(t.ReindexResult, await self.call("reindex", forget_old=True)).generations or []

    async def sweep(self, **scope: Unpack[t.ScopeInput]) -> t.SweepResult:
        """Marks what is over as expired. Needs the right admin."""
        return cast(t.SweepResult, await self.call("sweep_facts", **scope))

    async def archive(self, **options: Unpack[t.ArchiveFactsOptions]) -> t.ArchiveResult:
        """Takes what was closed long ago out of listings. Needs the right admin."""
        return cast(t.ArchiveResult, await self.call("archive_facts", **options))

    async def regenerate_embeddings(self, **options: Unpack[t.RegenerateEmbeddingsOptions]) -> t.RegenerateResult:
        """Makes missing vectors. Needs the right admin."""
        return cast(t.RegenerateResult, await self.call("regenerate_embeddings", **options))

    # In and out

    async def export(self, **scope: Unpack[t.ScopeInput]) -> AsyncIterator[dict[str, Any]]:
        """Everything that the scope covers, the header first. Needs the right admin."""
        address: _core.Params = [(name, str(value)) for name, value in _core.narrowed(self._scope, scope).items() if value]
        async for line in self._lines("GET", _core.PREFIX + "/export", address, None, "application/x-ndjson"):
            try:
                item = json.loads(line)
            except ValueError as error:
                raise Internal("the answer is not what a trilith server sends") from error
            yield item

    async def events(self, after: str = "", **scope: Unpack[t.ScopeInput]) -> AsyncIterator[t.Event]:
        """What happens from now on, or after the cursor of an event before: ids and numbers, and no stored text.

        It ends with an error when the connection does; go on with the last cursor.
        """
        members = {**_core.narrowed(self._scope, scope), "after": after}
        address: _core.Params = [(name, str(value)) for name, value in members.items() if value]
        event: list[str] = []
        async for line in self._lines("GET", _core.PREFIX + "/events", address, None, "text/event-stream"):
            if line:
                event.append(line)
                continue
            name, data = _core.events(event)
            event = []
            if name == "error":
                raise _core.said_error(data)
            if name:
                yield cast(t.Event, data)
        raise Unavailable("the stream of events has ended")

    async def import_files(
        self,
        files: Iterable[tuple[str, bytes]],
        *,
        dry_run: bool = False,
        format: str = "",
        extract: str = "",
        **scope: Unpack[t.ScopeInput],
    ) -> t.ImportRun:
        """Takes files of other programs, each a name and its content; doing it twice stores nothing twice."""
        fields = {
            **_core.narrowed(self._scope, scope),
            "format": format,
            "extract": extract,
            "dry_run": "true" if dry_run else "",
        }
        kind, body = _core.form(fields, files)
        said = _core.read(
            await self._send("POST", _core.PREFIX + "/imports", [], body, {"Content-Type": kind}, False)
        )
        return t.ImportRun._read(said)

    async def put_media(
        self,
        content: bytes,
        *,
        name: str = "",
        media_type: str = "application/octet-stream",
        timestamp: str = "",
        extract: str = "",
        dry_run: bool = False,
        **scope: Unpack[t.ScopeInput],
    ) -> dict[str, Any]:
        """Keeps a picture, a recording or scanned pages, and has a model read it; doing it twice stores it once.

        The answer has what is known of the file, and whether it is new.
        """
        fields = {"name": name, "timestamp": timestamp, "extract": extract, "dry_run": "true" if dry_run else ""}
        members = {**_core.narrowed(self._scope, scope), **fields}
        address: _core.Params = [(key, str(value)) for key, value in members.items() if value]
        headers = {"Content-Type": media_type}
        said = _core.read(await self._send("POST", _core.PREFIX + "/media", address, content, headers, False))
        return cast("dict[str, Any]", said)

    async def media(self, **options: Unpack[t.MediaOptions]) -> t.MediaPage:
        """Pictures, recordings and scanned pages, by id; with unread only those that no model has read."""
        return cast(t.MediaPage, await self.call("media", **options))

    async def media_file(self, id: str, **scope: Unpack[t.ScopeInput]) -> bytes:
        """A file as it came."""
        address: _core.Params = [(key, str(value)) for key, value in _core.narrowed(self._scope, scope).items() if value]
        path = _core.PREFIX + "/media/" + quote(id, safe="")
        return (await self._send("GET", path, address, None, {}, True)).content

    async def import_run(self, id: str) -> t.ImportRun:
        """How an import of files stands."""
        return cast(t.ImportRun, await self.call("get_import", id=id))

    async def import_runs(self) -> list[t.ImportRun]:
        """The last hundred imports of files, the latest first."""
        return cast(t.ImportRuns, await self.call("imports")).items

    async def undo_import(self, id: str, dry_run: bool = False) -> t.ImportRun:
        """Takes what an import of files has stored out of search; a dry run only counts that."""
        return cast(t.ImportRun, await self.call("undo_import", id=id, dry_run=dry_run))

    async def import_(self, items: Iterable[dict[str, Any]]) -> dict[str, Any]:
        """Takes back what export() gave; doing it twice stores nothing twice. Needs the right admin.

        The answer counts what was stored and lists the lines that could not be taken.
        """

        async def lines() -> AsyncIterator[bytes]:
            for item in items:
                yield _core.encode(item) + b"\n"

        headers = {"Content-Type": "application/x-ndjson"}
        said = _core.read(await self._send("POST", _core.PREFIX + "/import", [], lines(), headers, False))
        return cast("dict[str, Any]", said)
