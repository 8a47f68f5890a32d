package storetest

import (
	"fmt"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var claimCases = []testCase{
	{name: "claims/unique", why: "a key has at most one owner: a claim by another id is a Conflict, one by its owner changes nothing",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, claims(role.Claim{Key: external("k"), Owner: id(1)}),
				claims(role.Claim{Key: external("k"), Owner: id(1)}))
			f.refuse(t, claims(role.Claim{Key: external("k"), Owner: id(2)}), trilith.Conflict)
			f.refuse(t, claims(role.Claim{Key: external("n"), Owner: id(1)},
				role.Claim{Key: external("n"), Owner: id(2)}), trilith.Conflict)
			wantEqual(t, "Find", f.find(t, acme, external("k"), external("n")),
				map[role.Key]trilith.ID{external("k"): id(1)})
		}},
	{name: "claims/spaces", why: "spaces separate kinds of names, and values are compared byte by byte",
		run: func(t *testing.T, f *fixture) {
			keys := []role.Key{{Space: role.KeyExternal, Value: "k"}, {Space: role.KeyRequest, Value: "k"},
				external("K"),
				external(" k"), external("é"), external("e\u0301"), external("%"), external("'"), external("")}
			want := make(map[role.Key]trilith.ID)
			for i, k := range keys {
				f.commit(t, claims(role.Claim{Key: k, Owner: id(i + 1)}))
				want[k] = id(i + 1)
			}
			wantEqual(t, "Find of all keys", f.find(t, acme, append(keys, external("_"))...), want)
			wantEqual(t, "Find of one key", f.find(t, acme, external("K")),
				map[role.Key]trilith.ID{external("K"): id(3)})
			wantEqual(t, "Find of no key", f.find(t, acme), map[role.Key]trilith.ID{})
		}},
	{name: "claims/move", why: "with Move a claim passes to the new owner",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, claims(role.Claim{Key: external("k"), Owner: id(1)}),
				claims(role.Claim{Key: external("k"), Owner: id(2), Move: true},
					role.Claim{Key: external("free"), Owner: id(2), Move: true}))
			wantEqual(t, "Find", f.find(t, acme, external("k"), external("free")),
				map[role.Key]trilith.ID{external("k"): id(2), external("free"): id(2)})
			// deleting the former owner releases nothing
			f.commit(t, deletes(1), role.Batch{Memories: notes(1, 2)}, deletes(1))
			if got := f.find(t, acme, external("k"))[external("k")]; got != id(2) {
				t.Errorf("Find after the former owner was deleted = %q, want %q", got, id(2))
			}
		}},
	{name: "claims/release",
		why: "released keys are free, also within the batch that releases them; releasing absent keys is no error",
		run: func(t *testing.T, f *fixture) {
			f.commit(t, claims(role.Claim{Key: external("k"), Owner: id(1)}),
				role.Batch{Release: []role.Key{external("k"), external("absent")}})
			wantEqual(t, "Find after Release", f.find(t, acme, external("k")), map[role.Key]trilith.ID{})
			b := claims(role.Claim{Key: external("k"), Owner: id(2)})
			f.commit(t, b)
			b = claims(role.Claim{Key: external("k"), Owner: id(3)})
			b.Release = []role.Key{external("k")}
			f.commit(t, b)
			wantEqual(t, "Find after Release and Claim", f.find(t, acme, external("k")),
				map[role.Key]trilith.ID{external("k"): id(3)})
		}},
	{name: "claims/tombstone", why: "a key of space erased is never released",
		run: func(t *testing.T, f *fixture) {
			tomb := role.Key{Space: role.KeyErased, Value: "hash"}
			f.commit(t, claims(role.Claim{Key: tomb, Owner: id(1)}))
			// Whether the batch is refused is open; it must not have an effect.
			if _, err := f.Commit(t.Context(), acme, role.Batch{Release: []role.Key{tomb}}); err != nil {
				wantKind(t, "Commit that releases a tombstone", err, trilith.Invalid)
			}
			wantEqual(t, "Find after Release of a tombstone", f.find(t, acme, tomb),
				map[role.Key]trilith.ID{tomb: id(1)})
		}},
	{name: "claims/delete", why: "deleting an id releases its claims, except those of space erased",
		run: func(t *testing.T, f *fixture) {
			tomb := role.Key{Space: role.KeyErased, Value: "hash"}
			request := role.Key{Space: role.KeyRequest, Value: "r"}
			f.commit(t, role.Batch{
				Memories: notes(1, 3), Records: []role.Record{record(role.RecordReceipt, 3, `{}`),
					record(role.RecordSource, 4, `{}`)},
				Claims: []role.Claim{{Key: external("a"), Owner: id(1)}, {Key: external("b"), Owner: id(1)},
					{Key: external("c"), Owner: id(2)},
					{Key: tomb, Owner: id(3)}, {Key: request, Owner: id(4)}},
			})
			handover := claims(role.Claim{Key: external("b"), Owner: id(2)})
			handover.Delete = []role.Ref{{ID: id(1)}, {Kind: role.RecordReceipt, ID: id(3)},
				{Kind: role.RecordSource, ID: id(4)}}
			f.commit(t, handover)
			wantEqual(t, "Find after delete",
				f.find(t, acme, external("a"), external("b"), external("c"), tomb, request),
				map[role.Key]trilith.ID{external("b"): id(2), external("c"): id(2), tomb: id(3)})
		}},
	{name: "claims/list", why: "Claims returns the tenant's claims by ascending key, after After, up to Limit, in byte order",
		run: func(t *testing.T, f *fixture) {
			// Most collations would sort them differently.
			keys := []role.Key{external(""), external("\x00"), external("B"), external("a"), external("a\x00b"),
				external("a-b"), external("ab"), external("é"),
				{Space: role.KeyName, Value: "B"}, {Space: role.KeyRequest, Value: "a"}}
			for i := range keys {
				n := (i*7 + 3) % len(keys) // not in their order
				f.commit(t, claims(role.Claim{Key: keys[n], Owner: id(n), Move: true}))
			}
			f.commitIn(t, beta, claims(role.Claim{Key: external("a"), Owner: id(99)}))
			want := func(from, to int) []role.Claim {
				var cs []role.Claim
				for n := from; n < to; n++ {
					cs = append(cs, role.Claim{Key: keys[n], Owner: id(n)})
				}
				return cs
			}
			wantEqual(t, "Claims", f.claims(t, acme, role.ClaimListing{}), want(0, len(keys)))
			wantEqual(t, "Claims in a narrower scope",
				f.claims(t, trilith.Scope{Tenant: tenant, User: "ana"}, role.ClaimListing{}), want(0, len(keys)))
			wantEqual(t, "Claims Limit 3", f.claims(t, acme, role.ClaimListing{Limit: 3}), want(0, 3))
			for n, k := range keys {
				wantEqual(t, fmt.Sprintf("Claims After %q Limit 2", k),
					f.claims(t, acme, role.ClaimListing{After: k, Limit: 2}), want(n+1, min(n+3, len(keys))))
			}
			wantEqual(t, "Claims After a key that nobody holds",
				f.claims(t, acme, role.ClaimListing{After: external("aa"), Limit: 1}), want(6, 7))
			wantEqual(t, "Claims of another tenant", f.claims(t, beta, role.ClaimListing{}),
				[]role.Claim{{Key: external("a"), Owner: id(99)}})
		}},
}

func claims(cs ...role.Claim) role.Batch { return role.Batch{Claims: cs} }
