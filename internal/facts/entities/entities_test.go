package entities_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

var byPhone = trilith.Identifier{Type: "phone", Value: "+47 123"}

func named(name string) trilith.Identifier { return trilith.Identifier{Type: "name", Value: name} }

// onBoth runs a test on an engine in memory and on one on a file.
func onBoth(t *testing.T, test func(t *testing.T, e rig.Rig)) {
	t.Helper()
	t.Run("inmem", func(t *testing.T) { t.Parallel(); test(t, rig.InMemory(t)) })
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); test(t, rig.OnFile(t, rig.NewPath(t))) })
}

// whois returns the entity that an identifier leads to.
func whois(t *testing.T, r rig.Rig, id trilith.Identifier) trilith.Entity {
	t.Helper()
	res, err := r.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: id})
	if err != nil {
		t.Fatalf("Lookup(%v) = %v", id, err)
	}
	return res.Entity
}

func update(t *testing.T, r rig.Rig, id trilith.ID, u trilith.EntityUpdate) trilith.Entity {
	t.Helper()
	v, err := r.UpdateEntity(t.Context(), rig.Acme, id, u)
	if err != nil {
		t.Fatalf("UpdateEntity(%+v) = %v", u, err)
	}
	return v
}

func merge(t *testing.T, r rig.Rig, into, from trilith.ID) trilith.Entity {
	t.Helper()
	v, err := r.MergeEntities(t.Context(), rig.Acme, into, trilith.MergeRequest{From: from})
	if err != nil {
		t.Fatalf("MergeEntities = %v", err)
	}
	return v
}

func splitEntity(t *testing.T, r rig.Rig, id trilith.ID, req trilith.SplitRequest) trilith.SplitResult {
	t.Helper()
	res, err := r.SplitEntity(t.Context(), rig.Acme, id, req)
	if err != nil {
		t.Fatalf("SplitEntity(%+v) = %v", req, err)
	}
	return res
}

// steps returns what happened to an entity, newest first.
func steps(t *testing.T, r rig.Rig, id trilith.ID) []trilith.EntityAction {
	t.Helper()
	h, err := r.EntityHistory(t.Context(), rig.Acme, id, trilith.EntityHistoryQuery{})
	if err != nil {
		t.Fatalf("EntityHistory = %v", err)
	}
	out := []trilith.EntityAction{}
	for _, c := range h.Items {
		out = append(out, c.Action)
	}
	return out
}

// questions returns whom names could mean, as "name: number of entities".
func questions(t *testing.T, r rig.Rig) []string {
	t.Helper()
	out := []string{}
	for _, it := range r.Items(t, rig.Acme) {
		if it.Review != nil {
			out = append(out, fmt.Sprintf("%s: %d", it.Review.Name, len(it.Review.Entities)))
		}
	}
	slices.Sort(out)
	return out
}

func TestUpdateEntity(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e rig.Rig) {
		id := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
		v := update(t, e, id, trilith.EntityUpdate{Name: new("Ana Berg"), AddIdentifiers: []trilith.Identifier{byPhone},
			AddAliases:    []string{"Annie"},
			SetAttributes: map[string]any{"team": "roof", "level": 3}})
		v = update(t, e, id, trilith.EntityUpdate{RemoveIdentifiers: []trilith.Identifier{rig.ByMail},
			RemoveAliases:    []string{"nobody"},
			RemoveAttributes: []string{"level"}, Version: v.Version})
		want := trilith.Entity{ID: id, Type: "person", Name: "Ana Berg", Identifiers: []trilith.Identifier{byPhone},
			Aliases:    []string{"Annie"},
			Attributes: map[string]any{"team": "roof"}, CreatedAt: v.CreatedAt, Changes: 3, Version: v.Version}
		for _, id := range []trilith.Identifier{{Type: "phone", Value: "+47123"}, named("ana  berg"), named("Annie")} {
			if diff := cmp.Diff(want, whois(t, e, id)); diff != "" {
				t.Errorf("by %v (-want +got):\n%s", id, diff)
			}
		}
		_, err := e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail})
		rig.WantError(t, "Lookup by an identifier that was removed", err, trilith.NotFound, "email")
		if again := update(t, e, id,
			trilith.EntityUpdate{AddAliases: []string{"Annie"}, Name: new("Ana Berg")}); again.Version != v.Version {
			t.Errorf("an update that changes nothing makes version %d of %d", again.Version, v.Version)
		}
		h, err := e.EntityHistory(t.Context(), rig.Acme, id, trilith.EntityHistoryQuery{})
		if err != nil {
			t.Fatal(err)
		}
		wantSteps := []trilith.EntityChange{
			{EntityID: id, Seq: 3, By: "tester", Action: trilith.EntityUpdated,
				Removed: trilith.EntityParts{Identifiers: []trilith.Identifier{rig.ByMail},
					Attributes: map[string]any{"level": 3.0}}},
			{EntityID: id, Seq: 2, By: "tester", Action: trilith.EntityUpdated,
				Removed: trilith.EntityParts{Name: "ana@example.com"},
				Added: trilith.EntityParts{Name: "Ana Berg", Identifiers: []trilith.Identifier{byPhone},
					Aliases: []string{"Annie"}, Attributes: map[string]any{"team": "roof", "level": 3.0}}},
			{EntityID: id, Seq: 1, By: "tester", Action: trilith.EntityCreated,
				Added: trilith.EntityParts{Name: "ana@example.com", Type: "person",
					Identifiers: []trilith.Identifier{rig.ByMail}}},
		}
		if diff := cmp.Diff(wantSteps, h.Items, cmpopts.IgnoreFields(trilith.EntityChange{}, "At")); diff != "" ||
			h.Items[0].At.IsZero() {
			t.Errorf("EntityHistory (-want +got):\n%s", diff)
		}
		first, err := e.EntityHistory(t.Context(), rig.Acme, id, trilith.EntityHistoryQuery{Limit: 2})
		if err != nil || len(first.Items) != 2 || first.NextCursor == "" {
			t.Fatalf("the first page of the history = %+v, %v", first, err)
		}
		rest, err := e.EntityHistory(t.Context(), rig.Acme, id,
			trilith.EntityHistoryQuery{Limit: 2, Cursor: first.NextCursor})
		if diff := cmp.Diff(h.Items, append(first.Items, rest.Items...)); diff != "" || err != nil ||
			rest.NextCursor != "" {
			t.Errorf("the pages of the history are not the whole of it (-whole +pages), %v:\n%s", err, diff)
		}
	})
}

func TestUpdateEntityRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	id := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
	other := e.MustAssimilate(t, rig.Acme, byPhone, "2025-01-01", "I live in Bergen.").Entity.ID
	before := e.Exported(t, rig.Acme)
	many := make([]string, trilith.MaxAliases+1)
	for i := range many {
		many[i] = fmt.Sprint("Name ", i)
	}
	for _, c := range []struct {
		why   string
		id    trilith.ID
		u     trilith.EntityUpdate
		kind  trilith.ErrorKind
		names string
	}{
		{"unknown", trilith.DeriveID("nobody"), trilith.EntityUpdate{Name: new("x")}, trilith.NotFound, "does not exist"},
		{"the last identifier", id, trilith.EntityUpdate{RemoveIdentifiers: []trilith.Identifier{rig.ByMail}}, trilith.Invalid,
			"remove_identifiers"},
		{"another's identifier", id, trilith.EntityUpdate{AddIdentifiers: []trilith.Identifier{byPhone}}, trilith.Conflict,
			"merge them"},
		{"an old version", id, trilith.EntityUpdate{Name: new("x"), Version: 99}, trilith.Conflict, "version"},
		{"no name", id, trilith.EntityUpdate{Name: new(" ")}, trilith.Invalid, "name"},
		{"a NUL", id, trilith.EntityUpdate{AddAliases: []string{"a\x00b"}}, trilith.Invalid, "add_aliases"},
		{"a bad type", id, trilith.EntityUpdate{Type: new(strings.Repeat("t", 65))}, trilith.Invalid, "type"},
		{"a bad identifier", id, trilith.EntityUpdate{AddIdentifiers: []trilith.Identifier{{Type: "E-mail", Value: "x"}}},
			trilith.Invalid, "identifier.type"},
		{"too many aliases", id, trilith.EntityUpdate{AddAliases: many}, trilith.Exhausted, "add_aliases"},
		{"too much data", id, trilith.EntityUpdate{
			SetAttributes: map[string]any{"x": strings.Repeat("x", trilith.MaxMetadataBytes)}}, trilith.Invalid,
			"set_attributes"},
	} {
		_, err := e.UpdateEntity(t.Context(), rig.Acme, c.id, c.u)
		rig.WantError(t, "UpdateEntity with "+c.why, err, c.kind, c.names)
		if err != nil && strings.Contains(err.Error(), string(other)) {
			t.Errorf("UpdateEntity with %s names another entity: %v", c.why, err)
		}
	}
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("what was refused left something behind (-before +after):\n%s", diff)
	}
}

// Two entities known by an identifier each are one after the merge: facts, names, facts that name them, and all ways to
// find facts.
func TestMergeEntities(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e rig.Rig) {
		e.MustAssimilate(t, rig.Acme, named("Ben Holm"), "2025-01-01", "My wife is Anna Berg.")
		berg := whois(t, e, named("Anna Berg")).ID
		e.MustAssimilate(t, rig.Acme, named("Anna Berg"), "2025-02-01", "I live in Oslo. I love sailing.")
		mail := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-03-01", "I live in Bergen. I love sailing.").Entity.ID
		update(t, e, mail, trilith.EntityUpdate{Name: new("Ana Berg"), SetAttributes: map[string]any{"team": "roof"}})
		update(t, e, berg, trilith.EntityUpdate{SetAttributes: map[string]any{"team": "cellar", "floor": "2"}})

		v := merge(t, e, mail, berg)
		want := trilith.Entity{ID: mail, Type: "person", Name: "Ana Berg",
			Identifiers: []trilith.Identifier{rig.ByMail, named("Anna Berg")},
			Aliases:     []string{"Anna Berg"}, Attributes: map[string]any{"team": "roof", "floor": "2"},
			Merged:    []trilith.ID{berg},
			CreatedAt: v.CreatedAt, Changes: 3, Version: v.Version}
		for _, id := range []trilith.Identifier{rig.ByMail, named("Anna Berg"), named("Ana Berg")} {
			if diff := cmp.Diff(want, whois(t, e, id)); diff != "" {
				t.Errorf("by %v (-want +got):\n%s", id, diff)
			}
		}
		gone, err := e.Entity(t.Context(), rig.Acme, berg)
		if err != nil || gone.MergedInto != mail || gone.Name != "Anna Berg" {
			t.Errorf("Entity of the merged one = %+v, %v; want its record, leading to the survivor", gone, err)
		}
		if page, err := e.Entities(t.Context(), rig.Acme, trilith.EntitiesQuery{}); err != nil || len(page.Items) != 2 {
			t.Errorf("Entities = %+v, %v; want Ben and the survivor", page.Items, err)
		}
		rig.WantFacts(t, "of the survivor", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "likes sailing",
			"lives_in Bergen")
		rig.WantFacts(t, "of the past",
			e.MustLookup(t, rig.Acme, trilith.LookupRequest{
				Identifier: rig.ByMail, IncludeStates: []trilith.State{trilith.StateSuperseded}}), "lives_in Oslo")
		rig.WantFacts(t, "by a query",
			e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: named("Anna Berg"), Query: "sailing", TopK: 1}),
			"likes sailing")
		around, err := e.Neighborhood(t.Context(), rig.Acme, berg, trilith.NeighborhoodQuery{Hops: 1})
		if err != nil || around.Entity.ID != mail || len(around.Entities) != 1 ||
			around.Entities[0].Name != "Ben Holm" {
			t.Errorf("Neighborhood of the merged one = %+v, %v; want that of the survivor, with Ben whose wife she is",
				around, err)
		}
		facts := 0
		for _, m := range e.All(t, rig.Acme) {
			if m.Kind != trilith.KindFact {
				continue
			}
			if facts++; m.Fact.EntityID == berg || m.Fact.Node.EntityRef == berg {
				t.Errorf("%s is still the merged one's", m.Fact.RelationshipKey)
			}
			if m.Fact.Verb == "likes" &&
				(len(m.Fact.Evidence) != 2 || m.Fact.Evidence[0].EntityID != berg ||
					m.Fact.Evidence[1].EntityID != "") {
				t.Errorf("said of both, likes rests on %+v, want both with of whom it was said", m.Fact.Evidence)
			}
		}
		if facts != 4 {
			t.Errorf("there are %d facts, want wife, sailing and two homes", facts)
		}
		if got, want := steps(t, e, mail),
			[]trilith.EntityAction{trilith.EntityMerged, trilith.EntityUpdated, trilith.EntityCreated}; !slices.Equal(
			got, want) {
			t.Errorf("history of the survivor = %q, want %q", got, want)
		}
		if got, want := steps(t, e, berg),
			[]trilith.EntityAction{trilith.EntityGone, trilith.EntityUpdated, trilith.EntityCreated}; !slices.Equal(got,
			want) {
			t.Errorf("history of the merged one = %q, want %q", got, want)
		}
		if again := merge(t, e, mail, berg); again.Version != v.Version {
			t.Errorf("merging again makes version %d of %d", again.Version, v.Version)
		}
		e.MustSettle(t)
		if report, err := e.Doctor(t.Context()); err != nil || !report.OK {
			t.Errorf("Doctor = %+v, %v", report, err)
		}
		_, err = e.UpdateEntity(t.Context(), rig.Acme, berg, trilith.EntityUpdate{Name: new("x")})
		rig.WantError(t, "UpdateEntity of the merged one", err, trilith.Conflict, "merged into")
		_, err = e.MergeEntities(t.Context(), rig.Acme, berg, trilith.MergeRequest{From: mail})
		rig.WantError(t, "MergeEntities into the merged one", err, trilith.Conflict, "into")
	})
}

func TestMergeEntitiesRefuses(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	id := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
	project := e.MustAssimilate(t, rig.Acme, trilith.Identifier{Type: "project", Value: "roof"}, "2025-01-01",
		"The roof is red.").Entity.ID
	for _, c := range []struct {
		into, from trilith.ID
		kind       trilith.ErrorKind
		names      string
	}{
		{id, id, trilith.Invalid, "itself"},
		{id, project, trilith.Invalid, "project"},
		{id, trilith.DeriveID("nobody"), trilith.NotFound, "does not exist"},
		{trilith.DeriveID("nobody"), id, trilith.NotFound, "does not exist"},
		{id, "nonsense", trilith.Invalid, "id"},
	} {
		_, err := e.MergeEntities(t.Context(), rig.Acme, c.into, trilith.MergeRequest{From: c.from})
		rig.WantError(t, fmt.Sprintf("MergeEntities(%s, %s)", c.into, c.from), err, c.kind, c.names)
	}
}

// More facts than a commit carries are not merged by halves.
func TestMergeOfTooManyFacts(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	into := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "Hello.").Entity.ID
	from := e.MustAssimilate(t, rig.Acme, byPhone, "2025-01-01", "Hello.").Entity.ID
	for part := range 2 {
		facts := make([]trilith.Memory, 400)
		for i := range facts {
			facts[i] = trilith.Memory{Text: fmt.Sprint("fact ", part, i), Fact: &trilith.Fact{EntityID: from,
				Evidence: []trilith.Evidence{{EpisodeID: trilith.DeriveID("episode", fmt.Sprint(i)), Quote: "x"}}}}
		}
		e.PutFacts(t, facts...)
	}
	before := e.Exported(t, rig.Acme)
	_, err := e.MergeEntities(t.Context(), rig.Acme, into, trilith.MergeRequest{From: from})
	rig.WantError(t, "MergeEntities with 800 facts to move", err, trilith.Exhausted, "at most 1000")
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("the refused merge changed something (-before +after):\n%s", diff)
	}
	if v := merge(t, e, from, into); v.ID != from {
		t.Errorf("the other way round = %+v, want it to fit", v)
	}
}

// plain is an export without what a merge and its undoing leave behind on purpose: versions and histories.
func plain(items []trilith.ExportItem) []trilith.ExportItem {
	var out []trilith.ExportItem
	for _, it := range items {
		switch {
		case it.Change != nil:
			continue
		case it.Entity != nil:
			v := *it.Entity
			v.Version, v.Changes = 0, 0
			it.Entity = &v
		case it.Memory != nil:
			m := *it.Memory
			m.Version = 0
			it.Memory = &m
		}
		out = append(out, it)
	}
	return out
}

// sayings are what a test lets people say, of one or the other, as rapid draws it.
var sayings = []string{"I live in Oslo.", "I live in Bergen.", "I moved to Lund.", "I love sailing.", "I hate sailing.",
	"I work as a nurse.",
	"I no longer live in Oslo.", "My wife is Cleo Dahl.", "I do not like jazz.", "I love jazz."}

// Merging and then splitting two entities changes nothing, with any facts of the two.
func TestMergeThenSplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		e := rig.InMemory(t)
		ids := map[trilith.Identifier]trilith.ID{}
		for _, who := range []trilith.Identifier{rig.ByMail, named("Anna Berg")} {
			ids[who] = e.MustAssimilate(t, rig.Acme, who, "2024-12-31", "Hello.").Entity.ID
		}
		for i := range rapid.IntRange(0, 7).Draw(rt, "n") {
			who := rapid.SampledFrom([]trilith.Identifier{rig.ByMail, named("Anna Berg"), named("Ben Holm")}).Draw(rt, "who")
			text := rapid.SampledFrom(append([]string{"My wife is Anna Berg."}, sayings...)).Draw(rt, "text")
			e.MustAssimilate(t, rig.Acme, who, fmt.Sprintf("2025-01-%02d", i+1), text)
		}
		before := e.Items(t, rig.Acme)
		merge(t, e, ids[rig.ByMail], ids[named("Anna Berg")])
		res := splitEntity(t, e, ids[rig.ByMail], trilith.SplitRequest{Merged: ids[named("Anna Berg")]})
		if res.Kept.ID != ids[rig.ByMail] || res.Out.ID != ids[named("Anna Berg")] || res.Out.MergedInto != "" {
			rt.Fatalf("SplitEntity = %+v", res)
		}
		if diff := cmp.Diff(plain(before), plain(e.Items(t, rig.Acme)), cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("merge and split is not nothing (-before +after):\n%s", diff)
		}
		for who, id := range ids {
			if got := whois(t, e, who).ID; got != id {
				rt.Fatalf("%v leads to %s, want %s as before", who, got, id)
			}
		}
	})
}

// A merged person equals one that was known by one identifier from the start.
func TestMergeIsAsIfAssimilatedUnderOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		one, two := rig.InMemory(t), rig.InMemory(t)
		var ids []trilith.ID
		for _, who := range []trilith.Identifier{rig.ByMail, byPhone} {
			ids = append(ids, two.MustAssimilate(t, rig.Acme, who, "2024-12-31", "Hello.").Entity.ID)
		}
		one.MustAssimilate(t, rig.Acme, rig.ByMail, "2024-12-31", "Hello.")
		for i := range rapid.IntRange(0, 7).Draw(rt, "n") {
			text := rapid.SampledFrom(sayings).Draw(rt, "text")
			day := fmt.Sprintf("2025-01-%02d", i+1)
			one.MustAssimilate(t, rig.Acme, rig.ByMail, day, text)
			two.MustAssimilate(t, rig.Acme, rapid.SampledFrom([]trilith.Identifier{rig.ByMail, byPhone}).Draw(rt,
				"who"), day, text)
		}
		merge(t, two, ids[0], ids[1])
		if diff := cmp.Diff(timeline(one.All(t, rig.Acme)), timeline(two.All(t, rig.Acme))); diff != "" {
			rt.Fatalf("merged is not as one (-one +merged):\n%s", diff)
		}
	})
}

// timeline says what held when, and on how many words that rests.
func timeline(ms []trilith.Memory) []string {
	out := []string{}
	for _, m := range ms {
		if m.Kind != trilith.KindFact {
			continue
		}
		until := "now"
		if m.ValidUntil != nil {
			until = m.ValidUntil.Format(time.DateOnly)
		}
		out = append(out, fmt.Sprintf("%s %s %s to %s, %s, %d words", m.Fact.Verb, m.Fact.Node.Name,
			m.EventTime.Format(time.DateOnly), until, m.State, len(m.Fact.Evidence)))
	}
	slices.Sort(out)
	return out
}

// When the merge is undone, later statements stay with the person whom they were said of.
func TestSplitGivesBackWhatWasSaidSince(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e rig.Rig) {
		mail := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
		anna := e.MustAssimilate(t, rig.Acme, named("Anna Berg"), "2025-01-02", "I live in Bergen.").Entity.ID
		merge(t, e, mail, anna)
		e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-02-01", "I love sailing.")
		e.MustAssimilate(t, rig.Acme, named("Anna Berg"), "2025-02-02", "I love jazz. I moved to Lund.")
		e.MustAssimilate(t, rig.Acme, named("Ben Holm"), "2025-02-03", "My wife is Anna Berg.")
		rig.WantFacts(t, "in between", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "likes jazz",
			"likes sailing", "lives_in Lund")
		splitEntity(t, e, mail, trilith.SplitRequest{Merged: anna})
		rig.WantFacts(t, "of the survivor", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "likes sailing",
			"lives_in Oslo")
		rig.WantFacts(t, "of the other", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: named("Anna Berg")}),
			"likes jazz", "lives_in Lund")
		around, err := e.Neighborhood(t.Context(), rig.Acme, anna, trilith.NeighborhoodQuery{Hops: 0})
		if err != nil || len(around.Entities) != 1 || around.Entities[0].Name != "Ben Holm" {
			t.Errorf("Neighborhood = %+v, %v; want Ben, who spoke of her", around, err)
		}
		e.MustSettle(t)
		if report, err := e.Doctor(t.Context()); err != nil || !report.OK {
			t.Errorf("Doctor = %+v, %v", report, err)
		}
	})
}

func TestSplitUndoesTheLastMergeFirst(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	a := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
	b := e.MustAssimilate(t, rig.Acme, byPhone, "2025-01-02", "I live in Bergen.").Entity.ID
	c := e.MustAssimilate(t, rig.Acme, named("Cleo Dahl"), "2025-01-03", "I live in Lund.").Entity.ID
	merge(t, e, a, b)
	merge(t, e, a, c)
	_, err := e.SplitEntity(t.Context(), rig.Acme, a, trilith.SplitRequest{Merged: b})
	rig.WantError(t, "SplitEntity of the first of two merges", err, trilith.Conflict, string(c))
	splitEntity(t, e, a, trilith.SplitRequest{Merged: c})
	splitEntity(t, e, a, trilith.SplitRequest{Merged: b})
	for who, home := range map[trilith.Identifier]string{rig.ByMail: "Oslo", byPhone: "Bergen", named("Cleo Dahl"): "Lund"} {
		rig.WantFacts(t, fmt.Sprint("of ", who), e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: who}),
			"lives_in "+home)
	}
	_, err = e.SplitEntity(t.Context(), rig.Acme, a, trilith.SplitRequest{Merged: b})
	rig.WantError(t, "SplitEntity of what is split", err, trilith.NotFound, "merged")
}

// Two people who were taken for one are parted by hand: identifiers, aliases and facts.
func TestSplitByHand(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e rig.Rig) {
		told := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.")
		update(t, e, told.Entity.ID,
			trilith.EntityUpdate{Name: new("Ana Berg"), AddIdentifiers: []trilith.Identifier{byPhone, named("Anna Berg")},
				AddAliases: []string{"Annie"}})
		e.MustAssimilate(t, rig.Acme, named("Ben Holm"), "2025-01-02", "My wife is Anna Berg.")
		moved := e.MustAssimilate(t, rig.Acme, byPhone, "2025-02-01", "I live in Bergen.").Facts
		bergen := moved[slices.IndexFunc(moved, func(m trilith.Memory) bool { return m.State == trilith.StateActive })].ID

		res := splitEntity(t, e, told.Entity.ID,
			trilith.SplitRequest{Identifiers: []trilith.Identifier{byPhone, named("Anna Berg")}, Aliases: []string{"Annie"},
				Facts: []trilith.ID{bergen}})
		if res.Out.Name != "Anna Berg" || !slices.Equal(res.Out.Aliases, []string{"Annie"}) ||
			len(res.Kept.Aliases) != 0 || len(res.Kept.Identifiers) != 1 {
			t.Errorf("SplitEntity = %+v", res)
		}
		rig.WantFacts(t, "of what is left", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: rig.ByMail}), "lives_in Oslo")
		for _, who := range []trilith.Identifier{byPhone, named("Anna Berg"), named("Annie")} {
			rig.WantFacts(t, "of what was taken out", e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: who}),
				"lives_in Bergen")
		}
		around, err := e.Neighborhood(t.Context(), rig.Acme, res.Out.ID, trilith.NeighborhoodQuery{Hops: 0})
		if err != nil || len(around.Entities) != 1 || around.Entities[0].Name != "Ben Holm" {
			t.Errorf("Neighborhood = %+v, %v; want Ben, who named her", around, err)
		}
		if got := steps(t, e, res.Out.ID); !slices.Equal(got, []trilith.EntityAction{trilith.EntityOut}) {
			t.Errorf("history of what was taken out = %q", got)
		}
		for _, c := range []struct {
			why   string
			r     trilith.SplitRequest
			kind  trilith.ErrorKind
			names string
		}{
			{"nothing", trilith.SplitRequest{}, trilith.Invalid, "identifiers"},
			{"all identifiers", trilith.SplitRequest{Identifiers: []trilith.Identifier{rig.ByMail}}, trilith.Invalid,
				"leave it one"},
			{"another's identifier", trilith.SplitRequest{Identifiers: []trilith.Identifier{byPhone}}, trilith.Invalid,
				"has no phone"},
			{"both ways", trilith.SplitRequest{Merged: res.Out.ID, Name: "x"}, trilith.Invalid, "merged"},
		} {
			_, err := e.SplitEntity(t.Context(), rig.Acme, told.Entity.ID, c.r)
			rig.WantError(t, "SplitEntity of "+c.why, err, c.kind, c.names)
		}
		update(t, e, told.Entity.ID, trilith.EntityUpdate{AddIdentifiers: []trilith.Identifier{named("Ana")}})
		_, err = e.SplitEntity(t.Context(), rig.Acme, told.Entity.ID,
			trilith.SplitRequest{Identifiers: []trilith.Identifier{named("Ana")}, Facts: []trilith.ID{bergen}})
		rig.WantError(t, "SplitEntity with another's fact", err, trilith.NotFound, "facts")
	})
}

// Merging and splitting while others write: nothing is lost, nothing stays behind, no verb has two values.
func TestMergeWhileAssimilating(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e rig.Rig) {
		mail := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "Hello.").Entity.ID
		phone := e.MustAssimilate(t, rig.Acme, byPhone, "2025-01-01", "Hello.").Entity.ID
		const writers, each = 8, 5
		rig.Together(writers+1, func(n int) {
			if n == writers {
				for range 3 {
					merge(t, e, mail, phone)
					splitEntity(t, e, mail, trilith.SplitRequest{Merged: phone})
				}
				merge(t, e, mail, phone)
				return
			}
			who := []trilith.Identifier{rig.ByMail, byPhone}[n%2]
			for i := range each {
				text := fmt.Sprintf("I live in Town%c. I love hobby%c%c.", 'A'+n, 'a'+n, 'a'+i)
				if _, err := e.Assimilate(
					t.Context(), rig.Acme, trilith.AssimilateRequest{Identifier: who, Content: text,
						Timestamp: fmt.Sprintf("2025-02-%02d", 1+n*3+i%3)}); err != nil {
					t.Errorf("writer %d: Assimilate = %v", n, err)
				}
			}
		})
		if err := e.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		res, err := e.Lookup(t.Context(), rig.Acme, trilith.LookupRequest{Identifier: byPhone})
		if err != nil || res.Entity.ID != mail {
			t.Fatalf("Lookup = %+v, %v; want the survivor", res.Entity, err)
		}
		hobbies, homes := 0, 0
		for _, m := range res.Facts {
			switch m.Fact.Verb {
			case "likes":
				hobbies++
			case "lives_in":
				homes++
			}
		}
		if hobbies != writers*each || homes != 1 {
			t.Errorf("after %d writers there are %d hobbies and %d homes, want %d and 1", writers, hobbies,
				homes, writers*each)
		}
		for _, m := range e.All(t, rig.Acme) {
			if m.Kind == trilith.KindFact && m.Fact.EntityID != mail {
				t.Errorf("%s was left behind", m.Fact.RelationshipKey)
			}
		}
		split := splitEntity(t, e, mail, trilith.SplitRequest{Merged: phone})
		for _, v := range []trilith.Entity{split.Kept, split.Out} {
			own := e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: v.Identifiers[0]})
			if n := len(own); n != writers/2*each+1 {
				t.Errorf("split again, %s has %d facts, want %d hobbies and a home: %q", v.Name, n, writers/2*each, own)
			}
		}
		e.MustSettle(t)
		if report, err := e.Doctor(t.Context()); err != nil || !report.OK {
			t.Errorf("Doctor = %+v, %v", report, err)
		}
	})
}

// A merge is undone between any two reads of a statement about one of its halves: the fact is about that half.
func TestSplitBetweenReads(t *testing.T) {
	t.Parallel()
	type stating struct{}
	for at, reached := 0, true; reached; at++ {
		e := rig.InMemory(t)
		mail := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I love chess.").Entity.ID
		phone := e.MustAssimilate(t, rig.Acme, byPhone, "2025-01-01", "I love rowing.").Entity.ID
		merge(t, e, mail, phone)
		reads, split := 0, false
		e.Parts.Store.(*inmem.Store).Inject(inmem.Fault{Before: func(ctx context.Context, op string) error {
			if ctx.Value(stating{}) == nil || op == "Commit" {
				return nil
			}
			if reads++; reads-1 == at {
				split = true
				splitEntity(t, e, mail, trilith.SplitRequest{Merged: phone})
			}
			return nil
		}})
		if _, err := e.Assimilate(context.WithValue(t.Context(), stating{}, true), rig.Acme, trilith.AssimilateRequest{
			Identifier: byPhone, Content: "I love sailing.", Timestamp: "2025-02-01"}); err != nil {
			t.Fatal(err)
		}
		e.Parts.Store.(*inmem.Store).Inject(inmem.Fault{})
		if reached = split; !split {
			if at < 10 {
				t.Errorf("the statement was stored after %d reads; the test sees too few of them", at)
			}
			break
		}
		for _, c := range []struct {
			who  trilith.Identifier
			want []string
		}{{rig.ByMail, []string{"likes chess"}}, {byPhone, []string{"likes rowing", "likes sailing"}}} {
			if diff := cmp.Diff(c.want, e.MustLookup(t, rig.Acme, trilith.LookupRequest{Identifier: c.who})); diff != "" {
				t.Errorf("split before read %d, %s (-want +got):\n%s", at, c.who.Value, diff)
			}
		}
	}
}

// A merge that the store does not take leaves everything as it was.
func TestMergeIsOneCommit(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	a := e.MustAssimilate(t, rig.Acme, rig.ByMail, "2025-01-01", "I live in Oslo.").Entity.ID
	b := e.MustAssimilate(t, rig.Acme, byPhone, "2025-01-02", "I live in Bergen.").Entity.ID
	before := e.Exported(t, rig.Acme)
	e.Parts.Store.(*inmem.Store).Inject(inmem.Fault{Before: func(_ context.Context, op string) error {
		if op == "Commit" {
			return trilith.Errorf(trilith.Unavailable, "the disk is full")
		}
		return nil
	}})
	_, err := e.MergeEntities(t.Context(), rig.Acme, a, trilith.MergeRequest{From: b})
	rig.WantError(t, "MergeEntities on a full disk", err, trilith.Unavailable, "full")
	e.Parts.Store.(*inmem.Store).Inject(inmem.Fault{})
	if diff := cmp.Diff(before, e.Exported(t, rig.Acme)); diff != "" {
		t.Errorf("the failed merge changed something (-before +after):\n%s", diff)
	}
}

// The owner of a fact keeps it when its person is merged into another one, and when the merge is undone.
func TestMergeKeepsShares(t *testing.T) {
	t.Parallel()
	e := rig.InMemory(t)
	a := e.MustAssimilate(t, rig.Ana, rig.ByMail, "2025-01-01", "I have a dog.")
	b := e.MustAssimilate(t, rig.Ana, trilith.Identifier{Type: "phone", Value: "+49 30 1234567"}, "2025-02-01", "I live in Oslo.")
	if _, err := e.Share(t.Context(), rig.Ana, b.Facts[0].ID, trilith.ShareRequest{Scope: rig.Ben}); err != nil {
		t.Fatal(err)
	}
	shared := func(step string, of trilith.ID) {
		t.Helper()
		page, err := e.List(t.Context(), rig.Ben,
			trilith.ListRequest{Filter: trilith.Where("kind", trilith.OpEq, trilith.KindFact)})
		if err != nil || len(page.Items) != 1 || page.Items[0].Fact.EntityID != of || page.Items[0].SharedFrom == "" {
			t.Errorf("%s: the other sees %+v, %v; want one share of a fact about %s", step, page.Items, err, of)
		}
	}
	shared("before", b.Entity.ID)
	if _, err := e.MergeEntities(t.Context(), rig.Ana, a.Entity.ID, trilith.MergeRequest{From: b.Entity.ID}); err != nil {
		t.Fatal(err)
	}
	shared("merged", a.Entity.ID)
	if _, err := e.SplitEntity(t.Context(), rig.Ana, a.Entity.ID, trilith.SplitRequest{Merged: b.Entity.ID}); err != nil {
		t.Fatal(err)
	}
	shared("taken back", b.Entity.ID)
}
