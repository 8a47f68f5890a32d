package inmem

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// change is a [role.Change] with its number.
type change struct {
	seq     int64
	tenant  string
	id      trilith.ID
	version int64
	deleted bool
}

type subject struct {
	tenant string
	id     trilith.ID
}

// changeLog keeps changes by ascending number: the newest of every memory, and older ones until they outnumber those.
type changeLog struct {
	changes []change
	newest  map[subject]int64
	last    int64
}

// minLog is the length below which sweeping out older changes is not worth it.
const minLog = 1024

func (l *changeLog) add(c change) {
	if l.newest == nil {
		l.newest = make(map[subject]int64)
	}
	l.last++
	c.seq = l.last
	l.newest[subject{c.tenant, c.id}] = c.seq
	l.changes = append(l.changes, c)
	if len(l.changes) > minLog && len(l.changes) > 2*len(l.newest) {
		l.changes = slices.DeleteFunc(
			l.changes, func(c change) bool { return l.newest[subject{c.tenant, c.id}] != c.seq })
	}
}

// after returns up to limit changes behind the number; 0 means no limit.
func (l *changeLog) after(seq int64, limit int) []change {
	n, _ := slices.BinarySearchFunc(l.changes, seq+1, func(c change, seq int64) int { return cmp.Compare(c.seq, seq) })
	rest := l.changes[n:]
	if limit > 0 && limit < len(rest) {
		rest = rest[:limit]
	}
	return rest
}

func (l *changeLog) head() trilith.Cursor { return cursor(l.last) }

// cursor writes a number so that it compares as a string; 0 is the beginning.
func cursor(seq int64) trilith.Cursor {
	if seq == 0 {
		return ""
	}
	return trilith.Cursor(fmt.Sprintf("%016x", seq))
}

func parseCursor(c trilith.Cursor) (int64, error) {
	if c == "" {
		return 0, nil
	}
	seq, err := strconv.ParseInt(string(c), 16, 64)
	if err != nil || cursor(seq) != c {
		return 0, trilith.Errorf(trilith.Invalid, "cursor: %.32q does not belong to this store", string(c))
	}
	return seq, nil
}

// shardOf returns the shard in which the tenant's changes lie.
func (s *Store) shardOf(tenant string) int {
	h := fnv.New32a()
	h.Write([]byte(tenant))
	return int(h.Sum32() % uint32(len(s.logs)))
}

func (s *Store) checkShard(sys trilith.System, shard int) error {
	if err := sys.Validate(); err != nil {
		return err
	}
	if shard < 0 || shard >= len(s.logs) {
		return trilith.Errorf(trilith.Invalid, "shard: %d does not exist, the last of the log is %d", shard, len(s.logs)-1)
	}
	return nil
}

// Changes implements [role.Log]. A limit of 0 means none.
func (s *Store) Changes(ctx context.Context, sys trilith.System, shard int, after trilith.Cursor, limit int) (
	[]role.Change, trilith.Cursor, error) {
	next := after
	out, err := do(ctx, s, "Changes", s.mu.RLocker(), func() ([]role.Change, error) {
		if err := s.checkShard(sys, shard); err != nil {
			return nil, err
		}
		seq, err := parseCursor(after)
		if err != nil {
			return nil, err
		}
		var out []role.Change
		for _, c := range s.logs[shard].after(seq, limit) {
			next = cursor(c.seq)
			out = append(out, role.Change{Cursor: next, Tenant: c.tenant, ID: c.id, Version: c.version,
				Deleted: c.deleted})
		}
		return out, nil
	})
	if err != nil {
		return nil, after, err
	}
	return out, next, nil
}

// Head implements [role.Log].
func (s *Store) Head(ctx context.Context, sys trilith.System, shard int) (trilith.Cursor, error) {
	return do(ctx, s, "Head", s.mu.RLocker(), func() (trilith.Cursor, error) {
		if err := s.checkShard(sys, shard); err != nil {
			return "", err
		}
		return s.logs[shard].head(), nil
	})
}

// Shards implements [role.Log].
func (s *Store) Shards() int { return s.shards }

// Audit implements [role.Log]. A limit of 0 means none.
func (s *Store) Audit(ctx context.Context, sc trilith.Scope, after int64, limit int) ([]trilith.AuditEntry, error) {
	return do(ctx, s, "Audit", s.mu.RLocker(), func() ([]trilith.AuditEntry, error) {
		if err := sc.Validate(); err != nil {
			return nil, err
		}
		rest := s.readable(sc.Tenant).audit
		rest = rest[min(max(after, 0), int64(len(rest))):] // entry n lies at n-1
		if limit > 0 && limit < len(rest) {
			rest = rest[:limit]
		}
		out := slices.Clone(rest)
		for i := range out {
			out[i].Detail = maps.Clone(out[i].Detail)
		}
		return out, nil
	})
}

// Tenants implements [role.Log].
func (s *Store) Tenants(ctx context.Context, sys trilith.System) ([]string, error) {
	return do(ctx, s, "Tenants", s.mu.RLocker(), func() ([]string, error) {
		if err := sys.Validate(); err != nil {
			return nil, err
		}
		var out []string
		for name, p := range s.tenants {
			if name != trilith.SystemTenant && p.holdsAnything() {
				out = append(out, name)
			}
		}
		slices.Sort(out)
		return out, nil
	})
}

func (p *partition) holdsAnything() bool {
	if p.memories.len() > 0 {
		return true
	}
	for _, kind := range p.records {
		if kind.len() > 0 {
			return true
		}
	}
	return false
}
