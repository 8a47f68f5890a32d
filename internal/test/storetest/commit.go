package storetest

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var commitCases = []testCase{
	{name: "commit/round_trip",
		why: "an acknowledged memory is read back as written, except for Actor, IndexedAt and Embedding",
		run: testRoundTrip},
	{name: "commit/atomic", why: "a batch becomes visible and durable completely, or not at all, with an error",
		run: testAtomic},
	{name: "commit/expect", why: "an unmet expectation is a Conflict; version 0 means that the value does not exist",
		run: testExpect},
	{name: "commit/versions",
		why: "replacing a value sets the stored version plus one; a new value keeps the given version, at least 1",
		run: testVersions},
	{name: "commit/delete", why: "deleting an absent memory is no error and leaves no change; a deleted memory is gone and may be stored again as a new one",
		run: testDelete},
	{name: "commit/once", why: "a batch that names an id twice is Invalid",
		run: testOnce},
	{name: "commit/repeated",
		why: "a batch repeated after an unknown outcome, with its expectations, is a Conflict if it was stored, and stores nothing twice",
		run: testRepeated},
	{name: "commit/malformed", why: "a malformed batch is Invalid and writes nothing",
		run: testMalformed},
	{name: "commit/tenant_only", why: "Commit uses only the tenant of its scope",
		run: func(t *testing.T, f *fixture) {
			narrow := trilith.Scope{Tenant: tenant, User: "ana", Actor: "ci"}
			m := note(1, "of ben", in(trilith.Scope{Tenant: tenant, User: "ben"}))
			f.commitIn(t, narrow, puts(m))
			wantEqual(t, "Get after a commit in a narrower scope", f.getOne(t, 1).Scope, m.Scope)
		}},
	{name: "commit/empty", why: "a batch that changes no memory has an empty cursor",
		run: func(t *testing.T, f *fixture) {
			for _, b := range []role.Batch{{}, {Records: []role.Record{record(role.RecordSource, 1, `{}`)}}} {
				if c := f.commit(t, b); c.Cursor != "" || len(c.Versions) != 0 {
					t.Errorf("Commit(%s) = %+v, want an empty cursor and no versions", describe(b), c)
				}
			}
		}},
	{name: "commit/not_retained",
		why: "arguments are not retained, results belong to the caller",
		run: testNotRetained},
}

// full is a memory with every field set.
func full() trilith.Memory {
	return trilith.Memory{
		ID: id(1), Version: 7, Kind: trilith.KindEntry, Text: "Überschrift\n本文 \U0001f5ff 'quoted' \"and\" \\escaped\\",
		Scope: trilith.Scope{Tenant: tenant, Project: "p/ö", Domain: "d", User: "用户", Agent: "agent 1", Session: "s'1",
			Channel: "e-mail", Actor: "key 1"},
		Role: trilith.RoleAssistant, Speaker: "Zoë", Type: "reflection", Seq: 42, SourceID: id(100), SharedFrom: id(102),
		EventTime:  time.Date(1969, 7, 20, 20, 17, 40, 123456789, time.FixedZone("", -4*3600)),
		RecordedAt: time.Date(2025, 3, 1, 12, 0, 0, 999, time.UTC),
		ValidUntil: ptr(time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)), SupersededBy: id(101),
		SupersededAt: ptr(time.Date(2025, 3, 2, 0, 0, 0, 1500, time.FixedZone("", 5*3600))),
		ArchivedAt:   ptr(time.Date(2025, 9, 2, 0, 0, 0, 1500, time.FixedZone("", 5*3600))),
		State:        trilith.StateSuperseded, Trust: trilith.TrustImported, Tags: []string{"z", "a", "ünï"},
		Metadata: map[string]any{"n": 1.5, "int": 3, "big": 9007199254740991, "s": "", "t": true, "null": nil,
			"list": []any{1, "x", map[string]any{"k": []any{}}},
			"deep": map[string]any{"er": map[string]any{"ö": "ü"}}},
		Entry: &trilith.Entry{Category: "c", Title: "t", Content: "content", Confidence: 0.25,
			Structured: map[string]any{"price": map[string]any{"eur": 12}}},
		Summary: &trilith.Summary{Of: trilith.SummaryOfSession, Subject: "s'1", Sources: []trilith.ID{id(7), id(8)},
			From: epoch, Through: 42, Tokens: 400, Stale: true, Model: "m"},
		ExternalID: "ext/1", IndexedAt: ptr(epoch),
		Embedding: &trilith.Embedded{Generation: "g", Model: "m", GeneratedAt: epoch},
		Masking:   trilith.Masking{Masked: 1, MaskedIn: []string{"text"}},
	}
}

// stored is full as a store returns it.
func stored() trilith.Memory {
	m := full()
	m = m.Bare()
	m.OnClock(-4 * 60)
	m.RecordedAt, m.SupersededAt, m.ArchivedAt = trilith.Time(m.RecordedAt), ptr(trilith.Time(*m.SupersededAt)),
		ptr(trilith.Time(*m.ArchivedAt))
	m.Metadata = map[string]any{"n": 1.5, "int": 3.0, "big": 9007199254740991.0, "s": "", "t": true, "null": nil,
		"list": []any{1.0, "x", map[string]any{"k": []any{}}}, "deep": map[string]any{"er": map[string]any{"ö": "ü"}}}
	m.Entry.Structured = map[string]any{"price": map[string]any{"eur": 12.0}}
	return m
}

func testRoundTrip(t *testing.T, f *fixture) {
	c := f.commit(t, puts(full(), note(2, "plain")))
	wantEqual(t, "Commit(full, plain).Versions", c.Versions, []int64{7, 1})
	if c.Cursor == "" {
		t.Error("Commit of two memories returned an empty cursor")
	}
	want := []trilith.Memory{stored(), note(2, "plain", version(1))}
	got := f.get(t, id(1), id(2))
	wantEqual(t, "Get", got, want)
	listed, err := collect(f.List(t.Context(), acme, role.Listing{}))
	if err != nil {
		t.Fatalf("List = %v, want nil", err)
	}
	wantEqual(t, "List", listed, want)
	if len(got) != 2 {
		return
	}
	for _, at := range []time.Time{got[0].RecordedAt, *got[0].SupersededAt, *got[0].ArchivedAt, got[1].EventTime} {
		if at.Location() != time.UTC || at.Nanosecond()%1000 != 0 {
			t.Errorf("Get returned the time %v, want UTC in whole microseconds", at)
		}
	}
	for _, at := range []time.Time{got[0].EventTime, *got[0].ValidUntil} {
		if trilith.OffsetOf(at) != -4*60 || at.Nanosecond()%1000 != 0 {
			t.Errorf("Get returned the time %v, want the offset of its event time, and whole microseconds", at)
		}
	}
}

func testAtomic(t *testing.T, f *fixture) {
	f.commit(t, role.Batch{
		Memories: []trilith.Memory{note(1, "old")}, Records: []role.Record{record(role.RecordSource, 1, `{"v":1}`)},
		Claims: []role.Claim{{Key: external("taken"), Owner: id(1)}},
		Audit:  []trilith.AuditEntry{{At: epoch, Actor: "ci", Action: "remember"}},
	})
	whole := func() role.Batch {
		return role.Batch{
			Memories: []trilith.Memory{note(1, "new"), note(2, "second")},
			Records:  []role.Record{record(role.RecordSource, 1, `{"v":2}`), record(role.RecordSession, 2, `{}`)},
			Claims:   []role.Claim{{Key: external("fresh"), Owner: id(2)}},
			Jobs:     []trilith.Job{job(1)},
			Audit:    []trilith.AuditEntry{{At: epoch, Actor: "ci", Action: "update"}},
		}
	}
	reasons := []struct {
		name string
		want trilith.ErrorKind
		edit func(*role.Batch)
	}{
		{"memory of another version", trilith.Conflict,
			func(b *role.Batch) { b.Expect = []role.Expect{{ID: id(1), Version: 2}} }},
		{"memory that should not exist", trilith.Conflict,
			func(b *role.Batch) { b.Expect = []role.Expect{{ID: id(1)}} }},
		{"memory that should exist", trilith.Conflict,
			func(b *role.Batch) { b.Expect = []role.Expect{{ID: id(9), Version: 1}} }},
		{"record of another version", trilith.Conflict, func(b *role.Batch) {
			b.Expect = []role.Expect{{ID: id(1), Version: 1}, {Kind: role.RecordSource, ID: id(1), Version: 5}}
		}},
		{"key of another owner", trilith.Conflict, func(b *role.Batch) {
			b.Claims = append(b.Claims, role.Claim{Key: external("taken"), Owner: id(2)})
		}},
		{"id named twice", trilith.Invalid, func(b *role.Batch) { b.Delete = []role.Ref{{ID: id(2)}} }},
		{"memory of another tenant", trilith.Invalid,
			func(b *role.Batch) { b.Memories = append(b.Memories, note(3, "", in(beta))) }},
	}
	before := f.heads(t)
	for _, r := range reasons {
		b := whole()
		r.edit(&b)
		_, err := f.Commit(t.Context(), acme, b)
		wantKind(t, "Commit with a "+r.name, err, r.want)
		wantEqual(t, "Get after "+r.name, f.get(t, id(1), id(2), id(3)), []trilith.Memory{note(1, "old", version(1))})
		rs := f.records(t, acme, role.RecordListing{Kind: role.RecordSource})
		if len(rs) != 1 || rs[0].Version != 1 ||
			len(f.records(t, acme, role.RecordListing{Kind: role.RecordSession})) != 0 {
			t.Errorf("Records after %s = %+v, want the one at version 1", r.name, rs)
		}
		wantEqual(t, "Find after "+r.name, f.find(t, acme, external("fresh"), external("taken")),
			map[role.Key]trilith.ID{external("taken"): id(1)})
		wantEqual(t, "Jobs after "+r.name, f.jobs(t, acme, trilith.JobListing{}), []trilith.Job{})
		if n := len(f.audit(t, acme, 0, 10)); n != 1 {
			t.Errorf("Audit after %s has %d entries, want 1", r.name, n)
		}
		wantEqual(t, "Head after "+r.name, f.heads(t), before)
	}
	f.commit(t, whole()) // the batch itself is valid
}

func testExpect(t *testing.T, f *fixture) {
	src := role.RecordSource
	f.commit(t,
		role.Batch{Expect: []role.Expect{{ID: id(1)}, {Kind: src, ID: id(1)}}, Memories: []trilith.Memory{note(1, "a")},
			Records: []role.Record{record(src, 1, `{}`)}},
		role.Batch{Expect: []role.Expect{{ID: id(1), Version: 1}}, Memories: []trilith.Memory{note(1, "b")}},
		// only a precondition
		role.Batch{Expect: []role.Expect{{ID: id(1), Version: 2}, {Kind: src, ID: id(1), Version: 1}}},
		role.Batch{Expect: []role.Expect{{ID: id(1), Version: 2}}, Delete: []role.Ref{{ID: id(1)}}},
		role.Batch{Expect: []role.Expect{{ID: id(1)}}},
	)
	for _, e := range []role.Expect{{ID: id(1), Version: 2}, {Kind: src, ID: id(1)},
		{Kind: src, ID: id(1), Version: 2},
		{Kind: role.RecordSession, ID: id(1), Version: 1}} {
		f.refuse(t, role.Batch{Expect: []role.Expect{e}}, trilith.Conflict)
	}
}

func testVersions(t *testing.T, f *fixture) {
	steps := []struct{ given, want int64 }{{5, 5}, {1, 6}, {99, 7}, {0, 8}}
	for i, s := range steps {
		rec := record(role.RecordSource, 1, `{}`)
		rec.Version = s.given
		c := f.commit(t, role.Batch{Memories: []trilith.Memory{note(1, "x", version(s.given))},
			Records: []role.Record{rec}})
		wantEqual(t, "Commit.Versions", c.Versions, []int64{s.want})
		if got := f.getOne(t, 1).Version; got != s.want {
			t.Errorf("step %d: put with version %d stored %d, want %d", i, s.given, got, s.want)
		}
		if rs := f.records(t, acme, role.RecordListing{Kind: role.RecordSource}); len(rs) != 1 ||
			rs[0].Version != s.want {
			t.Errorf("step %d: record put with version %d stored %+v, want version %d", i, s.given, rs, s.want)
		}
	}
	for _, given := range []int64{0, -3} {
		f.commit(t, deletes(1), puts(note(1, "again", version(given))))
		if got := f.getOne(t, 1).Version; got != 1 {
			t.Errorf("new memory with version %d was stored with %d, want 1", given, got)
		}
	}
}

func testDelete(t *testing.T, f *fixture) {
	f.commit(t, puts(notes(1, 4)...), role.Batch{Records: []role.Record{record(role.RecordSource, 1, `{}`)}})
	before := f.heads(t)
	absent := role.Batch{Delete: []role.Ref{{ID: id(9)}, {Kind: role.RecordSource, ID: id(9)},
		{Kind: role.RecordSession, ID: id(1)}}}
	if c := f.commit(t, absent); c.Cursor != "" {
		t.Errorf("Commit that deletes what does not exist returned the cursor %q, want none", c.Cursor)
	}
	wantEqual(t, "Head after deleting what does not exist", f.heads(t), before)

	if c := f.commit(t, deletes(1, 9, 3)); c.Cursor == "" || slices.Equal(f.heads(t), before) {
		t.Errorf("Commit that deletes memories returned the cursor %q with heads %q, want one after %q", c.Cursor,
			f.heads(t), before)
	}
	wantEqual(t, "Get after delete", idsOf(f.get(t, idRange(1, 4)...)), []trilith.ID{id(2)})
	wantEqual(t, "List after delete", f.list(t, acme, role.Listing{}), []trilith.ID{id(2)})
	if rs := f.records(t, acme, role.RecordListing{Kind: role.RecordSource}); len(rs) != 1 {
		t.Errorf("deleting memory %s left %d records of that id, want 1", id(1), len(rs))
	}
	f.commit(t, role.Batch{Delete: []role.Ref{{Kind: role.RecordSource, ID: id(1)}}})
	if rs := f.records(t, acme, role.RecordListing{Kind: role.RecordSource}); len(rs) != 0 {
		t.Errorf("Records after delete = %+v, want none", rs)
	}
	f.commit(t, puts(note(1, "back")))
	wantEqual(t, "Get of a memory put again", f.getOne(t, 1), note(1, "back", version(1)))
}

func testOnce(t *testing.T, f *fixture) {
	src := role.RecordSource
	for _, b := range []role.Batch{
		puts(note(1, "a"), note(1, "b")),
		{Memories: []trilith.Memory{note(1, "a")}, Delete: []role.Ref{{ID: id(1)}}},
		{Delete: []role.Ref{{ID: id(1)}, {ID: id(1)}}},
		{Records: []role.Record{record(src, 1, `{}`), record(src, 1, `{}`)}},
		{Records: []role.Record{record(src, 1, `{}`)}, Delete: []role.Ref{{Kind: src, ID: id(1)}}},
		{Jobs: []trilith.Job{job(1), job(1)}},
	} {
		f.refuse(t, b, trilith.Invalid)
	}
	wantEqual(t, "List", f.list(t, acme, role.Listing{}), []trilith.ID{})
	f.commit(t, role.Batch{Records: []role.Record{record(src, 1, `{}`), record(role.RecordReceipt, 1, `{}`)}})
}

func testMalformed(t *testing.T, f *fixture) {
	foreignJob := job(1)
	foreignJob.Tenant = otherTenant
	for name, b := range map[string]role.Batch{
		"memory without a tenant":    puts(note(1, "", in(trilith.Scope{}))),
		"memory of another tenant":   puts(note(1, ""), note(2, "", in(beta))),
		"memory without an id":       puts(note(1, "", func(m *trilith.Memory) { m.ID = "" })),
		"memory whose id is no UUID": puts(note(1, "", func(m *trilith.Memory) { m.ID = "ABC" })),
		"metadata that JSON cannot carry": puts(
			note(1, "", func(m *trilith.Memory) { m.Metadata = map[string]any{"f": func() {}} })),
		"fact whose content JSON cannot carry": puts(
			assertion(1, func(m *trilith.Memory) { m.Fact.Content = map[string]any{"f": func() {}} })),
		"record without a kind": {Records: []role.Record{record("", 1, `{}`)}},
		"record without an id": {
			Records: []role.Record{{Kind: role.RecordSource, Body: json.RawMessage(`{}`)}}},
		"record that is not JSON": {Records: []role.Record{record(role.RecordSource, 1, `{`)}},
		"claim without an owner":  {Claims: []role.Claim{{Key: external("k")}}},
		"job of another tenant":   {Jobs: []trilith.Job{foreignJob}},
	} {
		_, err := f.Commit(t.Context(), acme, b)
		wantKind(t, "Commit of a "+name, err, trilith.Invalid)
	}
	tenants, err := f.Tenants(t.Context(), system)
	if err != nil || len(tenants) != 0 {
		t.Errorf("Tenants() = %v, %v after refused batches only, want none", tenants, err)
	}
}

func testNotRetained(t *testing.T, f *fixture) {
	m := full()
	rec := record(role.RecordSource, 1, `{"a":1}`)
	j := job(1)
	j.Payload = json.RawMessage(`{"a":1}`)
	entry := trilith.AuditEntry{At: epoch, Actor: "ci", Action: "remember", Detail: map[string]string{"n": "1"}}
	f.commit(t, role.Batch{Memories: []trilith.Memory{m}, Records: []role.Record{rec}, Jobs: []trilith.Job{j},
		Audit: []trilith.AuditEntry{entry}})

	spoil := func(m *trilith.Memory) {
		m.Tags[0] = "spoiled"
		m.Metadata["deep"].(map[string]any)["er"] = "spoiled"
		m.Metadata["list"].([]any)[0] = "spoiled"
		m.Entry.Title = "spoiled"
		m.Entry.Structured["price"] = "spoiled"
		*m.ValidUntil, *m.SupersededAt, *m.ArchivedAt = epoch, epoch, epoch
	}
	spoil(&m)
	rec.Body[5], j.Payload[5] = '2', '2'
	entry.Detail["n"] = "2"
	for range 2 { // the second time shows the effect of spoiling the first answer
		got := f.getOne(t, 1)
		wantEqual(t, "Get after the caller changed its values", got, stored())
		spoil(&got)
		for m := range f.List(t.Context(), acme, role.Listing{}) {
			spoil(&m)
		}
		rs := f.records(t, acme, role.RecordListing{Kind: role.RecordSource})
		wantJSON(t, "Records", rs[0].Body, `{"a":1}`)
		copy(rs[0].Body, "spoiled")
		js := f.jobs(t, acme, trilith.JobListing{})
		wantJSON(t, "Jobs", js[0].Payload, `{"a":1}`)
		copy(js[0].Payload, "spoiled")
		es := f.audit(t, acme, 0, 10)
		wantEqual(t, "Audit", es[0].Detail, map[string]string{"n": "1"})
		es[0].Detail["n"] = "2"
	}
}

func wantJSON(t testing.TB, call string, got json.RawMessage, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Errorf("%s returned %q, which is not JSON: %v", call, got, err)
		return
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%q is not JSON: %v", want, err)
	}
	wantEqual(t, call, g, w)
}

func testRepeated(t *testing.T, f *fixture) {
	f.commit(t, puts(note(2, "was")))
	b := entries(1)
	b.Expect = []role.Expect{{ID: id(1)}, {ID: id(2), Version: 1}, {Kind: role.RecordSource, ID: id(3)}}
	b.Memories = []trilith.Memory{note(1, "new"), note(2, "is")}
	b.Records = []role.Record{record(role.RecordSource, 3, `{}`)}
	b.Claims = []role.Claim{{Key: external("k"), Owner: id(1)}}
	b.Jobs = []trilith.Job{job(4)}
	first := f.commit(t, b)
	heads := f.heads(t)
	f.refuse(t, b, trilith.Conflict)
	wantEqual(t, "Versions", first.Versions, []int64{1, 2})
	wantEqual(t, "heads after the repetition", f.heads(t), heads)
	if v := []int64{f.getOne(t, 1).Version, f.getOne(t, 2).Version}; !slices.Equal(v, first.Versions) {
		t.Errorf("after the repetition the memories have the versions %v, want %v", v, first.Versions)
	}
	if es, js := f.audit(t, acme, 0, 10), f.jobs(t, acme, trilith.JobListing{}); len(es) != 1 || len(js) != 1 {
		t.Errorf("after the repetition there are %d entries and %d jobs, want one of each", len(es), len(js))
	}
	fresh := b
	fresh.Expect, fresh.Memories, fresh.Records, fresh.Audit = nil, nil, nil, nil
	fresh.Jobs, fresh.Claims = nil, []role.Claim{{Key: external("k"), Owner: id(9)}}
	f.refuse(t, fresh, trilith.Conflict)
}
