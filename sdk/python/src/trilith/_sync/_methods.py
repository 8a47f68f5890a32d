# Generated from ../_async by: go test ./sdk -update
# Generated from the table of operations by: go test ./sdk -update
"""One method for each operation; those that do more than their operation are in client.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .. import types as t
from ._base import Pages, Base

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Methods(Base):
    """The methods of Trilith that are made from the table of operations."""

    def acknowledge_alerts(self, *ids: str, **scope: Unpack[t.ScopeInput]) -> t.Acknowledged:
        """Note that somebody has seen alerts: all of them, or none if one does not exist.

        Those that the scope does not cover, and unknown ones, are NotFound, and then none is noted.

        ids: Ids of alerts.
        """
        return cast(t.Acknowledged, self.call("acknowledge_alerts", ids=list(ids), **scope))

    def actionable(self, **options: Unpack[t.ActionableFactsOptions]) -> t.Page:
        """What is to be done, is pressing or is due soon: most pressing first, then by deadline.

        Returns the active facts that need attention: those that ask for an action, the urgent ones, and those whose
        deadline or end is at most so many days ahead. The most urgent come first. Among equally urgent facts the
        earliest due comes first and a fact without a date last; of others the one that was said first.
        """
        return cast(t.Page, self.call("actionable_facts", **options))

    def add_entry(self, content: str, **options: Unpack[t.AddEntryOptions]) -> t.Memory:
        """Store a knowledge entry.

        Stores a knowledge entry like remember and returns it. If the external id exists, it returns the entry with
        that id; Conflict if that is not an entry.

        content: What is known; may be left out where structured data say it.
        """
        return cast(t.Memory, self.call("add_entry", content=content, **options))

    def alerts(self, **options: Unpack[t.ListAlertsOptions]) -> t.AlertPage:
        """What saved searches have raised, oldest first.

        Returns alerts of searches that the scope covers, oldest first. A caller bound to a part of the tenant sees
        those about memories that it may read.
        """
        return cast(t.AlertPage, self.call("list_alerts", **options))

    def answer_interview(self, id: str, text: str, **options: Unpack[t.AnswerInterviewOptions]) -> t.Interview:
        """Answer the question of an interview and get the next one.

        Stores a reply in an interview and the facts that it states about the domain, and asks the next question. The
        reply is durable before it is evaluated: a later error loses nothing, and start_interview continues from it.
        The same text again, for a question that nothing follows yet, is the same answer.

        text: What the person says, verbatim.
        """
        return cast(t.Interview, self.call("answer_interview", id=id, text=text, **options))

    def append_items(
        self, id: str, items: list[Any], **options: Unpack[t.AppendSessionItemsOptions]
    ) -> t.SessionItems:
        """Add items of any form to a transcript; what people and the assistant say is remembered.

        Adds items to the transcript of a session, in exactly the named scope, and remembers the words of people and
        the assistant in them. When it returns, the items are durable. Their words are remembered by then, or when the
        program runs again. Repeating a request with its idempotency key returns the first answer.

        items: JSON objects of any form. One with role user or assistant and content as a text, or as parts with text,
        is remembered too.
        """
        return cast(t.SessionItems, self.call("append_session_items", id=id, items=items, **options))

    def archive(self, **options: Unpack[t.ArchiveFactsOptions]) -> t.ArchiveResult:
        """Take what was closed long ago out of listings.

        Removes closed memories from listings: those that were superseded, retracted or expired at least so many days
        ago. They remain in the history, in answers as of a time, and in exports, and judgements remain in force. A
        memory that becomes active again is listed again.

        It needs the right admin.
        """
        return cast(t.ArchiveResult, self.call("archive_facts", **options))

    def assimilate(
        self, content: str, identifier: t.IdentifierInput, **options: Unpack[t.AssimilateOptions]
    ) -> t.AssimilateResult:
        """Store what was said about an entity, and the facts that follow from it.

        Stores statements about an entity and derives facts from them. It finds the entity by its identifier, or
        creates it. A failure to derive or embed never prevents storing the words: the answer waits a while for the
        facts, and the background does the rest.

        content: What was said or written.
        identifier: Whom or what the content is about; made if it is not known.
        """
        return cast(
            t.AssimilateResult, self.call("assimilate", content=content, identifier=identifier, **options)
        )

    def audit_log(self, **options: Unpack[t.AuditOptions]) -> Pages[t.AuditPage, t.AuditEntry]:
        """What was done, oldest first unless asked otherwise; each entry holds the hash of the one before.

        Pages through the audit of the tenant, oldest or latest first. It needs the right admin.
        """
        return Pages(self.call, "audit", dict(**options))

    def auto_verify(self, **options: Unpack[t.AutoVerifyFactsOptions]) -> t.AutoVerifyResult:
        """Verify pending facts that rest on enough independent sources.

        Verifies pending facts that satisfy a policy. It skips candidates: only a person accepts a proposal. It does
        not overwrite a person's decision made in the meantime.
        """
        return cast(t.AutoVerifyResult, self.call("auto_verify_facts", **options))

    def card(self, type: str, value: str, **options: Unpack[t.CardOptions]) -> t.Card:
        """Say who somebody is, in at most 200 tokens.

        type: email, phone, user_id, name or a word of your own.
        value: The identifier.
        """
        return cast(t.Card, self.call("card", type=type, value=value, **options))

    def change_search(self, id: str, **options: Unpack[t.ChangeSearchOptions]) -> t.SavedSearch:
        """Replace what a saved search looks for.

        Replaces the definition of a search from now on. Its name stays.
        """
        return cast(t.SavedSearch, self.call("change_search", id=id, **options))

    def clear_items(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.ClearedItems:
        """Remove all items of a transcript; what was remembered of them stays.

        The memories made from them stay until they are forgotten or erased.
        """
        return cast(t.ClearedItems, self.call("clear_session_items", id=id, **scope))

    def consult(self, prompt: str, **options: Unpack[t.ConsultOptions]) -> t.ConsultResult:
        """Ask the configured model, which is shown what is known; the exchange is stored.

        Sends a prompt to the server's model together with relevant memories; the exchange is stored.

        prompt: What the user says.
        """
        return cast(t.ConsultResult, self.call("consult", prompt=prompt, **options))

    def context(self, query: str, **options: Unpack[t.ContextOptions]) -> t.ContextBlock:
        """Make the text that a prompt gets.

        Makes the text that a prompt gets, and logs the memories that it shows.

        query: The question, in words.
        """
        return cast(t.ContextBlock, self.call("context", query=query, **options))

    def decide(self, decision: str, *ids: str, **options: Unpack[t.DecideOptions]) -> t.DecisionReport:
        """One decision about many items, each answered by itself.

        Each has its own result.

        decision: What is to be made of them (verify, reject, ended, done, not_about_me, dismiss, needs_review,
        dispute, pending_approval).
        ids: Ids of memories, or of ambiguous names.
        """
        return cast(t.DecisionReport, self.call("decide", decision=decision, ids=list(ids) or None, **options))

    def delete_search(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.SavedSearch:
        """Delete a saved search with its alerts; the answer is what it was.

        Removes a search with its alerts, and returns the removed search.
        """
        return cast(t.SavedSearch, self.call("delete_search", id=id, **scope))

    def domain_gaps(self, domain: str, **options: Unpack[t.DomainGapsOptions]) -> t.DomainGaps:
        """What is known of a domain and what is not.

        Returns the known and the missing fields of the scope's domain, from all sessions.
        """
        return cast(t.DomainGaps, self.call("domain_gaps", domain=domain, **options))

    def domains(self) -> t.Domains:
        """The schemas that interviews can be about.

        They are the same for all tenants.
        """
        return cast(t.Domains, self.call("list_domains"))

    def duplicate_facts(self, **options: Unpack[t.DuplicateFactsOptions]) -> Pages[t.FactGroups, t.FactGroup]:
        """Facts of one entity that say the same.

        Returns active facts that say the same as another fact of their entity. If cosines of the active generation
        carry a meaning, two facts are duplicates at a cosine of at least the threshold; otherwise, and of facts not
        embedded yet, their texts are compared. A page ends early after a thousand facts. No stored text is embedded
        for it.
        """
        return Pages(self.call, "duplicate_facts", dict(**options))

    def entities(self, **options: Unpack[t.ListEntitiesOptions]) -> Pages[t.EntityPage, t.Entity]:
        """List entities by ascending id, without those that were merged into others.

        Pages through the entities of the tenant by ascending id, without merged ones. A scope narrower than its
        tenant has those that its facts are about or name.
        """
        return Pages(self.call, "list_entities", dict(**options))

    def entity(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.Entity:
        """One entity.

        Returns an entity of the tenant as stored. One that was merged into another names the survivor.
        """
        return cast(t.Entity, self.call("get_entity", id=id, **scope))

    def entity_history(
        self, id: str, **options: Unpack[t.EntityHistoryOptions]
    ) -> Pages[t.EntityHistory, t.EntityChange]:
        """What was changed of an entity, when and by whom, newest first.

        Pages through the changes of an entity, newest first. An entity that was merged into another has its own
        history, which ends with the merge.
        """
        return Pages(self.call, "entity_history", dict(id=id, **options))

    def entry(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.Memory:
        """One knowledge entry.

        Returns a knowledge entry of the scope in any state; NotFound also for a memory that is not an entry.
        """
        return cast(t.Memory, self.call("get_entry", id=id, **scope))

    def entry_by_key(self, key: str, **scope: Unpack[t.ScopeInput]) -> t.Memory:
        """The entry that has a key.

        Returns the entry with a key in exactly this scope; NotFound if it was forgotten or has expired.
        """
        return cast(t.Memory, self.call("get_keyed_entry", key=key, **scope))

    def erase(self, *ids: str, **options: Unpack[t.EraseOptions]) -> t.EraseReceipt:
        """Remove memories for good, with everything derived from them.

        Destroys memories: in the truth with their former wordings, in sources, vectors and the text index. It leaves
        a receipt and tombstones, so that the same content does not come back when it is sent, imported or restored.
        If an id or source does not exist in the scope, it is NotFound and erases nothing. An erasure of many memories
        takes several commits; an interrupted one can be repeated, and its receipt lists the erased memories.

        Entities are erased from the whole tenant: with those that were merged into them, their identifiers, names and
        history, the questions about them, all facts about them and all that name them.

        It needs the right admin.
        """
        return cast(t.EraseReceipt, self.call("erase", ids=list(ids) or None, **options))

    def exposure(self, **scope: Unpack[t.ScopeInput]) -> t.Exposure:
        """Exact sums of money by project, type and currency.

        Adds up the money of the active facts that affirm an amount, exactly. It skips an amount that is no decimal.
        """
        return cast(t.Exposure, self.call("financial_exposure", **scope))

    def extraction(self, **options: Unpack[t.ExtractionOptions]) -> t.ExtractionChoice:
        """How facts are derived from conversations and notes where a request does not say.

        Returns how facts are derived in the scope's project, or its tenant, if a request does not say.
        """
        return cast(t.ExtractionChoice, self.call("extraction", **options))

    def facets(self, **options: Unpack[t.FacetsOptions]) -> t.FacetList:
        """The values of a field with how often they occur, the most frequent first: users, sessions, sources, …"""
        return cast(t.FacetList, self.call("facets", **options))

    def fact_conflicts(self, **options: Unpack[t.ConflictingFactsOptions]) -> Pages[t.FactGroups, t.FactGroup]:
        """Facts of one entity that cannot all hold.

        Returns active facts and candidates that contradict each other: different values of a single-valued verb, or a
        value and its denial.
        """
        return Pages(self.call, "conflicting_facts", dict(**options))

    def fact_stats(self, **scope: Unpack[t.ScopeInput]) -> t.FactStats:
        """How many facts there are, by type, state and verification.

        Counts the facts of the scope.
        """
        return cast(t.FactStats, self.call("fact_stats", **scope))

    def facts(self, query: str | None = None, **options: Unpack[t.SearchFactsOptions]) -> t.FactPage:
        """Facts by relevance for a query, or newest first.

        Finds or lists facts.

        query: What the facts should matter for.
        """
        return cast(t.FactPage, self.call("search_facts", query=query, **options))

    def facts_of(self, id: str, **options: Unpack[t.EntityFactsOptions]) -> t.LookupResult:
        """All facts of an entity, those that hold and those that do no longer, with their quotes.

        Returns the facts of an entity, or of the one that it was merged into, in a natural order: those that hold and
        those that no longer do. Of a user with one speaker the facts of both are listed.
        """
        return cast(t.LookupResult, self.call("entity_facts", id=id, **options))

    def feed(self, **options: Unpack[t.ChangesOptions]) -> Pages[t.Feed, t.FeedItem]:
        """What was learned, replaced, forgotten, or has ended: latest first.

        Pages through the changes of the scope's memories, latest first: memories that were stored, by the time of
        storing, and memories that were closed, by the time when trilith learned of it.
        """
        return Pages(self.call, "changes", dict(**options))

    def forget(self, *ids: str, **options: Unpack[t.ForgetOptions]) -> t.ForgetResult:
        """Take memories out of search; they can be brought back.

        Removes memories from search. If an id does not exist in the scope, it is NotFound and forgets nothing.
        """
        return cast(t.ForgetResult, self.call("forget", ids=list(ids) or None, **options))

    def get(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.Memory:
        """One memory.

        Returns a memory of the scope in any state; NotFound also for one in another scope.
        """
        return cast(t.Memory, self.call("get_memory", id=id, **scope))

    def histogram(self, **options: Unpack[t.HistogramOptions]) -> t.Histogram:
        """How many memories there are of each day, week or month; periods without any are left out."""
        return cast(t.Histogram, self.call("histogram", **options))

    def history(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.History:
        """What holds now and everything that it replaced, newest first.

        Returns the chain that a memory belongs to.
        """
        return cast(t.History, self.call("memory_history", id=id, **scope))

    def import_run(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.ImportRun:
        """How an import of files stands.

        Returns the state of an import of files.
        """
        return cast(t.ImportRun, self.call("get_import", id=id, **scope))

    def inbox(self, **options: Unpack[t.InboxOptions]) -> Pages[t.ReviewPage, t.ReviewItem]:
        """What waits for a person, the most pressing first.

        Ambiguous names have no scope, so only a caller that sees the whole tenant gets them. A page lists the items
        of one reason, and those of the next reason only if it is not full.
        """
        return Pages(self.call, "inbox", dict(**options))

    def interview_gaps(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.DomainGaps:
        """What an interview knows of its domain and what it does not.

        domain_gaps of the domain that an interview is about, as the interview sees it.
        """
        return cast(t.DomainGaps, self.call("interview_gaps", id=id, **scope))

    def job(self, id: str) -> t.Job:
        """One job.

        Returns one background job of the tenant.
        """
        return cast(t.Job, self.call("get_job", id=id))

    def jobs(self, **options: Unpack[t.ListJobsOptions]) -> Pages[t.JobPage, t.Job]:
        """Background jobs, newest first."""
        return Pages(self.call, "list_jobs", dict(**options))

    def keyed_entries(self, **options: Unpack[t.ListKeyedEntriesOptions]) -> Pages[t.Page, t.Memory]:
        """List the entries of this very scope that have a key, oldest first.

        Lists the active entries of exactly this scope with a key prefix, oldest first.
        """
        return Pages(self.call, "list_keyed_entries", dict(**options))

    def logged_recall(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.ServedRecall:
        """What was asked once and what was given for it.

        Returns one row of the recall log.
        """
        return cast(t.ServedRecall, self.call("get_recall", id=id, **scope))

    def lookup(self, type: str, value: str, **options: Unpack[t.LookupOptions]) -> t.LookupResult:
        """The facts of one entity: all of them, or those that matter for a query.

        Returns the facts of the entity that an identifier names: all active ones, or with a query those that match
        it, best first. Vectors and words only find a fact; the graph decides whether this entity asserts it. A fact
        that is in the index and not in the store is left out, counted, and removed from the index.

        type: email, phone, user_id, name or a word of your own.
        value: The identifier.
        """
        return cast(t.LookupResult, self.call("lookup", type=type, value=value, **options))

    def lookup_summary(self, type: str, value: str, **options: Unpack[t.LookupSummaryOptions]) -> t.SummaryResult:
        """The facts of one entity in words.

        Without a query it is the lines of card, and after them the sentences of the facts that are not on it; with
        one it is the sentences of the facts that match, best first. Its length is bounded, and it says how many facts
        it leaves out.

        type: email, phone, user_id, name or a word of your own.
        value: The identifier.
        """
        return cast(t.SummaryResult, self.call("lookup_summary", type=type, value=value, **options))

    def me(self) -> t.Me:
        """Your identity, your rights, and what you may see."""
        return cast(t.Me, self.call("me"))

    def memories(self, **options: Unpack[t.ListMemoriesOptions]) -> Pages[t.Page, t.Memory]:
        """List memories, oldest first: active ones unless states are named.

        Pages through the memories of the scope by either time, oldest or newest first: active ones unless the request
        or its filter names states. Archived memories are omitted unless requested.
        """
        return Pages(self.call, "list_memories", dict(**options))

    def merge_entities(self, into: str, other: str, **scope: Unpack[t.ScopeInput]) -> t.Entity:
        """Make another entity a part of this one, with its facts.

        Merging twice changes nothing.

        other: The entity that becomes part of this one.
        """
        return cast(t.Entity, self.call("merge_entities", id=into, from_=other, **scope))

    def neighborhood(self, id: str, **options: Unpack[t.EntityNeighborhoodOptions]) -> t.Neighborhood:
        """Facts and entities around an entity.

        Returns an entity, or the one that it was merged into, with its surroundings: its active facts and those that
        name it, by ascending id; then the facts up to hops (0 to 2) away from them; and the entities that all of
        these are about or name. With a limit, or as of a time, it is bounded.
        """
        return cast(t.Neighborhood, self.call("entity_neighborhood", id=id, **options))

    def pop_item(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.SessionItem:
        """Remove the last item of a transcript and return it.

        The turn made of it is forgotten in the same commit, and facts with no other evidence are soon after. NotFound
        if the transcript is empty.
        """
        return cast(t.SessionItem, self.call("pop_session_item", id=id, **scope))

    def profiles(self, **options: Unpack[t.ListProfilesOptions]) -> t.Profiles:
        """Extraction profiles: what a model looks for.

        Returns the extraction profiles by name, and which is the default of the scope's project, or of the tenant.
        """
        return cast(t.Profiles, self.call("list_profiles", **options))

    def project_ledger(self, project: str, **options: Unpack[t.ProjectLedgerOptions]) -> t.ProjectLedger:
        """The money of a project by item, counterparty, phase and currency, matched, as of any date.

        The money of a project as of a time.
        """
        return cast(t.ProjectLedger, self.call("project_ledger", project=project, **options))

    def project_report(self, project: str, **options: Unpack[t.ProjectReportOptions]) -> t.ProjectReport:
        """What became known and what ended in a project in a period, by topic, with quotes."""
        return cast(t.ProjectReport, self.call("project_report", project=project, **options))

    def project_trends(self, project: str, **options: Unpack[t.ProjectTrendsOptions]) -> t.ProjectTrends:
        """How amounts, dates and risks of a project have moved, and which moved unlike the others."""
        return cast(t.ProjectTrends, self.call("project_trends", project=project, **options))

    def prune(self, **options: Unpack[t.PruneOptions]) -> t.PruneResult:
        """Forget the turns and notes of a scope that matter least.

        Forgets the least important turns and notes of a scope until the number that the request, or by default the
        server, allows is left. The importance of one depends on who said it, on how many things it names, and on how
        recent it is. A memory that is the only evidence of an active fact always stays. Forgotten memories can be
        restored; the audit log has an entry for them.
        """
        return cast(t.PruneResult, self.call("prune", **options))

    def put_entry(self, key: str, content: str, **options: Unpack[t.PutEntryOptions]) -> t.Memory:
        """Store an entry under a key, in place of what the key has.

        Stores an entry under a caller's key, replacing the value that the key has in exactly this scope. If the
        stored value is identical, it is returned unchanged. A new value gets the id of the previous one, whose
        wording ends now and stays in the history. A key whose entry was forgotten or has expired gets it back with
        the new value; a key whose entry was erased is refused.

        Conflict: the key belongs to a memory that is not an entry or was superseded, or the entry does not match
        version and if_absent.

        content: What is known; may be left out where structured data say it.
        """
        return cast(t.Memory, self.call("put_entry", key=key, content=content, **options))

    def recall(self, query: str, **options: Unpack[t.SearchOptions]) -> t.RecallResult:
        """Find what is known about a question.

        Searches the memories for a question. The result is logged.

        query: The question, in words.
        """
        return cast(t.RecallResult, self.call("search", query=query, **options))

    def recall_again(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.RecallAgain:
        """Ask the same again now, and what is different.

        Repeats a logged question in its scope, and reports the differences between the answers. It is not logged. For
        a consultation it searches the facts that were shown.
        """
        return cast(t.RecallAgain, self.call("recall_again", id=id, **scope))

    def recalls(self, **options: Unpack[t.RecallsOptions]) -> Pages[t.RecallsPage, t.ServedRecall]:
        """What was asked and what was given for it, newest first.

        Returns the questions of the scope in the recall log with their results, newest first.
        """
        return Pages(self.call, "recalls", dict(**options))

    def reextract(self, **options: Unpack[t.ReextractOptions]) -> t.Reextraction:
        """Derive facts in the background: again from all sources that facts were derived from, or from those that
        none were.

        Derives the facts of sources in the scope again, in the background: of sources that facts were derived from,
        or with missing of conversations and notes without any, in the way that is chosen now. Better rules or another
        model add to known facts. What rules would no longer find is removed, unless a person has decided about it. A
        model uses at most the daily budget.

        It needs the right admin.
        """
        return cast(t.Reextraction, self.call("reextract", **options))

    def regenerate_embeddings(self, **options: Unpack[t.RegenerateEmbeddingsOptions]) -> t.RegenerateResult:
        """Make vectors for what has none, facts first.

        Makes vectors for memories of the scope that have none of the active generation, or one of an earlier wording:
        facts first, then all others, each by ascending id, at most limit. With cut it also makes those again that
        stand for the beginning of a text only, the oldest vectors first: for a model that now reads more. A text that
        the embedder refuses becomes a job, and a text that gets no vector is skipped. Without an embedder it is
        Unsupported.

        It needs the right admin.
        """
        return cast(t.RegenerateResult, self.call("regenerate_embeddings", **options))

    def relate(self, id: str, type: str, to: str, **options: Unpack[t.RelateFactsOptions]) -> t.Relation:
        """Say how a fact bears on another one of its owner.

        Relates a fact to another one of its owner, as a person says: the note, or a sentence in its place, is stored
        first, and the relation rests on it. Relating them again adds a note. A relation that would put a fact before
        itself is a Conflict.

        type: How the first fact bears on the second (depends_on, blocks, causes, part_of, settles, replaces).
        to: Id of the second fact.
        """
        return cast(t.Relation, self.call("relate_facts", id=id, type=type, to=to, **options))

    def relations(self, id: str, **options: Unpack[t.FactRelationsOptions]) -> t.RelationList:
        """What a fact waits for, blocks, causes, belongs to, settles or replaces, and what bears so on it.

        Returns the relations of a fact, in both directions, up to so many hops away, and the facts that they connect.
        """
        return cast(t.RelationList, self.call("fact_relations", id=id, **options))

    def retry_job(self, id: str) -> t.Job:
        """Give a dead job all its attempts again."""
        return cast(t.Job, self.call("retry_job", id=id))

    def save_search(self, name: str, **options: Unpack[t.SaveSearchOptions]) -> t.SavedSearch:
        """Save a search that runs on every change and raises alerts.

        Conflict: its scope has one of that name.

        name: Name; unique in its scope. It cannot be changed.
        """
        return cast(t.SavedSearch, self.call("save_search", name=name, **options))

    def saved_search(self, id: str, **scope: Unpack[t.ScopeInput]) -> t.SavedSearch:
        """One saved search.

        Returns a search that the scope covers.
        """
        return cast(t.SavedSearch, self.call("get_search", id=id, **scope))

    def search_entities(self, **options: Unpack[t.SearchEntitiesOptions]) -> Pages[t.EntityList, t.FoundEntity]:
        """Entities by what they are called, with the number of their facts.

        Searches entities by name. It reads the records of all entities of the tenant, so that it finds any part of a
        name.
        """
        return Pages(self.call, "search_entities", dict(**options))

    def searches(self, **scope: Unpack[t.ScopeInput]) -> t.Searches:
        """The saved searches of a scope, by name.

        Returns the searches that the scope covers, by name.
        """
        return cast(t.Searches, self.call("list_searches", **scope))

    def session_context(self, id: str, **options: Unpack[t.SessionContextOptions]) -> t.SessionContext:
        """What a prompt needs of a session: the newest turns, the newest summary and the relevant past.

        Returns the working memory of a session: the newest turns that fit the budget, the newest summary, and
        memories from outside the window that match the question. These come from the user, project and domain of the
        session, whatever session they were stored in; or from the session itself if it has none of the three. If a
        search fails, the answer says so and contains the rest.
        """
        return cast(t.SessionContext, self.call("session_context", id=id, **options))

    def session_items(
        self, id: str, **options: Unpack[t.ListSessionItemsOptions]
    ) -> Pages[t.SessionItems, t.SessionItem]:
        """A transcript, exactly as it was given.

        Pages through a transcript, or returns its latest items, in order.
        """
        return Pages(self.call, "list_session_items", dict(id=id, **options))

    def sessions(self, **options: Unpack[t.ListSessionsOptions]) -> Pages[t.SessionPage, t.Session]:
        """Sessions with their counts, the one with the latest turn first.

        Pages through the sessions in the scope, the one with the latest turn first; sessions of equal times have a
        fixed order. A session that gets a turn between two pages may be listed twice, or not at all.
        """
        return Pages(self.call, "list_sessions", dict(**options))

    def share(self, id: str, to: t.ScopeInput, **scope: Unpack[t.ScopeInput]) -> t.Memory:
        """Make a memory visible in a second scope: a reference, not a copy.

        Makes a memory visible in a second scope of its tenant and returns the share: a reference, which follows the
        memory.

        to: Where the memory is to be visible too.
        """
        return cast(t.Memory, self.call("share_memory", id=id, scope=to, **scope))

    def similar_entries(
        self, text: str | None = None, **options: Unpack[t.SimilarEntriesOptions]
    ) -> t.SimilarEntries:
        """The entries of a domain that are most like a text or an embedding.

        Returns the active entries of the scope's domain that are most similar to a text or an embedding.

        text: Text to compare the entries with.
        """
        return cast(t.SimilarEntries, self.call("similar_entries", text=text, **options))

    def similar_facts(self, id: str, **options: Unpack[t.SimilarFactsOptions]) -> t.FactPage:
        """Facts that are similar to one, most similar first.

        Returns the active facts of the scope that are similar to a fact, without the fact itself, by descending
        score: the cosine if cosines of the active generation carry a meaning and the fact has been embedded,
        otherwise the fused score for its text as a question. No stored text is embedded for it.
        """
        return cast(t.FactPage, self.call("similar_facts", id=id, **options))

    def split_entity(self, id: str, **options: Unpack[t.SplitEntityOptions]) -> t.SplitResult:
        """Take a part of an entity out of it, or undo a merge."""
        return cast(t.SplitResult, self.call("split_entity", id=id, **options))

    def stale_facts(self, **options: Unpack[t.StaleFactsOptions]) -> t.StalePage:
        """Facts of which nothing was heard for long, longest first.

        Returns the active facts that nothing has confirmed for so many days, the longest unconfirmed first; ties are
        ordered by id. A fact is confirmed at the event times of the episodes that it rests on, or at its own if none
        is left, and when a person verified it.
        """
        return cast(t.StalePage, self.call("stale_facts", **options))

    def start_interview(self, **scope: Unpack[t.ScopeInput]) -> t.Interview:
        """Begin an interview about a domain, or go on with the one of a session.

        Begins an interview about the scope's domain and asks the first question, or resumes the interview in the
        scope's session: it repeats a question that waits for an answer, and processes an answer that nothing follows
        because the process ended. Without a session it creates one.
        """
        return cast(t.Interview, self.call("start_interview", **scope))

    def stats(self, **scope: Unpack[t.ScopeInput]) -> t.Stats:
        """How many memories there are, by kind and by state.

        Counts the memories of the scope.
        """
        return cast(t.Stats, self.call("stats", **scope))

    def summarize(self, **options: Unpack[t.SummarizeOptions]) -> t.SummarizeResult:
        """Make a summary of a session, a period or an entity, or of the summaries of a scope by topic.

        Makes or renews the requested summaries and returns them. A session that exists in several scopes has a
        summary in each. NotFound if there is nothing to summarise.
        """
        return cast(t.SummarizeResult, self.call("summarize", **options))

    def supersede_fact(self, id: str, **options: Unpack[t.SupersedeFactOptions]) -> t.Supersession:
        """Correct a fact: by a sentence in any words, or by another fact.

        The old fact is closed, no earlier than it was last stated, and stays in the history; the new one is verified,
        because a person vouches for it. Naming the same successor again changes nothing. A fact that never held
        should be rejected instead.
        """
        return cast(t.Supersession, self.call("supersede_fact", id=id, **options))

    def sweep(self, **scope: Unpack[t.ScopeInput]) -> t.SweepResult:
        """Mark what is over as expired; reads know without it.

        Sets the state of memories whose validity has ended to expired, and replays facts for which a planned time has
        come. It repairs states and times that a clock that was ahead has left behind. Repeating it changes nothing.

        It needs the right admin.
        """
        return cast(t.SweepResult, self.call("sweep_facts", **scope))

    def tell_fact(self, **options: Unpack[t.TellFactOptions]) -> t.Memory:
        """Store a fact that you state as data.

        Stores a fact that a caller states as data. It returns the fact that has the statement as evidence: an equal
        one if that is known. A candidate waits for a person. The same request again changes nothing while its fact
        holds.
        """
        return cast(t.Memory, self.call("tell_fact", **options))

    def timeline(self, project: str, **options: Unpack[t.TimelineOptions]) -> t.ProjectTimeline:
        """What is to be done in a project and when, what waits for what, and the critical chain.

        Makes the timeline of a project of the facts that belong to it.
        """
        return cast(t.ProjectTimeline, self.call("timeline", project=project, **options))

    def turns(self, id: str, **options: Unpack[t.GetSessionOptions]) -> Pages[t.SessionTurns, t.Memory]:
        """The turns of a session in order, with its tokens and its newest summary."""
        return Pages(self.call, "get_session", dict(id=id, **options))

    def undo(self, change: str, **scope: Unpack[t.ScopeInput]) -> t.Undone:
        """Undo a decision, correction, edit, forgetting or merge: all is as before it.

        Restores the state before a change. It is NotFound for a change of another scope, and Conflict if a later
        change rests on it, or if it was undone already.
        """
        return cast(t.Undone, self.call("undo", id=change, **scope))

    def unverified_financial(self, **options: Unpack[t.UnverifiedFinancialFactsOptions]) -> t.Page:
        """Amounts of money that nobody has verified, largest first.

        Returns unverified facts with at least an amount, active ones and candidates: the largest first, ties by id.
        Amounts are compared exactly, as numbers, regardless of their currency.
        """
        return cast(t.Page, self.call("unverified_financial_facts", **options))

    def update(self, id: str, **options: Unpack[t.UpdateMemoryOptions]) -> t.Memory:
        """Change a memory; absent members stay as they are.

        A new text passes the gate like that of a new memory; the old wording stays in the history under a new id. An
        edit is a correction, so the new wording holds from the old one's event time on; a change in the world is a
        new memory with supersedes.
        """
        return cast(t.Memory, self.call("update_memory", id=id, **options))

    def update_entity(self, id: str, **options: Unpack[t.UpdateEntityOptions]) -> t.Entity:
        """Change what an entity is called and known by; absent members stay as they are.

        Changes the names, identifiers and attributes of an entity. An identifier that belongs to another entity is a
        Conflict, and so is changing an entity that was merged into another.
        """
        return cast(t.Entity, self.call("update_entity", id=id, **options))

    def usage(self, days: int | None = None) -> t.UsageReport:
        """What was used of providers, and what the budget leaves for today.

        Reports the tenant's usage of providers in the last days, today included: 1 to 366, 30 if absent.

        days: How many days, today included; 30 if left out.
        """
        return cast(t.UsageReport, self.call("usage", days=days))

    def use_extraction(self, extract: str, **options: Unpack[t.UseExtractionOptions]) -> t.ExtractionChoice:
        """Choose how facts are derived where a request does not say.

        Sets how facts are derived in the scope's project, or in its tenant, if a request does not say. Empty removes
        the choice.

        It needs the right admin.

        extract: auto: by rules, and by a model if one is configured; empty takes the choice back (none, rules, llm,
        auto).
        """
        return cast(t.ExtractionChoice, self.call("use_extraction", extract=extract, **options))

    def use_profile(self, name: str, **options: Unpack[t.UseProfileOptions]) -> t.Profiles:
        """Choose what a model looks for where a request names no profile.

        Makes a profile the default of the scope's project, or of the tenant if the scope names none: for everything,
        or for a role, a phase or both. One for a project's phases creates the project's entity, which holds the
        phase.

        It needs the right admin.

        name: Name of the profile; empty takes the choice for a role or a phase back.
        """
        return cast(t.Profiles, self.call("use_profile", name=name, **options))

    def verify_fact(self, id: str, decision: str, **options: Unpack[t.VerifyFactOptions]) -> t.Memory:
        """Record a person's decision about a fact.

        It is NotFound for a memory of another scope and Invalid for a memory that is not a fact.

        decision: What is to be made of the fact (verify, reject, ended, done, not_about_me, dismiss, needs_review,
        dispute, pending_approval).
        """
        return cast(t.Memory, self.call("verify_fact", id=id, decision=decision, **options))
