package served

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/kinds"
)

// List returns the questions of the scope in the recall log with their results, newest first.
func (l *Log) List(ctx context.Context, s trilith.Scope, r trilith.RecallsRequest) (trilith.RecallsPage, error) {
	page := trilith.RecallsPage{Items: []trilith.ServedRecall{}, Off: l.Off()}
	if err := truth.CheckScope(s); err != nil {
		return page, err
	}
	limit, err := truth.CheckLimit(r.Limit, trilith.DefaultPageSize, trilith.MaxPageSize)
	if err != nil {
		return page, err
	}
	if r.Via != "" && !slices.Contains(Vias(), r.Via) {
		return page, trilith.Errorf(trilith.Invalid, "via: %.32q is not one of %s", r.Via, vias())
	}
	before := floor(l.truth.Now().Add(time.Minute)) // replicas' clocks differ
	if r.Cursor != "" {
		if before = trilith.ID(r.Cursor); before.Validate() != nil {
			return page, trilith.Errorf(trilith.Invalid, "cursor: %.64q does not belong to this list; begin without one", r.Cursor)
		}
	}
	if err := l.Written(ctx); err != nil {
		return page, err
	}
	suits := func(row *trilith.ServedRecall) bool {
		return s.Covers(truth.WithTenant(row.Scope, s.Tenant)) && (r.Via == "" || r.Via == row.Via) &&
			(!r.Empty || row.Found == 0 || row.Abstained)
	}
	rows, err := l.newest(ctx, s, before, limit+1, suits)
	if err != nil {
		return page, err
	}
	more := len(rows) > limit
	rows = rows[:min(limit, len(rows))]
	var fewer bool
	page.Items, fewer = truth.Fit(append(page.Items, rows...))
	if more || fewer {
		page.NextCursor = string(page.Items[len(page.Items)-1].ID)
	}
	return page, nil
}

// newest returns the newest rows before an id that suit, newest first. Records can be read from a place on only, so
// it looks at ever longer times behind the id.
func (l *Log) newest(ctx context.Context, s trilith.Scope, before trilith.ID, most int,
	suits func(*trilith.ServedRecall) bool) ([]trilith.ServedRecall, error) {
	const first, last = time.Hour, 400 * 24 * time.Hour
	var out []trilith.ServedRecall
	end := timeOf(before)
	for span, end := first, end; len(out) < most; span *= 4 {
		begin := end.Add(-span)
		from := floor(begin)
		if span > last {
			from = ""
		}
		var found []trilith.ServedRecall
		for r, err := range l.truth.RecordsAfter(ctx, s, role.RecordRecall, from) {
			if err == nil && r.ID >= before {
				break
			}
			row, err := truth.DecodeIf[trilith.ServedRecall](r, err)
			if err != nil {
				if truth.Fatal(err) {
					return nil, err
				}
				continue // a damaged row is no more than a gap in a log
			}
			if suits(&row) {
				found = append(found, row)
			}
		}
		slices.Reverse(found)
		out = append(out, found...)
		if from == "" {
			break
		}
		before, end = from, begin
	}
	return out[:min(most, len(out))], nil
}

// timeOf is about when an id was made.
func timeOf(id trilith.ID) time.Time {
	var ms int64
	for _, c := range []byte(id[:8] + id[9:13]) {
		d := int64(c - '0')
		if c >= 'a' {
			d = int64(c-'a') + 10
		}
		ms = ms<<4 | d
	}
	return time.UnixMilli(ms)
}

// Get returns one row of the recall log.
func (l *Log) Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ServedRecall, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.ServedRecall{}, err
	}
	if err := id.Validate(); err != nil {
		return trilith.ServedRecall{}, err
	}
	if err := l.Written(ctx); err != nil {
		return trilith.ServedRecall{}, err
	}
	row, version, err := truth.ReadRecord[trilith.ServedRecall](ctx, l.truth, s, role.RecordRecall, id)
	if err != nil || version > 0 && s.Covers(truth.WithTenant(row.Scope, s.Tenant)) {
		return row, err
	}
	return trilith.ServedRecall{}, trilith.Errorf(trilith.NotFound, "recall %s is not in the log", id)
}

// Choose names the rows of a tenant that are chosen, oldest first.
func (l *Log) Choose(ctx context.Context, s trilith.Scope, chosen func(*trilith.ServedRecall) bool) ([]trilith.ID, error) {
	if err := l.Written(ctx); err != nil {
		return nil, err
	}
	n, _, err := l.tally(ctx, s)
	if err != nil || n.Rows == 0 {
		return nil, err
	}
	var ids []trilith.ID
	for r, err := range l.truth.Records(ctx, s, role.RecordRecall) {
		row, err := truth.DecodeIf[trilith.ServedRecall](r, err)
		switch {
		case err != nil && truth.Fatal(err):
			return nil, err
		case err == nil && chosen(&row):
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// Delete deletes rows of a tenant. The store's files are purged of them.
func (l *Log) Delete(ctx context.Context, s trilith.Scope, ids []trilith.ID) error {
	for chunk := range slices.Chunk(ids, pruneStep) {
		now := l.truth.Now()
		purge := trilith.Job{ID: trilith.NewID(now), Kind: role.JobPurge, State: trilith.JobReady, RunAt: now,
			CreatedAt: now, UpdatedAt: now}
		err := l.change(ctx, s, nil, func(int) ([]trilith.ID, error) { return chunk, nil }, purge)
		if err != nil {
			return err
		}
	}
	return nil
}

// Kind is the row of the log in the table of what an export consists of, the oldest first.
func (l *Log) Kind() kinds.Kind {
	k := kinds.Row[trilith.ServedRecall]{Prefix: "recall.", Check: Check, Restore: l.Restore,
		In: func(it *trilith.ExportItem) **trilith.ServedRecall { return &it.Recall },
		Export: func(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ServedRecall, error] {
			return func(yield func(trilith.ServedRecall, error) bool) {
				if err := l.Written(ctx); err != nil {
					yield(trilith.ServedRecall{}, err)
					return
				}
				for row, err := range l.records().In(ctx, s) {
					if !yield(row, err) {
						return
					}
				}
			}
		}}.Kind()
	k.Erase = l.erase
	return k
}

// erase deletes the rows whose results contain something erased, in any scope, and those of the scope that the filter
// would accept if they were memories, such as all of a session.
func (l *Log) erase(ctx context.Context, s trilith.Scope, e kinds.Erasure, receipt *trilith.EraseReceipt) error {
	gone := make(map[trilith.ID]bool, len(e.IDs))
	for _, id := range e.IDs {
		gone[id] = true
	}
	fits, err := e.Filter.Compile()
	if err != nil {
		return err
	}
	rows, err := l.Choose(ctx, s, func(row *trilith.ServedRecall) bool {
		for _, h := range row.Hits {
			if gone[h.ID] {
				return true
			}
		}
		in := truth.WithTenant(row.Scope, s.Tenant)
		return fits != nil && s.Covers(in) && kinds.Fits(fits, in, row.At, row.At)
	})
	receipt.Recalls = len(rows)
	if err != nil || e.Dry {
		return err
	}
	return l.Delete(ctx, s, rows)
}

// Check refuses a row that no log of ours would hold.
func Check(row *trilith.ServedRecall) error {
	if err := row.ID.Validate(); err != nil {
		return err
	}
	if len(row.Hits) > trilith.MaxServedHits {
		return trilith.Errorf(trilith.Invalid, "hits: are %d, at most %d are allowed", len(row.Hits), trilith.MaxServedHits)
	}
	return row.Request.Filter.Validate()
}

// Restore takes rows of an export. Those that are there already are left as they are, and those that served memories
// which are not here, such as erased ones, are left out.
func (l *Log) Restore(ctx context.Context, s trilith.Scope, rows []trilith.ServedRecall) (stored int, err error) {
	if len(rows) == 0 || l.Off() {
		return 0, nil
	}
	tenant := truth.TenantOf(s)
	var ids []trilith.ID
	known := map[trilith.ID]bool{}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	there, err := l.truth.RecordsOf(ctx, tenant, role.RecordRecall, ids...)
	if there, _, err = truth.SoundOf(there, err); err != nil {
		return 0, err
	}
	for _, r := range there {
		known[r.ID] = true
	}
	ids = nil
	for _, r := range rows {
		for _, h := range r.Hits {
			ids = append(ids, h.ID)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	present := map[trilith.ID]bool{}
	for chunk := range slices.Chunk(ids, role.MaxBatch) {
		ms, err := l.truth.Memories(ctx, tenant, chunk)
		if ms, _, err = truth.SoundOf(ms, err); err != nil {
			return 0, err
		}
		for i := range ms {
			present[ms[i].ID] = true
		}
	}
	oldest := l.truth.Now().Add(-l.c.Keep)
	var put []trilith.ServedRecall
	for _, r := range rows {
		gone := slices.ContainsFunc(r.Hits, func(h trilith.ServedHit) bool { return !present[h.ID] })
		if !known[r.ID] && !gone && r.At.After(oldest) {
			known[r.ID] = true
			put = append(put, r)
		}
	}
	if len(put) == 0 {
		return 0, nil
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	return len(put), l.put(ctx, s, put)
}

// Written writes the noted rows, unless the store takes no writes.
func (l *Log) Written(ctx context.Context) error {
	if l.truth.ForReading {
		return nil
	}
	return l.Write(ctx)
}

func (l *Log) records() kinds.Records[trilith.ServedRecall] {
	return kinds.Records[trilith.ServedRecall]{Truth: l.truth, Kind: role.RecordRecall,
		Decode: func(s trilith.Scope, r role.Record) (trilith.ServedRecall, error) {
			row, err := truth.Decode[trilith.ServedRecall](r)
			row.Scope = truth.WithTenant(row.Scope, s.Tenant)
			return row, err
		},
		Facets: func(row *trilith.ServedRecall) (trilith.Scope, time.Time, time.Time) {
			return row.Scope, row.At, row.At
		}}
}
