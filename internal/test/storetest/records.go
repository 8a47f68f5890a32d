package storetest

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var recordCases = []testCase{
	{name: "records/list", why: "Records returns one kind by ascending id, after After, up to Limit",
		run: func(t *testing.T, f *fixture) {
			var b role.Batch
			for n := range 7 {
				b.Records = append(b.Records, record(role.RecordSource, 6-n, `{}`))
			}
			b.Records = append(b.Records, record(role.RecordSession, 1, `{}`), record("made_up", 2, `{}`))
			f.commit(t, b)
			list := func(l role.RecordListing) []trilith.ID {
				var ids []trilith.ID
				for _, r := range f.records(t, acme, l) {
					if r.Kind != l.Kind {
						t.Errorf("Records(%+v) returned the kind %s", l, r.Kind)
					}
					ids = append(ids, r.ID)
				}
				return ids
			}
			src := role.RecordSource
			wantEqual(t, "Records", list(role.RecordListing{Kind: src}), idRange(0, 7))
			wantEqual(t, "Records Limit 3", list(role.RecordListing{Kind: src, Limit: 3}), idRange(0, 3))
			wantEqual(t, "Records After 2 Limit 3", list(role.RecordListing{Kind: src, After: id(2), Limit: 3}),
				idRange(3, 6))
			wantEqual(t, "Records of another kind", list(role.RecordListing{Kind: "made_up"}), []trilith.ID{id(2)})
			wantEqual(t, "Records of an unknown kind", list(role.RecordListing{Kind: "none"}), []trilith.ID{})
		}},
	{name: "records/ids", why: "with IDs, Records answers in input order, without missing ones",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, role.Batch{
				Records: []role.Record{record(role.RecordSource, 1, `{"n":1}`),
					record(role.RecordSource, 2, `{"n":2}`),
					record(role.RecordSession, 3, `{}`)}})
			rs := f.records(t, acme,
				role.RecordListing{Kind: role.RecordSource, IDs: []trilith.ID{id(2), id(9), id(3), id(1)}})
			if len(rs) != 2 || rs[0].ID != id(2) || rs[1].ID != id(1) {
				t.Fatalf("Records of ids 2, 9, 3, 1 = %+v, want those of 2 and 1", rs)
			}
			wantJSON(t, "Records", rs[0].Body, `{"n":2}`)
		}},
	{name: "records/body", why: "a record's body is any JSON value and comes back equal",
		run: func(t *testing.T, f *fixture) {
			for _, body := range []string{`{"a":[1,2.5,{"ö":"日本 <&> 'x'"}],"null":null}`, `[]`, `"text"`, `12`,
				`true`, `null`} {
				f.commit(t, role.Batch{Records: []role.Record{record(role.RecordSource, 1, body)}})
				rs := f.records(t, acme, role.RecordListing{Kind: role.RecordSource})
				if len(rs) != 1 {
					t.Fatalf("Records returned %d records, want 1", len(rs))
				}
				wantJSON(t, "Records", rs[0].Body, body)
			}
		}},
	{name: "records/tenant_only", why: "Records and Find use only the tenant of the scope",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, role.Batch{Records: []role.Record{record(role.RecordSource, 1, `{}`)},
				Claims: []role.Claim{{Key: external("k"), Owner: id(1)}}})
			narrow := trilith.Scope{Tenant: tenant, User: "ana", Session: "s"}
			if rs := f.records(t, narrow, role.RecordListing{Kind: role.RecordSource}); len(rs) != 1 {
				t.Errorf("Records in a narrower scope = %+v, want the tenant's record", rs)
			}
			wantEqual(t, "Find in a narrower scope", f.find(t, narrow, external("k")),
				map[role.Key]trilith.ID{external("k"): id(1)})
		}},
	{name: "records/never_searched",
		why: "records are not memories: Get and List do not return them, and they leave no change",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, role.Batch{Records: []role.Record{record(role.RecordSource, 1, `{}`)}})
			f.commit(t, role.Batch{Delete: []role.Ref{{Kind: role.RecordSource, ID: id(1)}},
				Records: []role.Record{record(role.RecordSource, 2, `{}`)}})
			wantEqual(t, "Get", f.get(t, id(1), id(2)), []trilith.Memory{})
			wantEqual(t, "List", f.list(t, acme, role.Listing{}), []trilith.ID{})
			wantEqual(t, "Changes", f.changesAfter(t, make([]trilith.Cursor, f.Shards()), 10), []role.Change{})
		}},
}
