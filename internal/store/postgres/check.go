package postgres

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// spaceTimeout limits a query without a context.
const spaceTimeout = 10 * time.Second

// upkeep answers an operator's questions about a database.
type upkeep struct {
	*database
	advice string // statements for a superuser if the login may not assume systemRole
}

// Examine is documented at [role.Upkeep]. Checksums of pages that are off are a warning: nothing is wrong.
func (u *upkeep) Examine(ctx context.Context, _ ...int) (cs role.Checks) {
	cs.Damage(u.Check(ctx))
	if lack, run := u.Advice(); lack != "" {
		cs.Warn("roles", lack, run)
	} else {
		cs.Add("roles", true, "", "tenants are told apart, and work across them has a role of its own")
	}
	on, fix, err := u.Checksums(ctx)
	switch {
	case !cs.Looked(ctx, "page checksums", err):
	case on:
		cs.Add("page checksums", true, "", "the server has a checksum in each page of its files")
	default:
		cs.Warn("page checksums", "they are off: flipped bits on the server's disk are not noticed", fix)
	}
	cs.Space(u.Space())
	return cs
}

// Check tests whether the database fits this program, and reports the first fault. Damage to files has to be found with
// PostgreSQL's own tools.
func (u *upkeep) Check(ctx context.Context) error {
	version, err := u.Schema(ctx)
	if err != nil {
		return err
	}
	if known := knownSchema(); version != known {
		return trilith.Errorf(trilith.Unsupported,
			"store: the schema has the version %d, this trilith knows %d; restart all processes with one version",
			version, known)
	}
	for _, c := range []struct{ query, sentence string }{
		{"SELECT relname FROM pg_class WHERE oid IN (SELECT indexrelid FROM pg_index WHERE NOT indisvalid) AND relnamespace = 'trilith'::regnamespace",
			"these indexes are not valid; rebuild them with REINDEX INDEX"},
		{"SELECT relname FROM (" + lacking(u.system) + ") AS l (relname, a, b)",
			"the roles " + appRole + " and " + systemRole +
				" lack rights on these, or row-level security is off: open the store as their owner"},
		{"SELECT change::text FROM trilith.memories JOIN trilith.deletions USING (change) LIMIT 3",
			"these numbers of the change log are given twice"},
		{"SELECT tenant FROM trilith.audit GROUP BY tenant HAVING min(seq) <> 1 OR max(seq) <> count(*) LIMIT 3",
			"the audit log of these tenants has gaps"},
	} {
		faults, err := u.readStrings(ctx, "postgres.Check", allTenants, c.query)
		if err != nil {
			return err
		}
		if len(faults) > 0 {
			return trilith.Errorf(trilith.Internal, "store: %s: %s", c.sentence, strings.Join(faults, ", "))
		}
	}
	return nil
}

// Schema returns the number of the newest migration that was applied.
func (u *upkeep) Schema(ctx context.Context) (version int64, err error) {
	err = u.read(ctx, "postgres.Schema", noTenant, func(b *pgx.Batch) {
		b.Queue("SELECT max(version_id) FROM " + versionTable).QueryRow(
			func(row pgx.Row) error { return row.Scan(&version) })
	})
	return version, err
}

// Checksums reports whether the server has a checksum in each page of its files. Only they detect flipped bits, because
// trilith adds no checksums to rows in PostgreSQL. Without them it returns the command that adds them.
func (u *upkeep) Checksums(ctx context.Context) (on bool, fix string, err error) {
	err = u.read(ctx, "postgres.Checksums", noTenant, func(b *pgx.Batch) {
		b.Queue("SELECT current_setting('data_checksums') = 'on'").QueryRow(
			func(row pgx.Row) error { return row.Scan(&on) })
	})
	if err != nil || on {
		return on, "", err
	}
	return false, "stop the server, run pg_checksums --enable -D DIR with its data directory, and start it again", nil
}

// Space returns how many bytes the database uses on the server's disk. It cannot find out how many are free: that error
// is Unsupported.
func (u *upkeep) Space() (used, free int64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), spaceTimeout)
	defer cancel()
	err = u.read(ctx, "postgres.Space", noTenant, func(b *pgx.Batch) {
		b.Queue("SELECT pg_database_size(current_database())").QueryRow(
			func(row pgx.Row) error { return row.Scan(&used) })
	})
	if err != nil {
		return 0, 0, err
	}
	return used, 0, trilith.Errorf(trilith.Unsupported, "store: PostgreSQL does not report how much space is free")
}

// Repair is documented at [role.Upkeep]: rows have no checksums here.
func (u *upkeep) Repair(context.Context) (int, error) { return 0, nil }

// ReadOnly is documented at [role.Upkeep].
func (u *upkeep) ReadOnly() string { return "" }

// Pace is documented at [role.Upkeep].
func (u *upkeep) Pace() time.Duration { return 0 }

// Purge frees the space of deleted rows if the login owns the tables; otherwise the server's autovacuum does so later.
// It cannot promise that the bytes are gone: PostgreSQL does not overwrite the freed space, and the write-ahead log,
// standbys and backups keep their copies.
func (u *upkeep) Purge(ctx context.Context) error {
	const op = "postgres.Purge"
	return u.repeat(ctx, op, func() (again bool, err error) {
		_, err = u.pool.Exec(ctx,
			"VACUUM trilith.memories, trilith.deletions, trilith.evidence, trilith.marks, trilith.records, trilith.claims, trilith.jobs, trilith.embeddings")
		return lost(err), err
	})
}
