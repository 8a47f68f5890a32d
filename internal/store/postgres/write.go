package postgres

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

const (
	lockMemories = "SELECT id, version FROM trilith.memories WHERE tenant = $1 AND id = ANY($2::text[]) ORDER BY id FOR UPDATE"
	lockRecords  = `SELECT kind, id, version FROM trilith.records WHERE tenant = $1 AND (kind, id) IN (SELECT * FROM unnest($2::text[], $3::text[]))
		ORDER BY kind, id FOR UPDATE`

	// Deleting a missing row releases no key and leaves no change.
	deleteMemories = `WITH gone AS (DELETE FROM trilith.memories WHERE tenant = $1 AND id = ANY($2::text[]) RETURNING id, version),
			released AS (DELETE FROM trilith.claims WHERE tenant = $1 AND owner IN (SELECT id FROM gone) AND space <> '` + role.KeyErased + `')
		INSERT INTO trilith.deletions (change, tenant, id, version) SELECT nextval('trilith.changes'), $1, id, version FROM gone
		ON CONFLICT (tenant, id) DO UPDATE SET change = excluded.change, version = excluded.version RETURNING change, id`
	deleteRecords = `WITH gone AS (DELETE FROM trilith.records WHERE tenant = $1 AND (kind, id) IN (SELECT * FROM unnest($2::text[], $3::text[])) RETURNING id)
		DELETE FROM trilith.claims WHERE tenant = $1 AND owner IN (SELECT id FROM gone) AND space <> '` + role.KeyErased + "'"
	forgetEvidence = "DELETE FROM trilith.evidence WHERE tenant = $1 AND fact = ANY($2::text[])"
	// A writer of an episode waits for writers of facts that rest on it, and vice versa, so that the copies of the
	// episode's data with its facts are right.
	lockEpisodes = "SELECT FROM trilith.memories WHERE tenant = $1 AND id = ANY($2::text[]) ORDER BY id FOR SHARE"
	putEvidence  = "INSERT INTO trilith.evidence (tenant, episode, fact, says, tier, source, voice, heard) SELECT $1, r.episode, r.fact, r.says, " + ofEpisode +
		" FROM unnest($2::text[], $3::text[], $4::boolean[]) AS r (episode, fact, says) LEFT JOIN trilith.memories AS e ON r.says AND e.tenant = $1 AND e.id = r.episode ON CONFLICT DO NOTHING"
	putVoices = "UPDATE trilith.evidence AS v SET (tier, source, voice, heard) = (" + ofEpisode +
		") FROM trilith.memories AS e " +
		"WHERE v.tenant = $1 AND v.episode = ANY($2::text[]) AND v.says AND e.tenant = $1 AND e.id = v.episode"
	dropVoices = "UPDATE trilith.evidence SET (tier, source, voice, heard) = (NULL, NULL, NULL, NULL) WHERE tenant = $1 AND episode = ANY($2::text[]) AND says"
	// ofEpisode lists the columns of the table of evidence that copy an episode e.
	ofEpisode = "trilith.tier(e.state, e.trust), trilith.words_hash(CASE e.source_id WHEN '' THEN e.id ELSE e.source_id END), trilith.words_hash(e.text), e.event_time"

	putRecord = `INSERT INTO trilith.records (tenant, kind, id, version, body) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant, kind, id) DO UPDATE SET version = records.version + 1, body = excluded.body RETURNING xmax = 0`

	releaseKey = "DELETE FROM trilith.claims WHERE tenant = $1 AND space = $2 AND value = $3 AND space <> '" +
		role.KeyErased + "'"
	claimKey = `INSERT INTO trilith.claims (tenant, space, value, owner) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant, space, value) DO UPDATE SET owner = excluded.owner WHERE claims.owner = excluded.owner OR $5`
)

// write is one attempt to write a checked batch, in one round trip. The server makes all writes; its answers show
// whether the expectations held before the transaction is committed.
//
// Deadlocks are rare because every writer takes locks in the same order: the tenant, rows of memories by id, rows of
// records by kind and id.
type write struct {
	tenant string
	batch  *role.Batch
	rows   [][]any // the memories' values, see encodeMemory
	now    time.Time

	absent  map[role.Ref]bool // expected not to exist
	done    role.Commit
	deleted []trilith.ID // memories
	change  int64        // last number of the change log
}

func (w *write) run(ctx context.Context, tx pgx.Tx) error {
	w.done.Versions = make([]int64, len(w.rows))
	b := new(pgx.Batch)
	w.lock(b)
	w.put(b)
	if err := w.putAudit(b); err != nil {
		return err
	}
	// Every erasure has such a job, in its last commit too. The row is locked last, so no transaction waits for another
	// lock while it holds this one.
	if slices.ContainsFunc(w.batch.Jobs, func(j trilith.Job) bool { return j.Kind == role.JobPurge }) {
		b.Queue(countErasure, w.tenant)
	}
	if b.Len() > 0 {
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
	}
	if w.change > 0 {
		w.done.Cursor = sqlrows.Cursor(w.change)
	}
	return nil
}

// lock takes all locks and checks expectations.
func (w *write) lock(b *pgx.Batch) {
	puts, locks, bare := make(map[role.Ref]bool), make(map[role.Ref]bool), false
	w.absent = make(map[role.Ref]bool)
	for i := range w.batch.Memories {
		puts[role.Ref{ID: w.batch.Memories[i].ID}] = true
	}
	for _, r := range w.batch.Records {
		puts[role.Ref{Kind: r.Kind, ID: r.ID}] = true
	}
	for _, e := range w.batch.Expect {
		r := role.Ref{Kind: e.Kind, ID: e.ID}
		if e.Version == 0 && puts[r] {
			w.absent[r] = true // the put will show it
			continue
		}
		locks[r], bare = true, bare || e.Version == 0
	}
	for _, r := range w.batch.Delete {
		locks[r] = true
	}
	// There is no row to lock if something is expected to be absent and is not created here, so such a commit locks out
	// all other writers of the tenant.
	if bare {
		b.Queue("SELECT pg_advisory_xact_lock($1, $2)", lockAbsence, hashed(w.tenant))
	} else {
		b.Queue("SELECT pg_advisory_xact_lock_shared($1, $2)", lockAbsence, hashed(w.tenant))
	}
	if len(locks) > 0 { // a batch with only puts locks in the order of their ids
		maps.Copy(locks, puts)
		w.lockRows(b, locks)
	}
}

func (w *write) lockRows(b *pgx.Batch, refs map[role.Ref]bool) {
	var ids, kinds, recordIDs []string
	for r := range refs {
		if r.Kind == "" {
			ids = append(ids, text(string(r.ID)))
		} else {
			kinds, recordIDs = append(kinds, text(string(r.Kind))), append(recordIDs, text(string(r.ID)))
		}
	}
	have := make(map[role.Ref]int64)
	if len(ids) > 0 {
		b.Queue(lockMemories, w.tenant, ids).Query(each(func(rows pgx.Rows) error {
			var id string
			var version int64
			err := rows.Scan(&id, &version)
			have[role.Ref{ID: trilith.ID(plain(id))}] = version
			return err
		}))
	}
	// an empty list keeps the position at which everything has been read
	b.Queue(lockRecords, w.tenant, kinds, recordIDs).Query(func(rows pgx.Rows) error {
		err := collect(rows, func(rows pgx.Rows) error {
			var kind, id string
			var version int64
			err := rows.Scan(&kind, &id, &version)
			have[role.Ref{Kind: role.RecordKind(plain(kind)), ID: trilith.ID(plain(id))}] = version
			return err
		})
		if err != nil {
			return err
		}
		for _, e := range w.batch.Expect {
			if v := have[role.Ref{Kind: e.Kind, ID: e.ID}]; v != e.Version {
				return trilith.Errorf(trilith.Conflict, "expect: %s has version %d, not %d", e.ID, v, e.Version)
			}
		}
		return nil
	})
}

// put writes the batch: first removals, then claims and puts.
func (w *write) put(b *pgx.Batch) {
	w.putMemories(b)
	w.putRecords(b)
	for _, k := range w.batch.Release {
		b.Queue(releaseKey, w.tenant, text(k.Space), text(k.Value))
	}
	for _, c := range slices.SortedStableFunc(slices.Values(w.batch.Claims), func(x, y role.Claim) int {
		return cmp.Or(cmp.Compare(x.Key.Space, y.Key.Space), cmp.Compare(x.Key.Value, y.Key.Value))
	}) {
		b.Queue(claimKey, w.tenant, text(c.Key.Space), text(c.Key.Value), text(string(c.Owner)), c.Move).Exec(
			func(tag pgconn.CommandTag) error {
				if tag.RowsAffected() == 0 {
					return trilith.Errorf(trilith.Conflict, "claims: a key of space %s is owned by another id", c.Key.Space)
				}
				return nil
			})
	}
	if len(w.batch.DropJobs) > 0 {
		b.Queue(dropJobs, w.tenant, texts(w.batch.DropJobs))
	}
	for _, j := range w.batch.Jobs {
		w.putJob(b, j)
	}
}

// evidenceRows are rows of the table of evidence.
type evidenceRows struct {
	episodes, facts []string
	says            []bool
}

func (w *write) putMemories(b *pgx.Batch) {
	var gone []string
	for _, r := range w.batch.Delete {
		if r.Kind == "" {
			gone = append(gone, text(string(r.ID)))
		}
	}
	if len(gone) == 0 && len(w.rows) == 0 {
		return
	}
	b.Queue(announce)
	if len(gone) > 0 {
		b.Queue(deleteMemories, w.tenant, gone).Query(each(func(rows pgx.Rows) error {
			var id string
			var change int64
			err := rows.Scan(&change, &id)
			w.change, w.deleted = max(w.change, change), append(w.deleted, trilith.ID(plain(id)))
			return err
		}))
	}
	order := make([]int, len(w.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(w.batch.Memories[i].ID, w.batch.Memories[j].ID) })
	var put []string
	var evidence evidenceRows
	for _, i := range order {
		m := &w.batch.Memories[i]
		fresh := w.fresh(role.Ref{ID: m.ID})
		b.Queue(putMemory, w.rows[i]...).QueryRow(func(row pgx.Row) error {
			var change int64
			var inserted bool
			if err := row.Scan(&change, &w.done.Versions[i], &inserted); err != nil {
				return err
			}
			w.change = max(w.change, change)
			return fresh(inserted)
		})
		put = append(put, string(m.ID))
		evidence.add(m)
	}
	if len(gone) > 0 {
		b.Queue(dropVoices, w.tenant, gone)
	}
	if len(put) > 0 {
		b.Queue(putVoices, w.tenant, put)
	}
	b.Queue(forgetEvidence, w.tenant, slices.Concat(gone, put))
	if len(evidence.facts) > 0 {
		b.Queue(lockEpisodes, w.tenant, evidence.episodes)
		b.Queue(putEvidence, w.tenant, evidence.episodes, evidence.facts, evidence.says)
	}
}

func (w *write) putRecords(b *pgx.Batch) {
	var kinds, ids []string
	for _, r := range w.batch.Delete {
		if r.Kind != "" {
			kinds, ids = append(kinds, text(string(r.Kind))), append(ids, text(string(r.ID)))
		}
	}
	if len(ids) > 0 {
		b.Queue(deleteRecords, w.tenant, kinds, ids)
	}
	for _, r := range slices.SortedFunc(slices.Values(w.batch.Records), func(x, y role.Record) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.ID, y.ID))
	}) {
		fresh := w.fresh(role.Ref{Kind: r.Kind, ID: r.ID})
		b.Queue(putRecord, w.tenant, text(string(r.Kind)), text(string(r.ID)), max(1, r.Version),
			text(string(r.Body))).QueryRow(func(row pgx.Row) error {
			var inserted bool
			if err := row.Scan(&inserted); err != nil {
				return err
			}
			return fresh(inserted)
		})
	}
}

// fresh returns a check that a put has inserted a new row.
func (w *write) fresh(r role.Ref) func(inserted bool) error {
	return func(inserted bool) error {
		if w.absent[r] && !inserted {
			return trilith.Errorf(trilith.Conflict, "expect: %s exists", r.ID)
		}
		return nil
	}
}

// add adds the rows of a memory: the episodes that a fact rests on, and which of them state it.
func (r *evidenceRows) add(m *trilith.Memory) {
	says := sqlrows.Rests(m)
	for _, id := range slices.Sorted(maps.Keys(says)) {
		r.episodes, r.facts, r.says = append(r.episodes, text(string(id))), append(r.facts, string(m.ID)),
			append(r.says, says[id])
	}
}
