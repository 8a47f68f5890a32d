package sqlite

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// textColumns are the texts with a column of the same name. So are the times of a memory.
var textColumns = map[string]bool{"id": true, "kind": true, "role": true, "speaker": true, "type": true,
	"source_id": true,
	"state":     true, "trust": true, "superseded_by": true, "external_id": true,
	"project": true, "domain": true, "user": true, "agent": true, "session": true, "channel": true,
	"entity_id": true, "verb": true, "fact_id": true, "entity_ref": true, "owner": true}

// The fields of facts in the indexes of facts, as in the migration. Every other field of facts only is compared by the
// filter's matcher, or has a column.
var (
	factTexts = map[string]string{
		"verification_status": inFact("verification.status"), "priority": inFact("priority"),
		"fact_type": inFact("fact_type"), "polarity": inFact("polarity"),
	}
	factAction     = inFact("requires_action")
	factDeadline   = inFact("action_deadline")
	factConfidence = inFact("confidence")
	factAmount     = "iif(" + inFact("financial.amount") + " GLOB '*[^0-9.-]*', 9e999, CAST(" +
		inFact("financial.amount") + " AS REAL))"
)

func inFact(path string) string { return "iif(json_valid(more), more, NULL) ->> '$.fact." + path + "'" }

// partialIndex is an index of memories with a rare value.
type partialIndex struct{ name, holds string }

// partialIndexes are the partial indexes by column. SQLite uses one only if the query contains the index's condition
// literally.
var partialIndexes = map[string]partialIndex{
	"superseded_by": {"memories_by_successor", "superseded_by <> ''"},
	"owner":         {"memories_by_owner", "owner <> ''"},
	"entity_id":     {"memories_by_entity", "entity_id <> ''"},
	"fact_id":       {"memories_by_node", "fact_id <> ''"},
	"entity_ref":    {"memories_by_entity_ref", "entity_ref <> ''"},
	"source_id":     {"memories_by_source", "kind = 'fact'"},
}

// heldIndex is the index of memories that wait for a person, by state.
var heldIndex = partialIndex{"memories_held", "state IN ('candidate', 'quarantined')"}

// fewFacts are the indexes of rare facts, by id, each with the conditions that only such facts meet.
var fewFacts = []struct {
	partialIndex
	accepts func(trilith.Filter) bool
}{
	{partialIndex{"facts_contested", factTexts["verification_status"] + " IN ('needs_review', 'disputed')"},
		func(f trilith.Filter) bool {
			return f.Field == "verification_status" && oneOf(f, string(trilith.NeedsReview), string(trilith.Disputed))
		}},
	{partialIndex{"facts_due", factDeadline + " IS NOT NULL"}, func(f trilith.Filter) bool {
		term, _ := comparison(f)
		return f.Field == "action_deadline" && term != ""
	}},
	{partialIndex{"facts_to_do", factAction + " = 1"}, func(f trilith.Filter) bool {
		return f.Field == "requires_action" && f.Op == trilith.OpEq && f.Value == true
	}},
	{partialIndex{"facts_pressing", factTexts["priority"] + " IN ('high', 'critical')"}, func(f trilith.Filter) bool {
		return f.Field == "priority" && oneOf(f, string(trilith.PriorityHigh), string(trilith.PriorityCritical))
	}},
	{partialIndex{"facts_of_low_trust", "trust NOT IN ('user_confirmed', 'user_stated', 'imported')"},
		func(f trilith.Filter) bool {
			vs, ok := texts(f.Value)
			return f.Field == "trust" && f.Op == trilith.OpNin && ok &&
				slices.Contains(vs, string(trilith.TrustUserConfirmed)) &&
				slices.Contains(vs, string(trilith.TrustUserStated)) && slices.Contains(vs, string(trilith.TrustImported))
		}},
	{partialIndex{"facts_of_money", factAmount + " IS NOT NULL"}, func(f trilith.Filter) bool {
		term, _ := comparison(f)
		return f.Field == "financial_amount" && term != ""
	}},
	{partialIndex{"facts_ending", "valid_until IS NOT NULL"}, func(f trilith.Filter) bool {
		term, _ := comparison(f)
		return f.Field == "valid_until" && (f.Op == trilith.OpLt || f.Op == trilith.OpLte) && term != ""
	}},
}

// factIndexes are the indexes of facts by their order.
var factIndexes = map[role.Order]string{role.OrderID: "facts_by_id", role.OrderRecorded: "facts_by_recorded",
	role.OrderOldest: "facts_by_recorded"}

// factsOf are the indexes of the facts of some users, or some projects, by id.
var factsOf = map[string]string{"user": "facts_by_user", "project": "facts_by_project"}

// filter adds conditions that every memory accepted by a listing's filter meets. They only reduce the number of
// memories to read; the filter's matcher decides about each of them.
func (c *conditions) filter(tenant string, l role.Listing) {
	all := parts(l.Filter)
	facts := slices.ContainsFunc(all, ofFacts)
	if slices.Contains(c.terms, "session = ?") {
		c.bySession(l.Order, facts)
	}
	if episodes := sqlrows.RestingOn(l.Filter, text); len(episodes) > 0 {
		c.among("SELECT fact FROM evidence WHERE tenant = memories.tenant AND episode IN (SELECT value FROM json_each(?))",
			list(episodes))
	}
	if facts {
		c.kind(trilith.KindFact)
	}
	for _, g := range all {
		c.part(tenant, g, l.Order, facts)
	}
	switch {
	case facts && c.index == " INDEXED BY "+partialIndexes["entity_id"].name && l.Order == role.OrderID &&
		slices.ContainsFunc(all, func(g trilith.Filter) bool { return g.Field == "verb" && g.Op == trilith.OpIn }):
		c.index = " INDEXED BY facts_compared" // an entity's likes and plans far outnumber its other facts
	case facts && !c.narrow:
		c.ofFacts(all, l.Order)
	case !c.narrow && (l.Order == role.OrderOldest || l.Order == role.OrderRecorded) &&
		slices.Contains(c.terms, "user = ?"):
		c.add("user <> ''")
		c.index = " INDEXED BY memories_by_user"
	}
}

// part adds the conditions of one part of a filter; facts says that all parts together accept only facts.
func (c *conditions) part(tenant string, g trilith.Filter, o role.Order, facts bool) {
	if kind, _ := text(g.Value); g.Field == "kind" && g.Op == trilith.OpEq &&
		slices.Contains(trilith.Kinds(), trilith.Kind(kind)) {
		if !facts || kind != string(trilith.KindFact) {
			c.kind(trilith.Kind(kind))
		}
		return
	}
	term, args := condition(g)
	if term != "" {
		c.add(term, args...)
		if g.Op == trilith.OpEq || g.Op == trilith.OpIn {
			c.byEqual(g, o, facts)
		}
	} else if found := marks(g); found != nil {
		c.among("SELECT memory FROM marks WHERE tenant = ? AND mark IN (SELECT value FROM json_each(?))", tenant,
			list(found))
	}
}

// byEqual selects the index for a field that equals a value, or one of several.
func (c *conditions) byEqual(g trilith.Filter, o role.Order, facts bool) {
	index, ok := partialIndexes[g.Field]
	switch {
	case ok && (facts || g.Field != "source_id"):
		c.add(index.holds)
		// SQLite expects every list to be long, and an index in the order of the listing to be fast: it would read the
		// whole tenant. Of facts it would read those of a user that is asked for, too.
		if g.Op == trilith.OpIn || o != role.OrderID || facts {
			c.index = " INDEXED BY " + index.name
		}
		c.narrow = true
	case g.Field == "state" && oneOf(g, string(trilith.StateCandidate), string(trilith.StateQuarantined)):
		c.add(heldIndex.holds)
		if !c.narrow {
			c.index = " INDEXED BY " + heldIndex.name
		}
		c.narrow = true
	case g.Field == "id":
		c.byID()
	case g.Field == "session":
		c.bySession(o, facts)
	}
}

// ofFacts selects the index for a filter that accepts only facts, and many of them.
func (c *conditions) ofFacts(all []trilith.Filter, o role.Order) {
	if index := factIndexes[o]; index != "" {
		c.index = " INDEXED BY " + index
	}
	if o != role.OrderID {
		return
	}
	for _, g := range all {
		if index := factsOf[g.Field]; index != "" && g.Op == trilith.OpIn {
			c.index = " INDEXED BY " + index
		}
	}
	for _, few := range fewFacts {
		if slices.ContainsFunc(all, few.accepts) {
			c.add(few.holds)
			c.index = " INDEXED BY " + few.name
			return
		}
	}
}

// bySession makes SQLite read the memories of sessions by the session, or only facts if the filter excludes other
// memories, unless other conditions leave few. If an index has the order of the listing, SQLite would otherwise read
// the whole tenant.
func (c *conditions) bySession(o role.Order, facts bool) {
	if !c.narrow && o != role.OrderSeq {
		c.index = " INDEXED BY memories_by_seq"
		if facts {
			c.index = " INDEXED BY facts_by_session"
		}
	}
	c.narrow = true
}

// among adds the condition that a query returns the id.
func (c *conditions) among(query string, args ...any) {
	c.add("id IN ("+query+")", args...)
	c.byID()
}

// byID makes SQLite read the memories of a list of ids by that list, unless other conditions leave few. Otherwise it
// would read the whole tenant in the order of the listing.
func (c *conditions) byID() {
	if !c.narrow {
		c.index = " INDEXED BY memories_by_id"
	}
	c.narrow = true
}

// kind adds the condition for a kind, without a parameter, see [limited], because there are partial indexes of facts.
func (c *conditions) kind(k trilith.Kind) { c.add("kind = '" + string(k) + "'") }

// parts returns conditions that all hold whenever f holds.
func parts(f trilith.Filter) (out []trilith.Filter) {
	if f.And == nil {
		return []trilith.Filter{f}
	}
	for _, g := range f.And {
		out = append(out, parts(g)...)
	}
	return out
}

// ofFacts reports whether a condition accepts only facts.
func ofFacts(f trilith.Filter) bool {
	if f.Field == "kind" && f.Op == trilith.OpEq {
		kind, _ := text(f.Value)
		return kind == string(trilith.KindFact)
	}
	if field, _ := trilith.FieldNamed(f.Field); !field.OfFact {
		return false
	}
	switch f.Op {
	case trilith.OpEq:
		return f.Value != nil
	case trilith.OpNe:
		return f.Value == nil
	case trilith.OpGt, trilith.OpGte, trilith.OpLt, trilith.OpLte, trilith.OpContains, trilith.OpRegex:
		return true
	case trilith.OpIn:
		_, ok := texts(f.Value)
		return ok
	}
	return false
}

// oneOf reports whether a comparison of texts accepts no others than these.
func oneOf(f trilith.Filter, these ...string) bool {
	vs, ok := texts(f.Value)
	switch f.Op {
	case trilith.OpEq:
		var v string
		v, ok = text(f.Value)
		vs = []string{v}
	case trilith.OpIn:
	default:
		return false
	}
	return ok && !slices.ContainsFunc(vs, func(v string) bool { return !slices.Contains(these, v) })
}

// condition returns a condition that every memory accepted by f meets; "" if SQL cannot express one.
func condition(f trilith.Filter) (term string, args []any) {
	if f.Field != "" {
		return comparison(f)
	}
	between, list := " AND ", f.And
	if f.Or != nil {
		between, list = " OR ", f.Or
	}
	var terms []string
	for _, g := range list {
		one, with := condition(g)
		if one == "" {
			if f.Or != nil {
				return "", nil // other memories pass this branch
			}
			continue
		}
		terms, args = append(terms, one), append(args, with...)
	}
	if len(terms) == 0 {
		return "", nil
	}
	return "(" + strings.Join(terms, between) + ")", args
}

func comparison(f trilith.Filter) (term string, args []any) {
	compare := sqlrows.Comparisons[f.Op]
	field, _ := trilith.FieldNamed(f.Field)
	switch column, ofFact := factTexts[f.Field]; {
	case ofFact:
		return textComparison("coalesce("+column+", '')", f)
	case textColumns[f.Field]:
		return textComparison(f.Field, f)
	case field.Type == trilith.ValueTime && !field.OfFact:
		if f.Value == nil && f.Op == trilith.OpEq {
			return f.Field + " IS NULL", nil
		}
		if at, ok := sqlrows.Time(f.Value); ok && compare != "" {
			return f.Field + " " + compare + " ?", []any{at.UnixMicro()}
		}
	case f.Field == "seq":
		if n, ok := sqlrows.Number(f.Value); ok && compare != "" {
			return "seq " + compare + " ?", []any{n}
		}
	case f.Field == "requires_action":
		if f.Op == trilith.OpEq && f.Value == true {
			return factAction + " = 1", nil
		}
	case f.Field == "action_deadline":
		if _, ok := sqlrows.Time(f.Value); ok && compare != "" {
			return factDeadline + " IS NOT NULL", nil
		}
	case f.Field == "confidence":
		if n, ok := sqlrows.Number(f.Value); ok && (f.Op == trilith.OpGt || f.Op == trilith.OpGte) {
			return factConfidence + " >= ?", []any{below(n)}
		}
	case f.Field == "financial_amount":
		if f.Op == trilith.OpNe && f.Value == nil {
			return factAmount + " IS NOT NULL", nil
		}
		if n, ok := sqlrows.Number(f.Value); ok && (f.Op == trilith.OpGt || f.Op == trilith.OpGte) {
			return factAmount + " >= ?", []any{below(n)}
		}
	}
	return "", nil
}

// below returns a little less than n, because SQLite and Go may parse the last digit of a number differently.
func below(n float64) float64 { return n - math.Abs(n)*1e-12 }

// textComparison compares a text; an absent one is stored as ”.
func textComparison(column string, f trilith.Filter) (term string, args []any) {
	not := ""
	switch f.Op {
	case trilith.OpIn, trilith.OpNin:
		vs, ok := texts(f.Value)
		if !ok {
			return "", nil
		}
		if f.Op == trilith.OpNin {
			not = "NOT "
		}
		return column + " " + not + "IN (SELECT value FROM json_each(?))", []any{list(vs)}
	case trilith.OpNe:
		if v, ok := text(f.Value); ok {
			return column + " <> ?", []any{v}
		}
	default:
		if v, ok := text(f.Value); ok && sqlrows.Comparisons[f.Op] != "" {
			return column + " " + sqlrows.Comparisons[f.Op] + " ?", []any{v}
		}
	}
	return "", nil
}

// markLength is the largest number of characters of a metadata value in a mark.
const markLength = 100

// marks returns marks such that every memory that a comparison accepts has one of them; nil if there are none.
func marks(f trilith.Filter) []string {
	path, ofMetadata := strings.CutPrefix(f.Field, "metadata.")
	if !ofMetadata && f.Field != "tags" && f.Field != "title" && f.Field != "category" {
		return nil
	}
	values := []any{f.Value}
	switch {
	case f.Op == trilith.OpEq, f.Op == trilith.OpContains && f.Field == "tags":
	case f.Op == trilith.OpIn:
		vs, ok := texts(f.Value)
		if !ok {
			return nil
		}
		values = values[:0]
		for _, v := range vs {
			values = append(values, v)
		}
	default:
		return nil
	}
	key := f.Field
	if ofMetadata { // marks contain the first key only
		name, _, _ := strings.Cut(path, ".")
		if _, ok := text(name); !ok {
			return nil
		}
		key = "metadata." + name
	}
	found := make([]string, len(values))
	for i, v := range values {
		value, ok := markOf(v)
		if !ok {
			return nil
		}
		if runes := []rune(value); ofMetadata && len(runes) > markLength {
			value = string(runes[:markLength])
		}
		found[i] = key + ":" + value
	}
	return found
}

// markOf formats a value as the database does.
func markOf(v any) (string, bool) {
	if b, ok := v.(bool); ok {
		return map[bool]string{true: "1", false: "0"}[b], true
	}
	if n, ok := sqlrows.Number(v); ok {
		return strconv.FormatInt(int64(n), 10), n == math.Trunc(n) && math.Abs(n) < 1<<53
	}
	return text(v)
}
