package retrieve

import "testing"

func TestKin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		kin  bool
	}{
		{"handynummer", "nummer", true},
		{"monatsmiete", "miete", true},
		{"sprachkurs", "sprach", true},
		{"professional", "profess", true},
		{"erledigung", "erledigen", true},
		{"lieblingslektüre", "lektüre", true},
		{"schöne", "öne", false}, // too short for a part
		{"stand", "tand", false}, // what is left over is no word
		{"miete", "mietwagen", false},
		{"company", "complain", false},
		{"2024", "12024", false}, // numbers have no parts
		{"", "miete", false},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := kin(pair[:1], pair[1]); got != c.kin {
				t.Errorf("kin(%q, %q) = %t, want %t", pair[0], pair[1], got, c.kin)
			}
		}
	}
}
