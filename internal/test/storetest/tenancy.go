package storetest

import (
	"fmt"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var tenancyCases = []testCase{
	{name: "tenancy/apart", why: "two tenants with the same ids, keys and records see nothing of each other through any method",
		run: testApart},
	{name: "tenancy/names", why: "tenants are compared byte by byte, also if one name begins with another",
		run: func(t *testing.T, f *fixture) {
			names := []string{"a", "A", "a.", "aa", "a_", "a-"}
			for i, name := range names {
				s := trilith.Scope{Tenant: name}
				f.commitIn(t, s, role.Batch{Memories: []trilith.Memory{note(i, "x", in(s))},
					Records: []role.Record{record(role.RecordSource, i, `{}`)}})
			}
			for i, name := range names {
				s := trilith.Scope{Tenant: name}
				wantEqual(t, "List of tenant "+name, f.list(t, s, role.Listing{}), []trilith.ID{id(i)})
				if rs := f.records(t, s, role.RecordListing{Kind: role.RecordSource}); len(rs) != 1 ||
					rs[0].ID != id(i) {
					t.Errorf("Records of tenant %s = %+v, want its own", name, rs)
				}
			}
		}},
	{name: "tenancy/required",
		why: "every method works inside the tenant of its scope and answers Invalid to an empty one",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, puts(notes(1, 2)...), jobs(job(1)))
			for _, s := range []trilith.Scope{{}, {User: "ana"}} {
				_, err := f.Commit(t.Context(), s,
					role.Batch{Records: []role.Record{record(role.RecordSource, 1, `{}`)}})
				wantKind(t, fmt.Sprintf("Commit in %+v", s), err, trilith.Invalid)
				_, err = f.Commit(t.Context(), s, puts(note(2, "x", in(s))))
				wantKind(t, fmt.Sprintf("Commit of a memory in %+v", s), err, trilith.Invalid)
				_, err = f.Get(t.Context(), s, idRange(1, 2))
				wantKind(t, fmt.Sprintf("Get in %+v", s), err, trilith.Invalid)
				_, err = collect(f.List(t.Context(), s, role.Listing{}))
				wantKind(t, fmt.Sprintf("List in %+v", s), err, trilith.Invalid)
				_, err = f.Records(t.Context(), s, role.RecordListing{Kind: role.RecordSource})
				wantKind(t, fmt.Sprintf("Records in %+v", s), err, trilith.Invalid)
				_, err = f.Find(t.Context(), s, []role.Key{external("k")})
				wantKind(t, fmt.Sprintf("Find in %+v", s), err, trilith.Invalid)
				_, err = f.Claims(t.Context(), s, role.ClaimListing{})
				wantKind(t, fmt.Sprintf("Claims in %+v", s), err, trilith.Invalid)
				_, err = f.Audit(t.Context(), s, 0, 1)
				wantKind(t, fmt.Sprintf("Audit in %+v", s), err, trilith.Invalid)
				_, err = f.Jobs(t.Context(), s, trilith.JobListing{})
				wantKind(t, fmt.Sprintf("Jobs in %+v", s), err, trilith.Invalid)
				wantKind(t, fmt.Sprintf("Retry in %+v", s), f.Retry(t.Context(), s, id(1)), trilith.Invalid)
			}
			wantEqual(t, "List", f.list(t, acme, role.Listing{}), idRange(1, 2))
		}},
	{name: "tenancy/leases", why: "a lease of another tenant's job gives the same error as one of an absent job",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, jobs(job(1)))
			held := f.lease(t, "w")
			foreign, unknown := held, held
			foreign.Tenant, unknown.JobID = otherTenant, id(9)
			for name, call := range map[string]func(trilith.Lease) error{
				"Extend": func(l trilith.Lease) error { return f.Extend(t.Context(), l, 1) },
				"Finish": func(l trilith.Lease) error { return f.Finish(t.Context(), l) },
				"Fail":   func(l trilith.Lease) error { return f.Fail(t.Context(), l, "x", epoch) },
				"Defer":  func(l trilith.Lease) error { return f.Defer(t.Context(), l, "x", epoch) },
			} {
				of, ou := call(foreign), call(unknown)
				if of == nil || ou == nil || trilith.KindOf(of) != trilith.KindOf(ou) {
					t.Errorf("%s of a foreign lease = %v, of an unknown job = %v; want errors of one kind", name, of,
						ou)
				}
			}
			if err := f.Finish(t.Context(), held); err != nil {
				t.Errorf("Finish of the true lease = %v, want nil", err)
			}
		}},
	{name: "tenancy/system", why: "the system tenant is a tenant like others: it keeps trilith's own records apart",
		run: func(t *testing.T, f *fixture) {
			own := trilith.Scope{Tenant: trilith.SystemTenant}
			f.commitIn(t, own, role.Batch{Records: []role.Record{record(role.RecordAPIKey, 1, `{}`)},
				Claims: []role.Claim{{Key: role.Key{Space: role.KeyCredential, Value: "h"}, Owner: id(1)}}})
			if rs := f.records(t, own, role.RecordListing{Kind: role.RecordAPIKey}); len(rs) != 1 {
				t.Errorf("Records of the system tenant = %+v, want 1", rs)
			}
			wantEqual(t, "Records of a user's tenant",
				f.records(t, acme, role.RecordListing{Kind: role.RecordAPIKey}), []role.Record{})
			wantEqual(t, "Find of a user's tenant", f.find(t, acme, role.Key{Space: role.KeyCredential, Value: "h"}),
				map[role.Key]trilith.ID{})
		}},
}

func testApart(t *testing.T, f *fixture) {
	batch := func(s trilith.Scope, text string, n int) role.Batch {
		return role.Batch{
			Memories: []trilith.Memory{note(1, text, in(s)), note(n, text, in(s))},
			Records:  []role.Record{record(role.RecordSource, 1, `"`+text+`"`), record(role.RecordSource, n, `{}`)},
			Claims:   []role.Claim{{Key: external("same"), Owner: id(1)}, {Key: external(text), Owner: id(n)}},
			Jobs:     []trilith.Job{job(1), job(n)},
			Audit:    []trilith.AuditEntry{{At: epoch, Actor: text, Action: "remember"}},
		}
	}
	f.commit(t, batch(acme, "ours", 2))
	f.commitIn(t, beta, batch(beta, "theirs", 3))

	// Nothing that beta does now may change acme.
	theirs := role.Batch{
		Expect: []role.Expect{{ID: id(2)}, {Kind: role.RecordSource, ID: id(2)}},
		Delete: []role.Ref{{ID: id(1)}, {ID: id(2)}, {Kind: role.RecordSource, ID: id(1)},
			{Kind: role.RecordSource, ID: id(2)}},
		Release: []role.Key{external("same"), external("ours")},
	}
	f.commitIn(t, beta, theirs,
		claims(role.Claim{Key: external("same"), Owner: id(9), Move: true},
			role.Claim{Key: external("ours"), Owner: id(9)}))
	wantKind(t, "Retry of a foreign job", f.Retry(t.Context(), beta, id(2)), trilith.NotFound)

	wantEqual(t, "Get", f.get(t, id(1), id(2), id(3)),
		[]trilith.Memory{note(1, "ours", version(1)), note(2, "ours", version(1))})
	wantEqual(t, "List", f.list(t, acme, role.Listing{}), []trilith.ID{id(1), id(2)})
	wantEqual(t, "List by text of a foreign id",
		f.list(t, acme, role.Listing{Filter: trilith.Where("id", trilith.OpEq, id(3))}), []trilith.ID{})
	wantEqual(t, "Find", f.find(t, acme, external("same"), external("ours"), external("theirs")),
		map[role.Key]trilith.ID{external("same"): id(1), external("ours"): id(2)})
	rs := f.records(t, acme, role.RecordListing{Kind: role.RecordSource})
	if len(rs) != 2 || rs[0].ID != id(1) || rs[1].ID != id(2) {
		t.Fatalf("Records = %+v, want those of ids 1 and 2", rs)
	}
	wantJSON(t, "Records", rs[0].Body, `"ours"`)
	if rs := f.records(t, acme, role.RecordListing{Kind: role.RecordSource, IDs: []trilith.ID{id(3)}}); len(rs) != 0 {
		t.Errorf("Records of a foreign id = %+v, want none", rs)
	}
	if es := f.audit(t, acme, 0, 10); len(es) != 1 || es[0].Actor != "ours" {
		t.Errorf("Audit = %+v, want the own entry", es)
	}
	var listed []trilith.ID
	for _, j := range f.jobs(t, acme, trilith.JobListing{}) {
		listed = append(listed, j.ID)
		if j.Tenant != tenant {
			t.Errorf("Jobs returned a job of tenant %q", j.Tenant)
		}
	}
	wantEqual(t, "Jobs", listed, []trilith.ID{id(2), id(1)})
	if js := f.jobs(t, acme, trilith.JobListing{IDs: []trilith.ID{id(3)}}); len(js) != 0 {
		t.Errorf("Jobs of a foreign id = %+v, want none", js)
	}
	leased := make(map[string]int)
	for _, j := range f.mustLease(t, leaseFor("w")) {
		leased[j.Tenant]++
	}
	wantEqual(t, "Lease across tenants", leased, map[string]int{tenant: 2, otherTenant: 2})
}
