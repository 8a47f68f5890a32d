package transfer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// factRow is a row of the table by column, as text, without NULLs.
type factRow map[string]string

// factReader reads a row and remembers the columns that could not be read.
type factReader struct {
	row    factRow
	faults []error
	kept   map[string]any // metadata: values without a field in a fact
}

// fact makes a fact of a row. faults are parts that could not be read, and are left out; err says that nothing can be
// made of it.
func (row factRow) fact(now time.Time) (f trilith.ForeignFact, faults []error, err error) {
	r := factReader{row: row, kept: map[string]any{}}
	id := strings.TrimSpace(row["id"])
	if id == "" {
		return f, nil, trilith.Errorf(trilith.Invalid, "id: is NULL or empty")
	}
	created := stampTime(cmp.Or(r.time("created_at"), r.time("updated_at")))
	if created.IsZero() {
		return f, nil, trilith.Errorf(trilith.Invalid, "created_at: is not a time, and neither is updated_at")
	}
	content := r.content()
	text := row["fact_summary"]
	if strings.TrimSpace(text) == "" {
		text = contentText(content)
	}
	if text == "" {
		return f, nil, trilith.Errorf(
			trilith.Invalid, "fact_summary: is empty, and fact_content holds no readable text")
	}
	fact := &trilith.Fact{Type: r.factType(), Content: content, AuthorRole: r.author(), Confidence: r.confidence(),
		Priority:       r.priority(),
		RequiresAction: r.bool("requires_action", false), ActionDeadline: r.timePointer("action_deadline"),
		Financial:    r.financial(),
		Verification: r.verification()}
	m := trilith.Memory{Text: text, EventTime: created, RecordedAt: created, ValidUntil: r.timePointer("valid_until"),
		Version: r.version(),
		Role:    fact.AuthorRole, Trust: trustOf(fact.AuthorRole), Fact: fact}
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n > 0 && n <= trilith.MaxLegacyID &&
		strconv.FormatInt(n, 10) == id {
		fact.LegacyID = n
	} else {
		m.ExternalID = externalID(id)
	}
	f = trilith.ForeignFact{Ref: factRef(id, row["session_id"], row["project_id"], row["user_id"]), Vector: r.vector(),
		Embedded: row["fact_summary"]}
	f.Former = r.former()
	r.state(&m, now)
	if successor := row["heir_id"]; successor != "" {
		ref := factRef(successor, row["heir_session_id"], row["heir_project_id"], row["heir_user_id"])
		f.Successor = &ref
		if at := stampTime(stampOf(row["heir_created_at"])); !at.IsZero() {
			m.SupersededAt = &at
		}
	}
	r.keep("source_message_id", row["source_message_id"])
	if updated := stampTime(r.time("updated_at")); !updated.IsZero() && !updated.Equal(created) {
		r.keep("updated_at", string(stampAt(updated)))
	}
	if len(r.kept) > 0 {
		m.Metadata = r.kept
	}
	f.Memory = m
	return f, r.faults, nil
}

// content reads fact_content. JSON that is not an object becomes the member "value".
func (r *factReader) content() map[string]any {
	text := r.row["fact_content"]
	if strings.TrimSpace(text) == "" || text == "null" {
		return nil
	}
	var v any
	fault := func(why string) map[string]any {
		r.faults = append(r.faults, trilith.Errorf(trilith.Invalid, "fact_content: %s; the row is imported without it", why))
		return nil
	}
	if len(text) > trilith.MaxTextBytes {
		return fault(fmt.Sprintf("is %d bytes long, at most %d are taken", len(text), trilith.MaxTextBytes))
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return fault("is not JSON")
	}
	object, ok := tame(v, 1).(map[string]any)
	if !ok {
		return map[string]any{"value": tame(v, 1)}
	}
	if len(object) == 0 {
		return nil
	}
	return object
}

// contentText is a sentence for a fact without a summary: what its content calls one, else all of it.
func contentText(content map[string]any) string {
	for _, name := range []string{"summary", "text", "description", "value"} {
		if s, ok := content[name].(string); ok && strings.TrimSpace(s) != "" {
			return s
		}
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(content)) {
		value, ok := content[k].(string)
		if !ok {
			body, _ := json.Marshal(content[k]) // it was JSON a moment ago
			value = string(body)
		}
		parts = append(parts, strings.ReplaceAll(k, "_", " ")+": "+value)
	}
	return strings.Join(parts, "; ")
}

var typeName = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// factType also accepts unknown types, because extraction profiles may define them.
func (r *factReader) factType() trilith.FactType {
	word := r.word("fact_type")
	if word != "" && !typeName.MatchString(word) {
		r.odd("fact_type", "as other")
		word = ""
	}
	return cmp.Or(trilith.FactType(word), trilith.FactOther)
}

func (r *factReader) author() trilith.Role {
	word := r.word("author_role")
	role := cmp.Or(roleOf(word), map[string]trilith.Role{"system": trilith.RoleSystem, "tool": trilith.RoleTool}[word])
	if role == "" && word != "" {
		r.odd("author_role", "without an author")
	}
	return role
}

func (r *factReader) confidence() float64 {
	text := strings.TrimSpace(r.row["confidence_score"])
	if text == "" {
		return 0
	}
	c, err := strconv.ParseFloat(text, 64)
	if err != nil || !(c >= 0 && c <= 1) {
		r.odd("confidence_score", "with 0")
		return 0
	}
	return c
}

func (r *factReader) priority() trilith.Priority {
	word := trilith.Priority(r.word("priority"))
	switch word {
	case trilith.PriorityCritical, trilith.PriorityHigh, trilith.PriorityNormal, trilith.PriorityLow:
		return word
	case "":
	default:
		r.odd("priority", "as normal")
	}
	return trilith.PriorityNormal
}

var plainDecimal = regexp.MustCompile(`^-?[0-9]{1,40}(\.[0-9]{1,20})?$`)

// financial returns the money of the fact. Without an amount there is none, and the other columns become metadata.
func (r *factReader) financial() *trilith.Financial {
	amount := strings.TrimSpace(r.row["financial_amount"])
	if !plainDecimal.MatchString(amount) && amount != "" {
		amount = r.amount(amount)
	}
	f := trilith.Financial{Amount: amount, Currency: strings.ToUpper(clip(strings.TrimSpace(r.row["currency"]))),
		Category: clip(strings.TrimSpace(r.row["financial_category"])),
		Type:     clip(strings.TrimSpace(r.row["financial_type"]))}
	if amount != "" {
		return &f
	}
	r.keep("currency", f.Currency)
	r.keep("financial_category", f.Category)
	r.keep("financial_type", f.Type)
	return nil
}

// amount converts the exponent notation of a floating-point column.
func (r *factReader) amount(text string) string {
	if f, err := strconv.ParseFloat(text, 64); err == nil && f > -1e40 && f < 1e40 && (f > 1e-15 || f < -1e-15) {
		if exact, ok := new(big.Rat).SetString(text); ok {
			if out := strings.TrimRight(strings.TrimRight(exact.FloatString(20), "0"),
				"."); plainDecimal.MatchString(out) {
				return out
			}
		}
	}
	r.odd("financial_amount", "without it")
	return ""
}

// verification reads the verification of the fact. An unknown status counts as none.
func (r *factReader) verification() trilith.Verification {
	v := trilith.Verification{Status: trilith.VerificationStatus(r.word("verification_status")),
		By: clip(strings.TrimSpace(r.row["verified_by"])),
		At: r.timePointer("verified_at")}
	switch v.Status {
	case trilith.PendingApproval, trilith.Verified, trilith.Rejected, trilith.NeedsReview, trilith.Disputed:
		return v
	case "":
	default:
		r.odd("verification_status", "as pending_approval")
	}
	v.Status = trilith.PendingApproval
	return v
}

func (r *factReader) version() int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(r.row["version"]), 10, 32)
	if err != nil || n < 1 {
		return 1
	}
	return n
}

func trustOf(author trilith.Role) trilith.Trust {
	switch author {
	case trilith.RoleAssistant:
		return trilith.TrustAssistantSaid
	case trilith.RoleTool, trilith.RoleSystem:
		return trilith.TrustToolOutput
	}
	return trilith.TrustImported
}

// vector reads an embedding: [0.1,0.2] of pgvector and JSON, {0.1,0.2} of an array.
func (r *factReader) vector() trilith.Vector {
	text := strings.Trim(r.row["embedding"], "[]{} \n")
	if text == "" {
		return nil
	}
	var out trilith.Vector
	for part := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 32)
		if err != nil {
			r.faults = append(r.faults,
				trilith.Errorf(trilith.Invalid, "embedding: is not a list of numbers; the text is embedded again"))
			return nil
		}
		out = append(out, float32(x))
	}
	return out
}

// former returns the rows that this one replaced.
func (r *factReader) former() []trilith.ForeignRef {
	if r.row["former"] == "" {
		return nil
	}
	var rows [][4]*string
	if err := json.Unmarshal([]byte(r.row["former"]), &rows); err != nil {
		return nil // PostgreSQL wrote it
	}
	var out []trilith.ForeignRef
	for _, row := range rows {
		var v [4]string
		for i, p := range row {
			if p != nil {
				v[i] = *p
			}
		}
		out = append(out, factRef(v[0], v[1], v[2], v[3]))
	}
	return out
}

// factRef returns the reference to a row. It does not contain the table's name, because a renamed table has the same
// facts.
func factRef(id, session, project, user string) trilith.ForeignRef {
	name := factsTable + "/" + id
	if len(name) > trilith.MaxForeignName || !fit(id) {
		name = factsTable + "/" + string(trilith.DeriveID("fact row", id))
	}
	value := func(s string) string { return scopeValue(strings.TrimSpace(s)) }
	return trilith.ForeignRef{
		Name: name, Scope: trilith.Scope{Session: value(session), Project: value(project), User: value(user)}}
}

// state says in which state the fact is, unless another one replaced it, which is another matter.
func (r *factReader) state(m *trilith.Memory, now time.Time) {
	ended := cmp.Or(r.timePointer("updated_at"), &m.EventTime)
	over := m.ValidUntil != nil && !m.ValidUntil.After(now)
	by := strings.TrimSpace(r.row["superseded_by"])
	switch {
	case r.row["heir_id"] != "": // the importer closes it when its successor began
		m.State, m.SupersededAt = trilith.StateSuperseded, ended
		return
	case by != "":
		r.keep("superseded_by", by)
		r.faults = append(r.faults,
			trilith.Errorf(trilith.Invalid,
				"superseded_by: there is no other row %.40q; the row is imported as not superseded", by))
	}
	active := r.bool("is_active", true)
	switch {
	case m.Fact.Verification.Status == trilith.Rejected:
		m.State, m.SupersededAt = trilith.StateRetracted, cmp.Or(m.Fact.Verification.At, ended)
	case over:
		m.State, m.SupersededAt = trilith.StateExpired, m.ValidUntil
	case !active:
		m.State, m.SupersededAt = trilith.StateRetracted, ended
	default:
		m.State = trilith.StateActive
	}
}

func (r *factReader) timePointer(column string) *time.Time {
	if t := stampTime(r.time(column)); !t.IsZero() {
		return &t
	}
	return nil
}

func stampTime(s stamp) time.Time {
	t, _ := trilith.ParseTime(string(s)) // an empty one is the zero time
	return t
}

func (r *factReader) time(column string) stamp {
	text := strings.TrimSpace(r.row[column])
	s := stampOf(text)
	if s == "" && text != "" {
		r.odd(column, "without it")
	}
	return s
}

func (r *factReader) bool(column string, absent bool) bool {
	switch r.word(column) {
	case "":
		return absent
	case "t", "true", "1", "yes", "y", "on":
		return true
	case "f", "false", "0", "no", "n", "off":
		return false
	}
	r.odd(column, fmt.Sprintf("as %t", absent))
	return absent
}

// word is a value in the form in which names are compared: in lower case, with _ between words.
func (r *factReader) word(column string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(r.row[column])))
}

// odd keeps a value that is not valid in its column, and reports it.
func (r *factReader) odd(column, instead string) {
	r.keep(column, r.row[column])
	r.faults = append(r.faults,
		trilith.Errorf(trilith.Invalid, "%s: %.40q is not known; the row is imported %s, and the value is kept in its metadata",
			column, r.row[column], instead))
}

// keep adds a value to the metadata, unless it is empty.
func (r *factReader) keep(name, value string) {
	if value != "" {
		r.kept[name] = clip(value)
	}
}
