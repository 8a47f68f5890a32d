package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Types of the notes that come from other memories.
const (
	mem0Note        = "mem0"
	observationNote = "observation"
	relationNote    = "relation"
	entityNote      = "entity"
)

// mem0Record holds the used parts of a memory of mem0. The members depend on its version and server.
type mem0Record struct {
	ID         name           `json:"id"`
	Memory     string         `json:"memory"`
	Text       string         `json:"text"`
	User       name           `json:"user_id"`
	Agent      name           `json:"agent_id"`
	App        name           `json:"app_id"`
	Run        name           `json:"run_id"`
	Metadata   map[string]any `json:"metadata"`
	Categories []string       `json:"categories"`
	CreatedAt  stamp          `json:"created_at"`
	UpdatedAt  stamp          `json:"updated_at"`
	Expires    string         `json:"expiration_date"`
	ReplacedBy name           `json:"replaced_by"`

	// An answer of several memories wraps them, and with a graph also names relations.
	Results   []json.RawMessage `json:"results"`
	Memories  []json.RawMessage `json:"memories"`
	Relations []relation        `json:"relations"`
}

// relation is an edge between two named things, in the words of either product.
type relation struct {
	From         string `json:"from"`
	Source       string `json:"source"`
	To           string `json:"to"`
	Target       string `json:"target"`
	RelationType string `json:"relationType"`
	Relationship string `json:"relationship"`
}

// name is an id that some write as text and some as a number.
type name string

// UnmarshalJSON takes a string or a number; null is empty.
func (n *name) UnmarshalJSON(data []byte) error {
	var s *string
	if err := json.Unmarshal(data, &s); err == nil {
		*n = ""
		if s != nil {
			*n = name(*s)
		}
		return nil
	}
	var number json.Number
	err := json.Unmarshal(data, &number)
	*n = name(number)
	return err
}

// values reads the JSON values of a file: one per line if it is written so, else as [elements] does. Lines lose no more
// than themselves when they are broken.
func values(in input) iter.Seq2[element, error] {
	br := bufio.NewReaderSize(in.r, 64<<10)
	head, _ := br.Peek(64 << 10)
	in.r = br
	if !byLines(bytes.TrimPrefix(head, bom)) {
		return elements(in, MaxLineBytes)
	}
	return func(yield func(element, error) bool) {
		for l, err := range lines(in, MaxLineBytes) {
			if !yield(element{line: l.n, text: l.text}, err) {
				return
			}
		}
	}
}

// byLines reports whether a file with this beginning has one JSON object on each line.
func byLines(head []byte) bool {
	first, rest, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte{'\n'})
	if len(first) == 0 || first[0] != '{' {
		return false
	}
	rest = bytes.TrimLeft(rest, "\r\n")
	return len(rest) > 0 && rest[0] == '{'
}

// readMem0 reads memories as notes. The owner in mem0 becomes their scope.
func readMem0(in input) iter.Seq2[Item, error] {
	return gathered(in, (*gatherer).mem0)
}

// gathered reads every value of a file with read, which reports whether more is wanted.
func gathered(in input, read func(*gatherer, element) bool) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		g := gatherer{in: in, yield: yield}
		for e, err := range values(in) {
			if err != nil && !g.fail(err) || err == nil && !read(&g, e) {
				return
			}
		}
	}
}

func (g *gatherer) mem0(e element) bool {
	var r mem0Record
	if ok, more := g.object(e, &r); !ok || !more {
		return more
	}
	text := cmp.Or(r.Memory, r.Text)
	if inner := append(r.Results, r.Memories...); text == "" && (inner != nil || r.Relations != nil) {
		for _, raw := range inner {
			if !g.mem0(element{e.line, raw}) {
				return false
			}
		}
		for _, rel := range r.Relations {
			if !g.relation(e.line, rel) {
				return false
			}
		}
		return true
	}
	if strings.TrimSpace(text) == "" {
		return g.bad(e.line, trilith.Errorf(trilith.Invalid, "a memory needs memory or text"))
	}
	theirs, err := others(r.Metadata)
	if err != nil && !g.bad(e.line, err) {
		return false
	}
	updated := r.UpdatedAt
	if updated == r.CreatedAt {
		updated = ""
	}
	id := externalID(mem0Note, string(r.ID))
	if r.ID == "" {
		id = contentID(Mem0, string(r.User), string(r.Agent), string(r.App), string(r.Run), string(r.CreatedAt), text)
	}
	return g.request(e.line, trilith.Scope{Project: scopeValue(string(r.App)), User: scopeValue(string(r.User)),
		Agent: scopeValue(string(r.Agent)), Session: scopeValue(string(r.Run))}, trilith.RememberRequest{
		Note: &trilith.Note{Type: mem0Note, Content: text}, ExternalID: id,
		Timestamp: string(r.CreatedAt.or(r.UpdatedAt)), Tags: tags(r.Categories),
		Metadata: merged(theirs,
			metadata("updated_at", updated, "expiration_date", r.Expires, "replaced_by", string(r.ReplacedBy)))})
}

// relation stores an edge as a note: the words that it rests on are unknown, so it is not a fact.
func (g *gatherer) relation(line int, r relation) bool {
	from, verb, to := cmp.Or(r.From, r.Source), cmp.Or(r.RelationType, r.Relationship), cmp.Or(r.To, r.Target)
	if from == "" || verb == "" || to == "" {
		return g.bad(line, trilith.Errorf(trilith.Invalid, "a relation needs from, relationType and to"))
	}
	return g.request(line, trilith.Scope{},
		trilith.RememberRequest{Note: &trilith.Note{Type: relationNote, Content: from + " " + verb + " " + to},
			ExternalID: contentID(relationNote, from, verb, to),
			Metadata:   metadata("from", from, "relation", verb, "to", to)})
}
