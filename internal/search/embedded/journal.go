package embedded

import (
	"crypto/rand"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// blobGet and blobPut read and write blobs in a change; see [role.Blobs].
type (
	blobGet = func(space, id string) ([]byte, error)
	blobPut = func(space, id string, data []byte) error
)

// journal is a row that names the points whose state in a snapshot may be outdated. It is written with the points, and
// deleted with the snapshot. Its id is unique, so its deletion concerns only the changes that it names.
type journal struct {
	id      string
	data    []byte
	changes int
	written []string // keys of the generations that it was written for
}

func newJournal(ids []trilith.ID) *journal {
	j := &journal{id: keptJournal + rand.Text(), changes: len(ids)}
	j.data = packed.AppendUint(nil, uint64(len(ids)))
	for _, id := range ids {
		j.data = appendShort(j.data, string(id))
	}
	return j
}

// put writes the journal for a generation that has a snapshot, or a part of one.
func (j *journal) put(key string, get blobGet, put blobPut) error {
	head, err := get(keptSpaceOf(key), keptHead)
	if err != nil || head == nil {
		return err
	}
	j.written = append(j.written, key)
	return put(keptSpaceOf(key), j.id, j.data)
}

// readJournal adds the ids that a journal names to a set.
func readJournal(data []byte, to map[trilith.ID]bool) bool {
	r := packed.Read(string(data))
	for range r.Count(1) {
		to[trilith.ID(shortFrom(r))] = true
	}
	return !r.Failed() && r.Rest() == ""
}

// note records a written journal in the partitions that are in memory, which know the changes. The caller is the
// tenant's only writer.
func (t *tenantVectors) note(j *journal) {
	for _, key := range j.written {
		if pt := t.byKey[key]; pt != nil {
			pt.kept.journal = append(pt.kept.journal, j.id)
		} else {
			t.behind[key] += j.changes
		}
	}
}
