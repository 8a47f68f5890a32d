package money

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAbout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string // with one | before the amount and one behind it
		want Matter
	}{
		{"Invoice 4411 from Roof & Co is |$6,400.50|.", Matter{Number: "4411", Party: "Roof & Co"}},
		{"Invoice no. 12/26 by Holz Meyer GmbH over |1,200 EUR|", Matter{Number: "12/26", Party: "Holz Meyer GmbH"}},
		{"The budget for phase 2 is |40,000 EUR|.", Matter{Part: "phase 2"}},
		{"Keller offers |14,000 EUR| for lot B.", Matter{Party: "Keller", Part: "lot B"}},
		{"Change order 7 adds |3,100 EUR|", Matter{Number: "7"}},
		{"Huber billed 1,200 EUR for phase 1 and |1,500 EUR| for phase 2", Matter{Party: "Huber", Part: "phase 2"}},
		{"Rechnung Nr. 77 von Huber über |2.180 Euro| ist da", Matter{Number: "77", Party: "Huber"}},
		{"Der Nachtrag 3 der Firma Lorenz kostet |900 €|", Matter{Number: "3", Party: "Lorenz"}},
		{"Meyer verlangt |900 €| für Los 4", Matter{Party: "Meyer", Part: "los 4"}},
		{"Invoice 11 from Huber is |1,200 EUR|, invoice 12 from Meyer is ", Matter{Number: "11", Party: "Huber"}},
		{"Invoice 11 from Huber is 1,200 EUR, invoice 12 from Meyer is |900 EUR| and ",
			Matter{Number: "12", Party: "Meyer"}},
		{"We owe |1,200 EUR| (invoice 11)", Matter{Number: "11"}},
		{"Three invoices of |1,200 EUR| came", Matter{}},
		{"We paid Studio Nord |800 EUR|", Matter{Party: "Studio Nord"}},
		{"On Monday we got an invoice over |800 EUR|", Matter{}},
		{"The quote from Monday was |800 EUR|", Matter{}},
		{"The kitchen costs |12,000 EUR|", Matter{}},
	} {
		parts := splitAt(c.text)
		if diff := cmp.Diff(c.want, About(parts[0], parts[2])); diff != "" {
			t.Errorf("About(%q) differs (-want +got):\n%s", c.text, diff)
		}
	}
}

func splitAt(s string) (parts [3]string) {
	n := 0
	for _, r := range s {
		if r == '|' {
			n++
			continue
		}
		parts[n] += string(r)
	}
	return parts
}
