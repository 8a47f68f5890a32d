package sqlite

import (
	"slices"
	"testing"

	"github.com/trilith-memory/trilith"
)

// The columns that filters compare are fields of their type, and exist in the table; fields without a column are known
// to have none.
func TestFieldsHaveColumns(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	rows, err := s.readers.QueryContext(t.Context(), "SELECT name FROM pragma_table_info('memories')")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var columns []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	// For these fields only the matcher decides, by marks or by the rest of the row.
	without := []string{"shared_from", "category", "title", "certainty", "author_role", "currency", "financial_type",
		"financial_category"}
	for _, f := range trilith.Fields() {
		switch _, inFact := factTexts[f.Name]; {
		case f.Type == trilith.ValueText:
			places := 0
			for _, here := range []bool{inFact, textColumns[f.Name], slices.Contains(without, f.Name)} {
				if here {
					places++
				}
			}
			if places != 1 {
				t.Errorf("the text %s is none or several of: in textColumns, in factTexts, without a column", f.Name)
			}
		case inFact || textColumns[f.Name]:
			t.Errorf("textColumns or factTexts names %s, which is no text", f.Name)
		}
		if (textColumns[f.Name] || f.Type == trilith.ValueTime && !f.OfFact) && !slices.Contains(columns, f.Name) {
			t.Errorf("the table of memories has no column %s, only %q", f.Name, columns)
		}
	}
	for name := range textColumns {
		if _, ok := trilith.FieldNamed(name); !ok {
			t.Errorf("textColumns names %s, which is no field", name)
		}
	}
}
