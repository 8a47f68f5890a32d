package embedded

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
)

// Every field that filters compare has one place in the table, and the place suits its type; the id is a place of its
// own.
func TestFieldsHavePlaces(t *testing.T) {
	t.Parallel()
	held := slices.Concat(columnFields[:], numberFields[:], extraFields[:], []string{"id"})
	if want := trilith.FilterFields(); !slices.Equal(slices.Sorted(slices.Values(held)), want) {
		t.Errorf("the table holds %q, want each of %q once", slices.Sorted(slices.Values(held)), want)
	}
	for _, name := range numberFields {
		if f, _ := trilith.FieldNamed(name); f.Type != trilith.ValueTime && f.Type != trilith.ValueNumber {
			t.Errorf("numberFields names %s, which is neither a number nor a time", name)
		}
	}
	for _, name := range extraFields {
		if f, _ := trilith.FieldNamed(name); f.Type != trilith.ValueText && name != "evidence" {
			t.Errorf("extraFields names %s, which is no text", name)
		}
	}
	for i, f := range (trilith.Scope{}).Fields() {
		if columnFields[i] != f.Name {
			t.Errorf("column %d is %s, want %s: the scope's stand first, in its order", i, columnFields[i], f.Name)
		}
	}
}
