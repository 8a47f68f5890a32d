package reconcile

import (
	"maps"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Sums of money have an identity of their own: two invoices of one amount are two, and one invoice has one amount. The
// content distinguishes them: number, counterparty, item, phase.

// papers are the verbs of sums on a document that exists once. Payments are not among them: an invoice may have
// several.
var papers = map[string]bool{"has_invoice": true, "has_quote": true, "has_estimate": true, "has_change_order": true}

// Papers lists them, in order.
func Papers() []string { return slices.Sorted(maps.Keys(papers)) }

// rivals reports whether two values of one verb cannot both hold: the verb is single-valued, or they are two amounts on
// one document. A budget for everything does not conflict with one for a part.
func rivals(a, b *trilith.Fact) bool {
	switch {
	case a.Foreign() || b.Foreign():
		return inSentence(a, b) || inSentence(b, a)
	case a.Verb == "has_budget" && detail(a, "item") != detail(b, "item"):
		return false
	}
	return a.SingleValued || b.SingleValued || samePaper(a, b) || otherDiet(a, b)
}

// inSentence reports whether a sum is on the paper that an imported sentence tells of: the sentence names the number,
// or else the party and the purpose of the sum.
func inSentence(sentence, sum *trilith.Fact) bool {
	if !sentence.Foreign() || sum.Financial == nil || !papers[sum.Verb] || verbOf(sentence) != sum.Verb ||
		sum.Financial.Currency != sentence.Financial.Currency && sentence.Financial.Currency != "" {
		return false
	}
	words := terms(sentence.Evidence[0].Says + " " + sentence.Financial.Category)
	names := func(key string) bool { return within(terms(detail(sum, key)), words) }
	may := func(key string) bool { return detail(sum, key) == "" || names(key) }
	if numbered(sum.Verb) || detail(sum, "number") != "" {
		return names("number")
	}
	return names("item") && may("phase") && (names("counterparty") || sum.Verb == "has_estimate" && may("counterparty"))
}

// verbOf returns the verb of a fact; of a sum that was imported as a sentence that of such sums.
func verbOf(x *trilith.Fact) string {
	if x.Foreign() && x.Financial != nil && papers["has_"+x.Financial.Type] {
		return "has_" + x.Financial.Type
	}
	return x.Verb
}

// samePaper reports whether two sums of one verb are on one paper. A statement that names a paper without a sum, to
// say that it is settled, may leave out the number.
func samePaper(a, b *trilith.Fact) bool {
	if a.Verb != b.Verb || !papers[a.Verb] || !fits(a, b, "counterparty") && !sameParty(a, b) || !fits(a, b, "number") {
		return false
	}
	named := func(key string) bool {
		return detail(a, key) != "" && detail(a, key) == detail(b, key) || key == "counterparty" && sameParty(a, b)
	}
	switch {
	case a.Financial == nil || b.Financial == nil:
		return named("number") || named("counterparty")
	case numbered(a.Verb) || detail(a, "number") != detail(b, "number"):
		return named("number")
	}
	return named("number") || detail(a, "item") == detail(b, "item") && detail(a, "phase") == detail(b, "phase") &&
		(named("counterparty") || a.Verb == "has_estimate" && named("item") && detail(a, "counterparty")+detail(b, "counterparty") == "")
}

// fits reports whether two details may belong to one matter: they are equal, or one is missing.
func fits(a, b *trilith.Fact, key string) bool {
	x, y := detail(a, key), detail(b, key)
	return x == y || x == "" || y == ""
}

// sameParty reports whether two sums name one party: equally, or one with all words of the other, as Aumann and Aumann
// GmbH.
func sameParty(a, b *trilith.Fact) bool {
	x, y := strings.Fields(detail(a, "counterparty")), strings.Fields(detail(b, "counterparty"))
	return len(x) > 0 && len(y) > 0 && (holdsAll(x, y) || holdsAll(y, x))
}

// detail returns an entry of the content in the form for comparison.
func detail(x *trilith.Fact, key string) string {
	s, _ := x.Content[key].(string)
	return strings.Join(strings.Fields(textproc.Fold(s)), " ")
}

// numbered reports whether only its number says which paper a sum is on, because there may be several about one matter.
func numbered(verb string) bool { return verb == "has_invoice" || verb == "has_change_order" }
