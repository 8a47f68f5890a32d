package quality

import (
	"bufio"
	"cmp"
	"encoding/json"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/trilith-memory/trilith"
)

// Young writes a set of young memories that is made of another one: each question is asked in a conversation of its own
// that holds no more than so many turns, its evidence and others of the conversation. Those others are the same in
// every run. With a role only turns of that role count as evidence and are taken. Questions without evidence, and those
// with more than fits, are left out.
func Young(dir, to string, turns int, role trilith.Role) error {
	set, err := LoadSet(dir)
	if err != nil {
		return err
	}
	docs, err := objects(dir, DocsFile)
	if err != nil {
		return err
	}
	asked, err := objects(dir, QueriesFile)
	if err != nil {
		return err
	}
	roles := map[string]trilith.Role{}
	groups := map[string][]int{} // places of the turns that may be taken
	for i, d := range set.Docs {
		roles[d.ID] = d.Role
		if role == "" || d.Role == role {
			groups[d.Group] = append(groups[d.Group], i)
		}
	}
	var youngDocs, youngQueries []map[string]any
	for i, q := range set.Queries {
		evidence := EvidenceOf(q, role, roles)
		if len(evidence) == 0 || len(evidence) > turns {
			continue
		}
		within := func(of any) string { name, _ := of.(string); return q.ID + "/" + name }
		for _, at := range sample(set.Docs, groups[q.Group], q.ID, evidence, turns) {
			doc := make(map[string]any, len(docs[at]))
			for member, value := range docs[at] {
				doc[member] = value
			}
			doc["id"], doc["group"], doc["session"] = within(set.Docs[at].ID), q.ID, within(docs[at]["session"])
			youngDocs = append(youngDocs, doc)
		}
		for n, id := range evidence {
			evidence[n] = within(id)
		}
		query := asked[i]
		query["id"], query["group"], query["evidence"] = q.ID, q.ID, evidence
		youngQueries = append(youngQueries, query)
	}
	if len(youngQueries) == 0 {
		return trilith.Errorf(trilith.Invalid, "young: no question of %s has its evidence in %d turns", set.Name, turns)
	}
	if err := writeObjects(filepath.Join(to, DocsFile), youngDocs); err != nil {
		return err
	}
	return writeObjects(filepath.Join(to, QueriesFile), youngQueries)
}

// sample chooses turns of a conversation, given by their places: the evidence and so many others that they are turns in
// all, in the order in which they were said.
func sample(docs []Doc, of []int, question string, evidence []string, turns int) []int {
	chance := func(at int) uint64 {
		if slices.Contains(evidence, docs[at].ID) {
			return 0
		}
		h := fnv.New64a()
		io.WriteString(h, question+"\x00"+docs[at].ID)
		return h.Sum64()
	}
	order := make(map[int]uint64, len(of))
	for _, at := range of {
		order[at] = chance(at)
	}
	chosen := slices.Clone(of)
	slices.SortFunc(chosen, func(a, b int) int { return cmp.Or(cmp.Compare(order[a], order[b]), cmp.Compare(a, b)) })
	chosen = chosen[:min(turns, len(chosen))]
	slices.Sort(chosen)
	return chosen
}

// objects reads a file of a set whole, in the order of its lines.
func objects(dir, name string) ([]map[string]any, error) {
	var out []map[string]any
	err := readLines(dir, name, io.Discard, func(_ int, v map[string]any) error {
		out = append(out, v)
		return nil
	})
	return out, err
}

func writeObjects(path string, objects []map[string]any) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	lines := json.NewEncoder(w)
	for _, o := range objects {
		if err == nil {
			err = lines.Encode(o)
		}
	}
	return cmp.Or(err, w.Flush(), f.Close())
}
