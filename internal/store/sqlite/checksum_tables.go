package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// summed describes a table with checksums: how its rows are read in order, and how their sums are computed.
type summed struct {
	table   string
	key     []string // columns of the key, in order; the first ones
	columns string
	derived func(v []any) bool       // whether a row can be made again; nil: none
	sum     func(v []any) int64      // of the values of the columns
	name    func(v []any) trilith.ID // names the row for people
	sound   func(v []any) bool       // checks more than the sum; nil: nothing more
}

var sumTables = []summed{
	{table: "memories", key: []string{"change"},
		columns: "change, version, seq, event_time, recorded_at, valid_until, superseded_at, more, text, " +
			nameColumns + ", " + copiedColumns,
		sum: sumOfMemory, name: func(v []any) trilith.ID { return trilith.ID(textAt(v, memoryNames+1)) },
		sound: func(v []any) bool { _, ok := copiesOf(v); return ok && utf8.ValidString(textAt(v, 8)) }},
	{table: "deletions", key: []string{"change"}, columns: "change, tenant, id, version",
		sum:  func(v []any) int64 { return sumOfDeletion(textAt(v, 1), textAt(v, 2), numberAt(v, 3), numberAt(v, 0)) },
		name: func(v []any) trilith.ID { return trilith.ID(textAt(v, 2)) }},
	{table: "records", key: []string{"tenant", "kind", "id"}, columns: "tenant, kind, id, version, body",
		sum: func(v []any) int64 {
			return sumOfRecord(textAt(v, 0), textAt(v, 1), textAt(v, 2), numberAt(v, 3), unpackBody(bytesAt(v, 4)))
		},
		derived: func(v []any) bool { return role.RecordKind(textAt(v, 1)).Derived() },
		name:    func(v []any) trilith.ID { return trilith.ID(textAt(v, 1) + " " + textAt(v, 2)) },
		sound:   func(v []any) bool { return json.Valid(unpackBody(bytesAt(v, 4))) }},
	{table: "claims", key: []string{"tenant", "space", "value"}, columns: "tenant, space, value, owner",
		sum: func(v []any) int64 {
			return sumOfClaim(textAt(v, 0), textAt(v, 1), longText(v[2]), longText(v[3]))
		},
		// the name leaves the value out, because it may be a person's words
		name: func(v []any) trilith.ID { return trilith.ID("of " + longText(v[3])) }},
	{table: "jobs", key: []string{"tenant", "id"}, columns: "tenant, id, kind, payload, request_id, created_at, state",
		sum: func(v []any) int64 {
			return sumOfJob(textAt(v, 0), textAt(v, 1), textAt(v, 2), textAt(v, 4), numberAt(v, 5), bytesAt(v, 3))
		},
		name: func(v []any) trilith.ID { return trilith.ID(textAt(v, 1)) },
		sound: func(v []any) bool {
			return slices.Contains([]trilith.JobState{trilith.JobReady, trilith.JobDone, trilith.JobDead},
				trilith.JobState(textAt(v, 6)))
		}},
	{table: "blobs", key: []string{"rowid"}, columns: "rowid, space, tenant, id, data", derived: always,
		sum:  func(v []any) int64 { return sumOfBlob(textAt(v, 1), textAt(v, 2), textAt(v, 3), bytesAt(v, 4)) },
		name: func(v []any) trilith.ID { return trilith.ID(textAt(v, 1) + " " + textAt(v, 3)) }},
	{table: "embeddings", key: []string{"seq"}, columns: "seq, tenant, memory, generation, hash, cut, vector",
		derived: always,
		sum: func(v []any) int64 {
			return sumOfEmbedding(textAt(v, 1), textAt(v, 2), textAt(v, 3), textAt(v, 4), numberAt(v, 5) != 0,
				bytesAt(v, 6))
		},
		name: func(v []any) trilith.ID { return trilith.ID(textAt(v, 2)) }},
}

func always([]any) bool { return true }

func bytesAt(v []any, i int) []byte { b, _ := v[i].([]byte); return b }

const (
	copiedColumns = "entity_id, verb, fact_id, entity_ref" // they repeat fields of the column more
	memoryNames   = 9                                      // position of the first name among the columns of a memory
	memoryCopies  = memoryNames + nameCount
)

func sumOfMemory(v []any) int64 {
	names := make([]string, nameCount)
	for i := range names {
		names[i] = textAt(v, memoryNames+i)
	}
	sum := new(rowSum).memorySum(strings.Join(names, "\x00"), numberAt(v, 2), numberAt(v, 3), numberAt(v, 4), v[5],
		v[6], textAt(v, 7), textAt(v, 8))
	return withVersion(sum, numberAt(v, 1))
}

// fingerprint identifies a set of rows, whatever their order.
type fingerprint struct {
	rows int
	sum  uint64
}

func (f *fingerprint) add(parts ...string) {
	r := sumOf("row")
	for _, p := range parts {
		r.text(p)
	}
	f.rows++
	f.sum += uint64(r.crc())<<32 | uint64(crc32.ChecksumIEEE(r.b))
}

// Sums checks the sums of all rows, and the columns and tables that repeat parts of rows.
func (u *upkeep) Sums(ctx context.Context) (out trilith.Sums, err error) {
	err = u.read(ctx, "sqlite.Sums", func() error {
		t, err := u.readers.BeginTx(ctx, nil) // one state of the file
		if err != nil {
			return err
		}
		defer t.Rollback()
		out, err = checkSums(ctx, t)
		return err
	})
	return out, err
}

// namedRows is the largest number of damaged rows that are named.
const namedRows = 20

// checkSums checks the sums of all rows, and the columns and tables that repeat parts of rows.
func checkSums(ctx context.Context, db querier) (trilith.Sums, error) {
	out := trilith.Sums{Damaged: map[string]int{}}
	query := func(query string, args ...any) (*sql.Rows, error) { return db.QueryContext(ctx, query, args...) }
	var evidence fingerprint // of the evidence of facts, as the facts state it
	for i := range sumTables {
		s := &sumTables[i]
		err := s.rows(query, "", nil, func(v []any) error {
			bad := !holds(v[len(v)-1], s.sum(v))
			switch {
			case bad && s.derived != nil && s.derived(v):
				out.Derived++
			case bad:
				out.Damaged[s.table]++
			default:
				out.Rows++
			}
			if !bad && s.sound != nil && !s.sound(v) {
				bad = true
				out.Copies++
			}
			if bad && len(out.Named) < namedRows {
				out.Named = append(out.Named, fmt.Sprintf("%s %.100q", s.table, string(s.name(v))))
			}
			if s.table == "memories" {
				evidence.addFact(v)
			}
			return ctx.Err()
		})
		if err != nil {
			return out, err
		}
	}
	marked, err := fingerprintOf(query, "SELECT DISTINCT tenant, mark, id FROM marked")
	if err != nil {
		return out, err
	}
	for _, listed := range []struct {
		table, rows string
		want        fingerprint
	}{
		{"evidence", "SELECT tenant, episode, fact FROM evidence", evidence},
		{"marks", "SELECT tenant, mark, memory FROM marks", marked},
	} {
		have, err := fingerprintOf(query, listed.rows)
		if err != nil {
			return out, err
		}
		if have != listed.want {
			out.Copies++
			out.Named = append(out.Named, listed.table)
		}
	}
	return out, nil
}

// addFact adds the evidence of a fact, as the trigger of the table of evidence does.
func (f *fingerprint) addFact(v []any) {
	fact, _ := copiesOf(v)
	if fact == nil || trilith.Kind(textAt(v, memoryNames+2)) != trilith.KindFact {
		return
	}
	var episodes []trilith.ID
	for _, e := range fact.Evidence {
		episodes = append(episodes, e.Episodes()...)
	}
	slices.Sort(episodes)
	for _, episode := range slices.Compact(episodes) {
		f.add(textAt(v, memoryNames), string(episode), textAt(v, memoryNames+1))
	}
}

// copiesOf returns the fact in a memory's row, nil for none, and whether the columns that repeat its fields agree.
func copiesOf(v []any) (*trilith.Fact, bool) {
	var x more
	if rest := textAt(v, 7); rest != noMore {
		var err error
		if x, err = decodeMore(rest); err != nil {
			return nil, false
		}
	}
	f := x.Fact
	if f == nil {
		f = &trilith.Fact{}
	}
	for i, want := range []string{string(f.EntityID), f.Verb, f.FactID, string(f.Node.EntityRef)} {
		if textAt(v, memoryCopies+i) != want {
			return x.Fact, false
		}
	}
	return x.Fact, true
}

// fingerprintOf reads the rows of a query, three texts each.
func fingerprintOf(query func(query string, args ...any) (*sql.Rows, error), text string) (f fingerprint, err error) {
	rows, err := query(text)
	err = scanAll(rows, err, func(row scanner) error {
		var a, b, c string
		err := row.Scan(&a, &b, &c)
		f.add(a, b, c)
		return err
	})
	return f, err
}

// Repair takes away derived data with wrong sums, and returns of how many rows: it is rebuilt from the truth.
// If such a row is part of a unit, it deletes the whole unit.
func (u *upkeep) Repair(ctx context.Context) (n int, err error) {
	err = u.write(ctx, "sqlite.Repair", groupRows, func(t *tx) error {
		n = 0
		for i := range sumTables {
			table := &sumTables[i]
			if table.derived == nil {
				continue
			}
			var keys [][]any
			spaces := map[string]bool{}
			if err := table.rows(t.query, "", nil, func(v []any) error {
				if !holds(v[len(v)-1], table.sum(v)) && table.derived(v) {
					keys = append(keys, slices.Clone(v[:len(table.key)+1]))
					if table.table == "blobs" && !isID(textAt(v, 3)) {
						spaces[textAt(v, 1)] = true
					}
				}
				return nil
			}); err != nil {
				return err
			}
			for _, key := range keys {
				if err := t.replace(table, key); err != nil {
					return err
				}
			}
			for space := range spaces {
				if err := t.exec("DELETE FROM blobs WHERE space = ?", space); err != nil {
					return err
				}
			}
			n += len(keys)
		}
		return nil
	})
	return n, err
}

// rows reads rows of the table after a key, nil for the first ones, with their sums at the end, until f fails.
func (s *summed) rows(query func(query string, args ...any) (*sql.Rows, error), more string, behind []any,
	f func(v []any) error) error {
	key := strings.Join(s.key, ", ")
	text := "SELECT " + s.columns + ", sum FROM " + s.table
	if behind != nil {
		text += " WHERE (" + key + ") > (" + strings.Join(slices.Repeat([]string{"?"}, len(s.key)), ", ") + ")"
	}
	values := make([]any, strings.Count(s.columns, ",")+2)
	dest := make([]any, len(values))
	for i := range values {
		dest[i] = &values[i]
	}
	rows, err := query(text+" ORDER BY "+key+more, behind...)
	return scanAll(rows, err, func(row scanner) error {
		if err := row.Scan(dest...); err != nil {
			return err
		}
		return f(values)
	})
}

func isID(s string) bool { return trilith.ID(s).Validate() == nil }

// replace deletes a damaged row. A record stays, with nothing in its body: that there is one says something too.
func (t *tx) replace(table *summed, v []any) error {
	if table.table != "records" {
		return t.exec("DELETE FROM "+table.table+" WHERE "+table.key[0]+" = ?", v[0])
	}
	tenant, kind, id, version := textAt(v, 0), textAt(v, 1), textAt(v, 2), numberAt(v, 3)
	return t.exec("UPDATE records SET body = ?, sum = ? WHERE tenant = ? AND kind = ? AND id = ?", []byte(noBody),
		sumOfRecord(tenant, kind, id, version, []byte(noBody)), tenant, kind, id)
}

func textAt(v []any, i int) string { s, _ := v[i].(string); return s }

func numberAt(v []any, i int) int64 { n, _ := v[i].(int64); return n }
