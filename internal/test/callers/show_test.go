package callers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// program is the name of the program. Recordings write NAME in its place, in every case and form, so that they stay as
// they are when the program gets another name.
const program = "trilith"

// normaliser replaces what differs from run to run, or between programs that answer alike: ids, times of this run,
// scores, durations, numbers of tokens, hashes, vectors, cursors, and the program's name and version.
//
// Facts that one request made have no order among them: their ids are hashes over random ones. So what ties in a list
// is put in the order of its content, and the numbers that facts get one after the other are treated as ids are: F1 is
// the first that was seen.
type normaliser struct {
	ids, numbers []string
	cursor       string
	day          string // of the recording's clock
}

// ofFacts are members that hold the number of a fact.
var ofFacts = []string{"id", "factId", "factIds", "supersededBy", "to"}

// number names the number of a fact.
func (n *normaliser) number(number string) string {
	if !slices.Contains(n.numbers, number) {
		n.numbers = append(n.numbers, number)
	}
	return fmt.Sprintf("F%d", slices.Index(n.numbers, number)+1)
}

// moments are members with the time by which elements of a list were made.
var moments = []string{"recorded_at", "created_at", "createdAt"}

// untied puts neighbours in a list that only their ids set apart in the order of their content.
func (n *normaliser) untied(list []any) []any {
	list = slices.Clone(list)
	isNoID := func(x any) bool {
		id, _ := x.(string)
		return len(id) != 36 || !uuids.MatchString(id)
	}
	if !slices.ContainsFunc(list, isNoID) {
		rank := func(x any) int {
			if i := slices.Index(n.ids, x.(string)); i >= 0 {
				return i
			}
			return len(n.ids)
		}
		slices.SortStableFunc(list, func(a, b any) int { return rank(a) - rank(b) })
		return list
	}
	for from := 0; from < len(list); {
		to, tie := from+1, tieOf(list[from])
		for tie != "" && to < len(list) && tieOf(list[to]) == tie {
			to++
		}
		slices.SortStableFunc(list[from:to], func(a, b any) int { return strings.Compare(content(a), content(b)) })
		from = to
	}
	return list
}

// tieOf is what decides between an element and its neighbours: when it was made, and its score.
func tieOf(x any) string {
	m, ok := x.(map[string]any)
	if !ok {
		return ""
	}
	inner := m
	for _, name := range []string{"memory", "fact"} {
		if sub, ok := m[name].(map[string]any); ok && m[moments[0]] == nil {
			inner = sub
		}
	}
	for _, name := range moments {
		if at, ok := inner[name]; ok {
			return fmt.Sprint(at, m["seq"], inner["seq"], m["score"], m["relevanceScore"])
		}
	}
	return ""
}

// content is an element without what is another in each run.
func content(x any) string {
	return volatile.ReplaceAllString(uuids.ReplaceAllString(compact(x), ""), "")
}

// volatile are numbers of facts, and vectors.
var volatile = regexp.MustCompile(`"(?:id|score|similarity|relevanceScore)":[0-9.e-]+|\[[0-9.e,-]+\]`)

var (
	uuids    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	tails    = regexp.MustCompile(`…[0-9a-f]{8}\b`) // of ids in a context block
	hashes   = regexp.MustCompile(`\b[0-9a-f]{32,64}\b`)
	names    = regexp.MustCompile(`(?i)` + program)
	named    = regexp.MustCompile(`\bNAME\b`)
	paged    = regexp.MustCompile(`\bCURSOR\b`)
	facts    = regexp.MustCompile(`\bF\d+\b`)
	filled   = regexp.MustCompile(`\bID\d+\b`)
	made     = regexp.MustCompile(`(-\d+-)[0-9a-f]{8}\b`) // a generation of vectors, by the address of its service
	stamps   = regexp.MustCompile(`\b(session|msg)-\d{13}\b`)
	instants = regexp.MustCompile(`(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00(?::00)?| UTC)?`)
	weights  = regexp.MustCompile(`(?i)((?:score|similarity|relevance)(?::| of)? )-?\d+\.\d+`)
	trailed  = regexp.MustCompile(`\((?:-?[01]\.\d\d)\)`)
)

// dropped are members whose value says nothing that a caller relies on.
var dropped = map[string]string{"score": "SCORE", "similarity": "SCORE", "relevance": "SCORE",
	"relevance_score": "SCORE", "relevanceScore": "SCORE", "ms": "MS", "seconds": "MS", "tokens": "N"}

// fill puts the ids back into a request.
func (n *normaliser) fill(request string) string {
	request = named.ReplaceAllString(request, program)
	request = paged.ReplaceAllLiteralString(request, n.cursor)
	request = facts.ReplaceAllStringFunc(request, func(name string) string {
		var i int
		if _, err := fmt.Sscanf(name, "F%d", &i); err != nil || i < 1 || i > len(n.numbers) {
			return name
		}
		return n.numbers[i-1]
	})
	return filled.ReplaceAllStringFunc(request, func(name string) string {
		var i int
		if _, err := fmt.Sscanf(name, "ID%d", &i); err != nil || i < 1 || i > len(n.ids) {
			return name
		}
		return n.ids[i-1]
	})
}

// text makes a text comparable.
func (n *normaliser) text(s string) string {
	s = instants.ReplaceAllStringFunc(s, func(at string) string {
		if strings.HasPrefix(at, n.day) {
			return "TIME"
		}
		return at
	})
	s = tails.ReplaceAllString(s, "…ID")
	s = uuids.ReplaceAllStringFunc(s, func(id string) string {
		if !slices.Contains(n.ids, id) {
			n.ids = append(n.ids, id)
		}
		return fmt.Sprintf("ID%d", slices.Index(n.ids, id)+1)
	})
	s = hashes.ReplaceAllString(s, "HASH")
	s = made.ReplaceAllString(s, "${1}HASH")
	s = stamps.ReplaceAllString(s, "$1-MS")
	s = weights.ReplaceAllString(s, "${1}SCORE")
	s = trailed.ReplaceAllString(s, "(SCORE)")
	return names.ReplaceAllString(s, "NAME")
}

// value makes a value out of JSON comparable.
func (n *normaliser) value(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k == "timings_ms" {
				out[k] = slices.Sorted(maps.Keys(v[k].(map[string]any)))
				continue
			}
			out[names.ReplaceAllString(k, "NAME")] = n.value(k, v[k])
		}
		return out
	case []any:
		if key == "embedding" || key == "vector" {
			return fmt.Sprintf("%d NUMBERS", len(v))
		}
		v = n.untied(v)
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = n.value(key, x)
		}
		return out
	case json.Number:
		if name := dropped[key]; name != "" {
			return name
		}
		if at, err := v.Int64(); err == nil && at > 0 && at < 1000 && slices.Contains(ofFacts, key) {
			return n.number(v.String())
		}
		return v
	case string:
		switch {
		case key == "next_cursor" || key == "nextCursor":
			n.cursor = v
			return "CURSOR"
		case key == "request_id":
			return "ID"
		}
		if inner, ok := decoded(v); ok { // JSON in a text
			return map[string]any{"JSON": n.value("", inner)}
		}
		return n.text(v)
	}
	return v
}

// decoded returns the object or list that a text holds.
func decoded(text string) (v any, ok bool) {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}

// show writes an answer for reading: JSON on as few lines as fit, anything else as it came, moved in.
func (n *normaliser) show(body string) string {
	if v, ok := decoded(strings.TrimSpace(body)); ok {
		var b strings.Builder
		write(&b, n.value("", v), "", "")
		return b.String()
	}
	var b strings.Builder
	for line := range strings.Lines(n.text(strings.TrimSpace(body))) {
		b.WriteString("  " + strings.TrimRight(line, "\n ") + "\n")
	}
	return b.String()
}

// width is how long a line of a shown answer may be, unless a value on it is longer.
const width = 118

// write writes a value on one line if it is short, else its members on as few lines as hold them.
func write(b *strings.Builder, v any, indent, before string) {
	if line := indent + before + compact(v); len(line) <= width {
		b.WriteString(line + "\n")
		return
	}
	switch v := v.(type) {
	case map[string]any:
		b.WriteString(indent + before + "{\n")
		line := indent
		flush := func() {
			if line != indent {
				b.WriteString(line + "\n")
			}
			line = indent
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			member := " " + compact(k) + ":" + compact(v[k])
			if len(line)+len(member) > width {
				flush()
			}
			if len(line)+len(member) <= width {
				line += member
			} else {
				write(b, v[k], indent+" ", compact(k)+": ")
			}
		}
		flush()
		b.WriteString(indent + "}\n")
	case []any:
		b.WriteString(indent + before + "[\n")
		for _, x := range v {
			write(b, x, indent+" ", "")
		}
		b.WriteString(indent + "]\n")
	case string: // a text of many lines is shown as such
		if before == "" || !strings.Contains(v, "\n") {
			b.WriteString(indent + before + compact(v) + "\n")
			return
		}
		b.WriteString(indent + before + "\n")
		for line := range strings.Lines(v) {
			b.WriteString(indent + " | " + strings.TrimRight(line, "\n") + "\n")
		}
	default:
		b.WriteString(indent + before + compact(v) + "\n")
	}
}

func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}
