package sqlite

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/trilith-memory/trilith"
)

// Each row holds a checksum over its values, its table and its key, so that a row cannot pass for another. The writing
// process makes it from the bound values, and readers compare it with the values that they read: so it covers
// everything between, which is pages, SQLite's memory and the disk.
//
// CRC-32C finds every change of up to 32 bits in a row, and of longer ones all but one in four thousand million; the
// machine has an instruction for it. A cryptographic hash would find no more: an attacker who can write to the file can
// also write the hash. It does not find that a whole row, or a whole page, is as it was at an earlier time.
//
// It does not cover the progress of a job (attempts, leases, times); the columns of a memory that repeat the column
// more, and the table of evidence, which the doctor compares with the row; and the audit, which has a chain of hashes.
type rowSum struct{ b []byte }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// begin starts the sum of a new row.
func (r *rowSum) begin(table string) *rowSum {
	r.b = r.b[:0]
	return r.text(table)
}

func (r *rowSum) text(s string) *rowSum {
	r.b = append(binary.AppendUvarint(r.b, uint64(len(s))), s...)
	return r
}

func (r *rowSum) number(n int64) *rowSum {
	r.b = binary.LittleEndian.AppendUint64(r.b, uint64(n))
	return r
}

// holds compares the stored sum of a row with the sum of its values.
func holds(stored any, sum int64) bool {
	n, ok := stored.(int64)
	return ok && n == sum
}

// The sums of the tables, except memories: see memorySum.

func sumOfDeletion(tenant, id string, version, change int64) int64 {
	return sumOf("deletions").text(tenant).text(id).number(version).number(change).column()
}

func sumOfRecord(tenant, kind, id string, version int64, body []byte) int64 {
	return sumOf("records").text(tenant).text(kind).text(id).number(version).over(body)
}

func sumOfClaim(tenant, space, value, owner string) int64 {
	return sumOf("claims").text(tenant).text(space).text(value).text(owner).column()
}

func (r *rowSum) column() int64 { return column(r.crc()) }

func sumOfJob(tenant, id, kind, request string, created int64, payload []byte) int64 {
	return sumOf("jobs").text(tenant).text(id).text(kind).text(request).number(created).over(payload)
}

func sumOfBlob(space, tenant, id string, data []byte) int64 {
	return sumOf("blobs").text(space).text(tenant).text(id).over(data)
}

func sumOfEmbedding(tenant, memory, generation, hash string, cut bool, vector []byte) int64 {
	n := int64(0)
	if cut {
		n = 1
	}
	return sumOf("embeddings").text(tenant).text(memory).text(generation).text(hash).number(n).over(vector)
}

// over adds data at the end without copying it.
func (r *rowSum) over(data []byte) int64 { return column(crc32.Update(r.crc(), castagnoli, data)) }

func sumOf(table string) *rowSum { return new(rowSum).begin(table) }

// memorySum returns the checksum of a memory without its version, which the writer decides: see [withVersion].
func (r *rowSum) memorySum(names string, seq, event, recorded int64, until, superseded any, more, text string) uint32 {
	const numbers = 80 // bytes of numbers and lengths
	r.b = slices.Grow(r.b[:0], len(names)+len(more)+len(text)+numbers)
	return r.begin("memories").text(names).number(seq).number(event).number(recorded).optional(until).optional(
		superseded).text(more).text(text).crc()
}

func (r *rowSum) crc() uint32 { return crc32.Checksum(r.b, castagnoli) }

// optional adds a number that may be NULL, in SQLite's form.
func (r *rowSum) optional(v any) *rowSum {
	n, ok := v.(int64)
	if !ok {
		r.b = append(r.b, 0)
		return r
	}
	r.b = append(r.b, 1)
	return r.number(n)
}

func withVersion(crc uint32, version int64) int64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(version))
	return column(crc32.Update(crc, castagnoli, b[:]))
}

// column returns the sum in the form of the column: four bytes in the file.
func column(crc uint32) int64 { return int64(int32(crc)) }

// damage returns the error for rows with wrong sums; nil for none.
func damage(what string, ids []trilith.ID) error {
	if len(ids) == 0 {
		return nil
	}
	return trilith.WrapError(trilith.Internal, "", fmt.Errorf("store: %w", &trilith.Damaged{What: what, IDs: ids}))
}
