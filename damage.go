package trilith

import (
	"fmt"
	"strings"
)

// Damaged names stored rows that are damaged: the checksum of their content is wrong. Their content is never returned
// to a caller. [errors.AsType] finds it in an error of kind [Internal].
type Damaged struct {
	What string // the type of the rows: memory, record of a kind, claim
	IDs  []ID   // as stored in the rows, so they may be damaged themselves
}

// namedDamage bounds how many rows a message names.
const namedDamage = 10

// Error names the rows and the fix. It contains nothing else of them.
func (d *Damaged) Error() string {
	names := make([]string, 0, namedDamage)
	for _, id := range d.IDs[:min(len(d.IDs), namedDamage)] {
		names = append(names, fmt.Sprintf("%.64q", string(id)))
	}
	more := ""
	if n := len(d.IDs) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%s %s%s: the stored row is damaged, its checksum does not hold; `trilith doctor` names all such rows, `trilith restore` brings back a backup, `trilith export --skip-damaged` saves the others",
		d.What, strings.Join(names, ", "), more)
}

// Sums is the result of checking the checksums of all rows of a store.
type Sums struct {
	Rows    int            // that agree with theirs
	Damaged map[string]int // number of damaged rows, by type
	Named   []string       // the first of them
	Derived int            // rows that can be rebuilt from the truth: vectors, index snapshots, embedding cache
	Copies  int            // rows whose columns or list of evidence do not match their content
}
