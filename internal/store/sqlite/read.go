package sqlite

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// stored is a memory with its state in this process.
type stored struct {
	memory trilith.Memory
	size   int  // approximate bytes in memory
	shared bool // also in the cache
	broken bool // the row is damaged; only the id of the memory is known, if that
}

// row returns the memory in the form that a listing uses.
func (s *stored) row() sqlrows.Row {
	r := sqlrows.Row{Memory: s.given()}
	if s.broken {
		r.Damaged = damage("memory", []trilith.ID{s.memory.ID})
	}
	return r
}

// plainColumns are the columns that are read one by one; the names come after them.
const plainColumns = "version, seq, event_time, recorded_at, valid_until, superseded_at, more, text, sum"

const plainCount = 9

// nameColumns are the columns of short texts. Reading a column takes half a microsecond, however short it is, and most
// of these are empty.
const nameColumns = "tenant, id, kind, state, trust, project, domain, user, agent, session, channel, role, speaker, type, source_id, external_id, superseded_by"

// layout is a way to select memories.
type layout struct {
	columns string // of the SELECT
	count   int    // number of columns
	// returns the end of the change log, as version at place -1, and a row for every id in the list whose memory exists
	get string
}

func newLayout(names string, n int) *layout {
	l := &layout{columns: plainColumns + ", " + names, count: plainCount + n}
	l.get = "SELECT (" + headQuery + ")" + strings.Repeat(", NULL", l.count-1) + ", -1 UNION ALL SELECT " + l.columns +
		", place FROM " + asked +
		" CROSS JOIN memories ON tenant = ? AND id = wanted"
	return l
}

// memoryReader reads memories from rows with the columns of a layout, one after the other. It scans values in the
// driver's types, because conversion uses reflection.
type memoryReader struct {
	values []any
	dest   []any
	sum    rowSum
}

func (r *memoryReader) text(i int) string { v, _ := r.values[i].(string); return v }

func (r *memoryReader) number(i int) int64 { v, _ := r.values[i].(int64); return v }

// memoryTable commits batches and reads memories. Memories that are read repeatedly come from the file's cache, which
// follows the log.
type memoryTable struct {
	*file
	log changeLog
}

// Get is documented at [role.Store].
func (mt *memoryTable) Get(ctx context.Context, sc trilith.Scope, ids []trilith.ID) ([]trilith.Memory, error) {
	tenant, err := tenantOf(sc)
	if err != nil {
		return nil, err
	}
	var found []*stored
	err = mt.read(ctx, "sqlite.Get", func() error {
		found, _, err = mt.memories(ctx, tenant, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]trilith.Memory, 0, len(ids))
	var bad []trilith.ID
	for i, f := range found {
		switch {
		case f == nil:
		case f.broken:
			bad = append(bad, ids[i])
		case sc.SeesMemory(&f.memory):
			out = append(out, f.given())
		}
	}
	return out, damage("memory", bad)
}

// given returns the memory in a form that the caller may modify.
func (s *stored) given() trilith.Memory {
	if s.shared {
		return s.memory.Clone()
	}
	return s.memory
}

// A read of more memories than cachedIDs does not come from a recall, and bypasses the cache. If there were commits
// during cacheTries attempts, everything is read. A cache that is followedChanges behind is emptied.
const (
	cachedIDs       = 256
	cacheTries      = 2
	followedChanges = 1000
)

// follow brings the cache from a state to the end of the change log, which was seen at head.
func (cl *changeLog) follow(ctx context.Context, from cacheState, head int64) error {
	if head == from.head {
		return nil
	}
	var changed []role.Change
	if head > from.head && !cl.cache.empty() {
		var err error
		if changed, err = cl.changes(ctx, from.head, followedChanges); err != nil {
			return err
		}
	}
	if len(changed) == 0 || len(changed) == followedChanges {
		cl.cache.restart(from, head)
		return nil
	}
	end, err := sqlrows.ParseCursor(changed[len(changed)-1].Cursor)
	if err != nil {
		return err
	}
	cl.cache.follow(from, end, keysOf(changed))
	return nil
}

// keysOf returns the keys of the changed memories.
func keysOf(changes []role.Change) []memoryKey {
	keys := make([]memoryKey, len(changes))
	for i := range changes {
		keys[i] = memoryKey{changes[i].Tenant, changes[i].ID}
	}
	return keys
}

// restingFacts returns the facts that rest on episodes, once for each episode, with the end of the change log.
const restingFacts = "SELECT fact, (" + headQuery + ") FROM " + asked +
	" CROSS JOIN evidence ON tenant = ? AND episode = wanted"

// resting returns the facts in the scope that rest on any of the episodes, by ascending id, as of one state: it first
// reads their ids, which only the database knows, and then the facts that are not cached. ok is false if commits came
// in between repeatedly.
func (mt *memoryTable) resting(ctx context.Context, sc trilith.Scope, episodes []string) (
	facts []sqlrows.Row, ok bool, err error) {
	err = mt.read(ctx, "sqlite.List", func() error {
		for range cacheTries {
			var asOf int64
			rows, err := mt.queries.query(ctx, restingFacts, list(episodes), sc.Tenant)
			ids, err := scanRows(rows, err, func(row scanner) (id trilith.ID, err error) {
				err = row.Scan(&id, &asOf)
				return id, err
			})
			if ok = len(ids) == 0; ok || err != nil {
				return err
			}
			slices.Sort(ids)
			found, head, err := mt.memories(ctx, sc.Tenant, slices.Compact(ids))
			if err != nil {
				return err
			}
			if ok = head == asOf; !ok {
				continue
			}
			for _, f := range found {
				if f != nil && (f.broken || sc.SeesMemory(&f.memory)) {
					facts = append(facts, f.row())
				}
			}
			return nil
		}
		return nil
	})
	return facts, ok && err == nil, err
}

// memories returns the memories of ids as of one state, nil for one that does not exist, and the end of the change log
// in that state. It does not read cached ones again. The results must not be modified, see [stored.given].
func (mt *memoryTable) memories(ctx context.Context, tenant string, ids []trilith.ID) ([]*stored, int64, error) {
	for range cacheTries {
		if len(ids) > cachedIDs {
			break
		}
		found, of := mt.cache.pick(tenant, ids)
		read, head, err := mt.missing(ctx, tenant, ids, found)
		if err != nil {
			return nil, 0, err
		}
		if head == of.head {
			mt.cache.keep(of, tenant, read)
			return merged(found, read), head, nil
		}
		err = mt.log.follow(ctx, of, head)
		if err != nil || !slices.ContainsFunc(found, isKept) { // the result of one statement is of one state
			return read, head, err
		}
	}
	return mt.missing(ctx, tenant, ids, make([]*stored, len(ids)))
}

// missing reads the memories of ids that were not found, with one statement, together with the end of the change log.
func (mt *memoryTable) missing(ctx context.Context, tenant string, ids []trilith.ID, found []*stored) (
	read []*stored, head int64, err error) {
	var places []int
	var wanted []trilith.ID
	for i, id := range ids {
		if found[i] == nil {
			places, wanted = append(places, i), append(wanted, id)
		}
	}
	read = make([]*stored, len(ids))
	if len(wanted) == 0 {
		err = mt.queries.row(ctx, headQuery, nil, &head)
		return read, head, err
	}
	err = inLayouts(func(l *layout) error {
		rows, err := mt.queries.query(ctx, l.get, list(wanted), tenant)
		r := l.reader(1)
		return scanAll(rows, err, func(row scanner) error {
			if err := r.scan(row); err != nil {
				return err
			}
			at := r.number(l.count)
			if at < 0 {
				head = r.number(0)
				return nil
			}
			m, err := r.memory(l)
			read[places[at]] = &m
			return err
		})
	})
	return read, head, err
}

// Names are selected as one text with NULs between them, or as separate columns if one of them contains a NUL.
var (
	joinedNames = newLayout("concat_ws(char(0), "+nameColumns+")", 1)
	apartNames  = newLayout(nameColumns, nameCount)
)

var errNUL = errors.New("a name holds a NUL")

// inLayouts runs a query of memories so that every row can be read; it may call f twice.
func inLayouts(f func(*layout) error) error {
	err := f(joinedNames)
	if errors.Is(err, errNUL) {
		return f(apartNames)
	}
	return err
}

// reader returns a reader of rows with additional columns.
func (l *layout) reader(more int) *memoryReader {
	r := &memoryReader{values: make([]any, l.count+more), dest: make([]any, l.count+more)}
	for i := range r.values {
		r.dest[i] = &r.values[i]
	}
	return r
}

func (r *memoryReader) scan(row scanner) error { return row.Scan(r.dest...) }

// memory makes a memory from the scanned row.
func (r *memoryReader) memory(l *layout) (s stored, err error) {
	n, err := r.names(l)
	if err != nil {
		return s, err
	}
	rest, text := r.text(6), r.text(7)
	joined := r.text(plainCount)
	if l == apartNames {
		joined = strings.Join(n[:], "\x00")
	}
	sum := r.sum.memorySum(joined, r.number(1), r.number(2), r.number(3), r.values[4], r.values[5], rest, text)
	if !holds(r.values[8], withVersion(sum, r.number(0))) {
		return stored{memory: trilith.Memory{ID: trilith.ID(n[1])}, broken: true}, nil
	}
	// It takes memory for the structs, the texts, and decoded JSON.
	s.size = 1024 + len(text) + 2*len(rest)
	s.memory = trilith.Memory{Version: r.number(0), Seq: int(r.number(1)), EventTime: timeOf(r.number(2)),
		RecordedAt: timeOf(r.number(3)),
		ValidUntil: r.moment(4), SupersededAt: r.moment(5), Text: text,
		ID: trilith.ID(n[1]), Kind: trilith.Kind(n[2]), State: trilith.State(n[3]), Trust: trilith.Trust(n[4]),
		Scope: trilith.Scope{Tenant: n[0], Project: n[5], Domain: n[6], User: n[7], Agent: n[8], Session: n[9],
			Channel: n[10]},
		Role: trilith.Role(n[11]), Speaker: n[12], Type: n[13], SourceID: trilith.ID(n[14]), ExternalID: n[15],
		SupersededBy: trilith.ID(n[16])}
	m := &s.memory
	if rest != noMore {
		x, err := decodeMore(rest)
		if err != nil {
			return s, trilith.Errorf(trilith.Internal, "store: memory %s cannot be decoded: %w", m.ID, err)
		}
		m.Supersedes, m.SharedFrom, m.Tags, m.Metadata, m.Entry, m.Fact, m.ArchivedAt = x.Supersedes, x.SharedFrom,
			x.Tags, x.Metadata, x.Entry, x.Fact, x.ArchivedAt
		m.Summary = x.Summary
		m.OnClock(x.Offset)
	}
	return s, nil
}

const nameCount = 17

// names returns the names of a row; errNUL if they cannot be separated.
func (r *memoryReader) names(l *layout) (names [nameCount]string, err error) {
	if l == apartNames {
		for i := range names {
			names[i] = r.text(plainCount + i)
		}
		return names, nil
	}
	rest := r.text(plainCount)
	for i := range nameCount - 1 {
		var ok bool
		if names[i], rest, ok = strings.Cut(rest, "\x00"); !ok {
			return names, errNUL
		}
	}
	if strings.IndexByte(rest, 0) >= 0 {
		return names, errNUL
	}
	names[nameCount-1] = rest
	return names, nil
}

func (r *memoryReader) moment(i int) *time.Time {
	if r.values[i] == nil {
		return nil
	}
	return new(timeOf(r.number(i)))
}

// merged returns the non-nil elements of either list.
func merged(a, b []*stored) []*stored {
	for i := range a {
		a[i] = cmp.Or(a[i], b[i])
	}
	return a
}

func isKept(m *stored) bool { return m != nil }
