package postgres

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
)

// Every field that filters compare has a place in the row: a column of its name, or one in more.
func TestFieldsHaveColumns(t *testing.T) {
	t.Parallel()
	inMore := []string{"confidence", "requires_action", "action_deadline", "financial_amount"} // see [where.comparison]
	for _, f := range trilith.Fields() {
		_, ofFact := factTexts[f.Name]
		places := 0
		column := slices.Contains(facetColumns, columnOf(f.Name))
		for _, here := range []bool{column, ofFact, slices.Contains(inMore, f.Name)} {
			if here {
				places++
			}
		}
		if places != 1 {
			t.Errorf("%s has %d places, want one: a column of facetColumns, factTexts, or a case of where.comparison",
				f.Name, places)
		}
		if ofFact && (f.Type != trilith.ValueText || !f.OfFact) {
			t.Errorf("factTexts names %s, which is no text of facts", f.Name)
		}
	}
	for name := range factTexts {
		if _, ok := trilith.FieldNamed(name); !ok {
			t.Errorf("factTexts names %s, which is no field", name)
		}
	}
}
