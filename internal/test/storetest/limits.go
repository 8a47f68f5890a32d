package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var limitCases = []testCase{
	{name: "limits/batch", why: "a batch may contain MaxBatch memories; one more is Exhausted and writes nothing",
		run: func(t *testing.T, f *fixture) {
			f.refuse(t, puts(notes(0, role.MaxBatch+1)...), trilith.Exhausted)
			wantEqual(t, "List after a batch that was too large", f.list(t, acme, role.Listing{}), []trilith.ID{})
			c := f.commit(t, puts(notes(0, role.MaxBatch)...))
			if len(c.Versions) != role.MaxBatch {
				t.Errorf("Commit of MaxBatch memories returned %d versions", len(c.Versions))
			}
			wantEqual(t, "List", f.list(t, acme, role.Listing{}), idRange(0, role.MaxBatch))
			all := f.changesAfter(t, make([]trilith.Cursor, f.Shards()), 300)
			if n := len(newest(all)); n != role.MaxBatch {
				t.Errorf("Changes named %d memories of a batch of MaxBatch", n)
			}
		}},
	{name: "limits/batch_bytes",
		why: "a batch may contain MaxBatchBytes of texts, metadata and records; one byte more is Exhausted and writes nothing",
		run: testBatchBytes},
	{name: "limits/text", why: "a text of MaxTextBytes, of any Unicode, comes back unchanged",
		run: func(t *testing.T, f *fixture) {
			for i, text := range []string{strings.Repeat("x", trilith.MaxTextBytes),
				strings.Repeat("🗿", trilith.MaxTextBytes/4),
				"", " \t\r\n ", "e\u0301\u200b\ufeff\u202e", strings.Repeat(`'"\`, 1000)} {
				f.commit(t, puts(note(i, text)))
				if got := f.getOne(t, i).Text; got != text {
					t.Errorf("text %d of %d bytes came back as %d bytes", i, len(text), len(got))
				}
			}
		}},
	{name: "limits/values", why: "scope values, names, tags and metadata come back unchanged up to their limits",
		run: func(t *testing.T, f *fixture) {
			long := strings.Repeat("日", trilith.MaxScopeValue/3)
			m := note(1, "x", func(m *trilith.Memory) {
				m.Scope = trilith.Scope{Tenant: strings.Repeat("t", 64), Project: long, Domain: long, User: long,
					Agent: long, Session: long, Channel: long}
				m.Speaker, m.Type, m.ExternalID = long, long, long
				m.Metadata = map[string]any{"k": strings.Repeat("m", trilith.MaxMetadataBytes-16)}
				for i := range trilith.MaxTags {
					m.Tags = append(m.Tags, fmt.Sprintf("%03d", i)+strings.Repeat("t", trilith.MaxTagBytes-3))
				}
			})
			f.commitIn(t, m.Scope, role.Batch{Memories: []trilith.Memory{m},
				Claims: []role.Claim{{Key: external(strings.Repeat("k", 2000)), Owner: m.ID}}})
			ms, err := f.Get(t.Context(), m.Scope, []trilith.ID{m.ID})
			if err != nil {
				t.Fatalf("Get = %v, want nil", err)
			}
			m.Version = 1
			wantEqual(t, "Get", ms, []trilith.Memory{m})
			wantEqual(t, "List by session",
				f.list(t, trilith.Scope{Tenant: m.Scope.Tenant, Session: long}, role.Listing{}), []trilith.ID{m.ID})
			if owners := f.find(t, m.Scope, external(strings.Repeat("k", 2000)),
				external(strings.Repeat("k", 1999))); len(owners) != 1 {
				t.Errorf("Find of keys of 2000 and 1999 bytes = %d owners, want 1", len(owners))
			}
		}},
	{name: "limits/bytes", why: "NUL characters, and bytes that are not UTF-8, come back unchanged; keys that differ in a NUL character are different",
		run: func(t *testing.T, f *fixture) {
			odd := "\x00a\x01\x01\x02\x03\xff\xc3(\x00"
			m := note(1, odd, func(m *trilith.Memory) {
				m.Speaker, m.ExternalID, m.Type = odd, odd, "\x00"
				m.Tags = []string{"\x00", "\x01", "\x01\x01"}
				m.Metadata = map[string]any{"k\x00": "\x00\x01\\u0000", "\x01": []any{"\x01\x01"}}
			})
			odds := role.Key{Space: "s\x00", Value: "\x00\x01"}
			f.commit(t, role.Batch{Memories: []trilith.Memory{m},
				Records: []role.Record{record(role.RecordSource, 1, `"\u0000\u0001"`)},
				Claims:  []role.Claim{{Key: odds, Owner: m.ID}},
				Jobs:    []trilith.Job{job(1, func(j *trilith.Job) { j.Payload = []byte(`"\u0000"`) })},
				Audit:   []trilith.AuditEntry{{At: epoch, Actor: "\x00", Action: "x"}}})
			m.Version = 1
			wantEqual(t, "Get", f.get(t, m.ID), []trilith.Memory{m})
			wantEqual(t, "List of its type",
				f.list(t, acme, role.Listing{Filter: trilith.Where("type", trilith.OpEq, "\x00")}), []trilith.ID{m.ID})
			wantEqual(t, "List of another type",
				f.list(t, acme, role.Listing{Filter: trilith.Where("type", trilith.OpEq, "\x01\x01")}), []trilith.ID{})
			wantEqual(t, "Find", f.find(t, acme, odds, role.Key{Space: "s", Value: "\x00\x01"}),
				map[role.Key]trilith.ID{odds: m.ID})
			wantJSON(t, "Records", f.records(t, acme, role.RecordListing{Kind: role.RecordSource})[0].Body,
				`"\u0000\u0001"`)
			wantJSON(t, "Jobs", f.job(t, 1).Payload, `"\u0000"`)
			if es := f.audit(t, acme, 0, 10); es[0].Actor != "\x00" ||
				trilith.VerifyAudit(trilith.AuditEntry{}, es) != nil {
				t.Errorf("Audit = %+v, want the entry unbroken", es)
			}
			m.Speaker = "changed"
			f.commit(t, puts(m), deletes(1))
			wantEqual(t, "Find after its owner was deleted", f.find(t, acme, odds), map[role.Key]trilith.ID{})
		}},
	{name: "limits/many_ids", why: "one call may name thousands of ids and keys",
		run: func(t *testing.T, f *fixture) {
			const n = 600
			b := puts(notes(0, n)...)
			var keys []role.Key
			for i := range n {
				b.Records = append(b.Records, record(role.RecordSource, i, `{}`))
				b.Claims = append(b.Claims, role.Claim{Key: external(fmt.Sprint(i)), Owner: id(i)})
				b.Expect = append(b.Expect, role.Expect{ID: id(i)})
			}
			f.commit(t, b)
			var ids, want []trilith.ID
			for i := range 40_000 {
				ids = append(ids, id(i))
				keys = append(keys, external(fmt.Sprint(i)))
			}
			ids = append(ids, ids[:n]...)
			want = append(idRange(0, n), idRange(0, n)...)
			wantEqual(t, "Get", idsOf(f.get(t, ids...)), want)
			if rs := f.records(t, acme, role.RecordListing{Kind: role.RecordSource, IDs: ids[:40_000]}); len(
				rs) != n {
				t.Errorf("Records of 40,000 ids returned %d records, want %d", len(rs), n)
			}
			if owners := f.find(t, acme, keys...); len(owners) != n {
				t.Errorf("Find of 40,000 keys returned %d owners, want %d", len(owners), n)
			}
			var del role.Batch
			for i := range n {
				del.Delete = append(del.Delete, role.Ref{ID: id(i)}, role.Ref{Kind: role.RecordSource, ID: id(i)})
			}
			f.commit(t, del)
			wantEqual(t, "List after deleting all", f.list(t, acme, role.Listing{}), []trilith.ID{})
			if owners := f.find(t, acme, keys[:n]...); len(owners) != 0 {
				t.Errorf("Find after deleting all owners returned %d owners, want none", len(owners))
			}
		}},
}

func testBatchBytes(t *testing.T, f *fixture) {
	part := strings.Repeat("x", trilith.MaxTextBytes)
	var b role.Batch
	for n := range role.MaxBatchBytes/trilith.MaxTextBytes - 6 {
		b.Memories = append(b.Memories, note(n, part))
	}
	b.Memories[0].Metadata = map[string]any{"k": strings.Repeat("m", trilith.MaxMetadataBytes-1)}
	record := record(role.RecordSource, 1, `"`+strings.Repeat("r", 6*trilith.MaxTextBytes-trilith.MaxMetadataBytes-2)+`"`)
	b.Records = []role.Record{record}
	if n := b.Bytes(); n != role.MaxBatchBytes {
		t.Fatalf("the batch has %d bytes, want %d", n, role.MaxBatchBytes)
	}
	over := b
	over.Memories = append(slices.Clone(b.Memories), note(1000, "y"))
	f.refuse(t, over, trilith.Exhausted)
	wantEqual(t, "List after a batch that was too large", f.list(t, acme, role.Listing{}), []trilith.ID{})
	f.commit(t, b)
	if got := f.getOne(t, 1).Text; got != part {
		t.Errorf("a text of a batch of MaxBatchBytes came back as %d bytes, want %d", len(got), len(part))
	}
	if rs := f.records(t, acme, role.RecordListing{Kind: role.RecordSource}); len(rs) != 1 ||
		len(rs[0].Body) != len(record.Body) {
		t.Errorf("%d records came back, want the one of the batch", len(rs))
	}
}
