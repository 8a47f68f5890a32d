package firestore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// rowsEach is how many documents one query returns at most.
const rowsEach = 1000

// changeLog reads the changes of commits, and the audit.
type changeLog struct{ *database }

// Changes is documented at [role.Log]. A limit of 0 means none.
func (cl *changeLog) Changes(ctx context.Context, sys trilith.System, shard int, after trilith.Cursor,
	limit int) ([]role.Change, trilith.Cursor, error) {
	if err := cl.across(ctx, sys); err != nil {
		return nil, after, err
	}
	if err := cl.checkShard(shard); err != nil {
		return nil, after, err
	}
	at, err := parseCursor(after)
	if err != nil {
		return nil, after, err
	}
	var out []role.Change
	for {
		n := rowsEach
		if limit > 0 {
			n = min(n, limit-len(out))
		}
		q := of(memoriesIn, true).where(fieldShard, "EQUAL", text(cl.mark(fmt.Sprint(shard)))).where(fieldChange,
			"GREATER_THAN",
			number(at)).
			by(fieldChange, ascending).only(fieldChange, fieldVersion, fieldGone).limit(n)
		docs, err := cl.c.run(ctx, everywhere, q)
		if err != nil {
			return nil, after, failed("firestore.Changes", err)
		}
		for i := range docs {
			f := docs[i].Fields
			at = f.number(fieldChange)
			out = append(out, role.Change{Cursor: cursorOf(at), Tenant: cl.tenantIn(docs[i].Name),
				ID:      trilith.ID(last(docs[i].Name)),
				Version: f.number(fieldVersion), Deleted: f.has(fieldGone)})
		}
		if len(docs) < n || len(out) == limit {
			break
		}
	}
	if len(out) == 0 {
		return nil, after, nil
	}
	return out, cursorOf(at), nil
}

// Head is documented at [role.Log].
func (cl *changeLog) Head(ctx context.Context, sys trilith.System, shard int) (trilith.Cursor, error) {
	if err := cl.across(ctx, sys); err != nil {
		return "", err
	}
	if err := cl.checkShard(shard); err != nil {
		return "", err
	}
	path := cl.shard(shard)
	docs, err := cl.c.get(ctx, []string{path}, "n")
	if err != nil {
		return "", failed("firestore.Head", err)
	}
	if d := docs[path]; d != nil {
		return cursorOf(d.Fields.number("n")), nil
	}
	return "", nil
}

func (cl *changeLog) checkShard(shard int) error {
	if shard < 0 || shard >= cl.shards {
		return trilith.Errorf(trilith.Invalid, "shard: %d does not exist, the last of the log is %d", shard, cl.shards-1)
	}
	return nil
}

// Shards is documented at [role.Log].
func (cl *changeLog) Shards() int { return cl.shards }

// Audit is documented at [role.Log]. A limit of 0 means none.
func (cl *changeLog) Audit(ctx context.Context, sc trilith.Scope, after int64, limit int) ([]trilith.AuditEntry, error) {
	const op = "firestore.Audit"
	if err := cl.within(ctx, sc); err != nil {
		return nil, err
	}
	after = max(after, 0)
	var out []trilith.AuditEntry
	for {
		n := rowsEach
		if limit > 0 {
			n = min(n, limit-len(out))
		}
		behind := reference(cl.c.name(cl.auditPath(sc.Tenant, after)))
		q := of(auditIn, false).by(byName, ascending).after(behind).limit(n)
		docs, err := cl.c.run(ctx, cl.tenant(sc.Tenant), q)
		if err != nil {
			return nil, failed(op, err)
		}
		for i := range docs {
			var e trilith.AuditEntry
			if err := json.Unmarshal(docs[i].Fields.octets(fieldBody), &e); err != nil {
				return nil, trilith.Errorf(trilith.Internal, "audit: entry %s cannot be read", last(docs[i].Name))
			}
			out = append(out, e)
			after = e.Seq
		}
		if len(docs) < n || len(out) == limit {
			return out, nil
		}
	}
}

// Tenants is documented at [role.Log].
func (cl *changeLog) Tenants(ctx context.Context, sys trilith.System) ([]string, error) {
	if err := cl.across(ctx, sys); err != nil {
		return nil, err
	}
	var out []string
	var behind string
	for {
		q := of(tenantsIn, false).by(byName, ascending).only(fieldName, fieldMemories, fieldRecords).limit(rowsEach)
		if behind != "" {
			q.after(reference(behind))
		}
		docs, err := cl.c.run(ctx, cl.root, q)
		if err != nil {
			return nil, failed("firestore.Tenants", err)
		}
		for i := range docs {
			f := docs[i].Fields
			name := f.text(fieldName)
			if name != trilith.SystemTenant && f.number(fieldMemories)+f.number(fieldRecords) > 0 {
				out = append(out, name)
			}
			behind = docs[i].Name
		}
		if len(docs) < rowsEach {
			slices.Sort(out)
			return out, nil
		}
	}
}
