package names_test

import (
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/names"
)

func TestPhone(t *testing.T) {
	t.Parallel()
	for want, writings := range map[string][]string{
		"+4930901820": {"+49 30 901820", "+4930901820", "0049 30 901820", "+49 (0)30 901820", "+49 (0) 30 / 90 18 20",
			"tel:+49-30-901820", "TEL: +49.30.901820", "0049 (0)30 901820",
			"+49\u00a030\u2009901820", "tel:+49-30-901820;ext=", "(+49) 30 901820", "+49–30–901820",
			" +49 30 90182 0 "},
		"+390612345":    {"+39 06 12345", "0039 06 12345"}, // of some countries the nought belongs to the number
		"+12125550100":  {"+1 (212) 555-0100", "001 212 555 0100", "tel:+1-212-555-0100"},
		"030901820":     {"030 901820", "(030) 901820", "030/901820"},
		"110":           {"110"},
		"+18005FLOWERS": {"+1 800 5FLOWERS"},
		"on request":    {"on request"},
	} {
		for _, s := range writings {
			if got := names.Phone(s); got != want {
				t.Errorf("Phone(%q) = %q, want %q", s, got, want)
			}
		}
	}
}

func TestMail(t *testing.T) {
	t.Parallel()
	for want, writings := range map[string][]string{
		"ana@example.com": {"ana@example.com", "Ana@Example.COM", "mailto:ana@example.com",
			"MAILTO:Ana@example.com?subject=Hello", "<ana@example.com>", "mailto:ana%40example.com"},
		"a%40b@example.com": {"a%40b@example.com"},
		"ana?x@example.com": {"ana?x@example.com"},
	} {
		for _, s := range writings {
			if got := names.Mail(s); got != want {
				t.Errorf("Mail(%q) = %q, want %q", s, got, want)
			}
		}
	}
}
