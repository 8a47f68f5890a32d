// Package interview leads interviews about a domain of knowledge. Its stages classify an answer, fill fields from it, find
// the remaining gaps, choose the next one, and word the question.
//
// A gap is computed, never guessed: a field of the domain's schema that no entry fills. A model may interpret an
// answer, choose among the gaps and word the question. Its output is checked, and every stage works without it: then an
// interview is a questionnaire in the order of the schema that recognises values by their types.
//
// The stages are pure except for the model: they read texts and entries. Only [Interviewer] reads and writes the
// store.
package interview

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/disk"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

//go:embed domains/*.yaml
var shipped embed.FS

// Shipped returns the example domains that come with the program, by id.
func Shipped() ([]trilith.Domain, error) {
	all, err := readShipped()
	return slices.Clone(all), err
}

// readShipped reads them once.
var readShipped = sync.OnceValues(func() ([]trilith.Domain, error) {
	files, err := fs.Sub(shipped, "domains")
	if err != nil {
		return nil, err
	}
	return read(files)
})

// Load returns the shipped domains, those of a folder and that of a file, by id. For one id the file takes precedence
// over the folder, and that over the shipped domain. An empty name means none. It reads files of the folder that end in
// .yaml or .yml and ignores others.
func Load(dir, file string) ([]trilith.Domain, error) {
	var all []trilith.Domain
	if file != "" {
		d, err := Open(file)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	if dir != "" {
		theirs, err := read(os.DirFS(dir))
		if err != nil {
			return nil, err
		}
		all = with(all, theirs)
	}
	ours, err := Shipped()
	if err != nil {
		return nil, err
	}
	all = with(all, ours)
	slices.SortFunc(all, byID)
	return all, nil
}

// Open reads the domain schema of a file.
func Open(file string) (trilith.Domain, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return trilith.Domain{}, trilith.Errorf(trilith.Invalid, "domains: %w", err)
	}
	return Parse(file, body)
}

func byID(a, b trilith.Domain) int { return cmp.Compare(a.ID, b.ID) }

// with adds the domains whose ids are not taken.
func with(all, more []trilith.Domain) []trilith.Domain {
	for _, d := range more {
		if !slices.ContainsFunc(all, func(o trilith.Domain) bool { return o.ID == d.ID }) {
			all = append(all, d)
		}
	}
	return all
}

func read(files fs.FS) ([]trilith.Domain, error) {
	return disk.ReadDefinitions(files, "domains", Parse, func(d trilith.Domain) string { return d.ID })
}

// maxSchemaBytes limits the size of a file, far above that of any schema.
const maxSchemaBytes = 1 << 20

// Parse reads a domain schema. An error names the file, and the line where the form is wrong, else the field.
func Parse(file string, body []byte) (trilith.Domain, error) {
	var d trilith.Domain
	if len(body) > maxSchemaBytes {
		return d, trilith.Errorf(trilith.Invalid, "domains: %s: is %d bytes long, at most %d are allowed", file, len(body),
			maxSchemaBytes)
	}
	if err := disk.DecodeYAML("domains", file, body, &d); err != nil {
		return trilith.Domain{}, err
	}
	if err := check(&d); err != nil {
		return trilith.Domain{}, trilith.Errorf(trilith.Invalid, "domains: %s: %w", file, err)
	}
	order(d.Fields)
	return d, nil
}

// order puts fields and their follow-ups into their order.
func order(fields []trilith.DomainField) {
	slices.SortStableFunc(fields, func(a, b trilith.DomainField) int { return cmp.Compare(a.Order, b.Order) })
	for i := range fields {
		order(fields[i].FollowUps)
	}
}

var (
	domainPattern   = lazyre.New(`^[a-z0-9_-]+$`)
	fieldPattern    = lazyre.New(`^[a-z0-9_]+$`)
	languagePattern = lazyre.New(`^[a-z]{2,3}$`)
)

// The bounds of texts in a schema, in runes, and of follow-ups within follow-ups.
const (
	maxName     = 64
	maxLabel    = 120
	maxSentence = 1000
	maxDepth    = 4
	maxWords    = 50 // choices, aliases or conditions of a field
)

func check(d *trilith.Domain) error {
	switch {
	case !domainPattern.MatchString(d.ID) || len(d.ID) > maxName:
		return fmt.Errorf("id: must be 1 to %d of a-z 0-9 _ -", maxName)
	case blank(d.Title) || utf8.RuneCountInString(d.Title) > maxLabel:
		return fmt.Errorf("title: must be 1 to %d characters long", maxLabel)
	case !languagePattern.MatchString(d.Language):
		return fmt.Errorf("language: must be the code of a language, such as de or en")
	case len(d.Fields) == 0:
		return fmt.Errorf("fields: a domain needs at least one")
	}
	for name, text := range map[string]string{"description": d.Description, "persona.name": d.Persona.Name,
		"persona.style": d.Persona.Style, "persona.greeting": d.Persona.Greeting} {
		if utf8.RuneCountInString(text) > maxSentence {
			return fmt.Errorf("%s: is longer than %d characters", name, maxSentence)
		}
	}
	c := checking{ids: map[string]bool{}, labels: map[string]string{}}
	if err := c.fields(d.Fields, nil, 1); err != nil {
		return err
	}
	if len(c.ids) > trilith.MaxDomainFields {
		return fmt.Errorf("fields: there are %d with follow-ups, at most %d are allowed", len(c.ids),
			trilith.MaxDomainFields)
	}
	return nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// checking holds what must be unique among fields: ids are keys of entries, and labels tell people which field is
// meant.
type checking struct {
	ids    map[string]bool
	labels map[string]string
}

func (c *checking) fields(fields []trilith.DomainField, parent *trilith.DomainField, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("field %q: its follow-ups lie deeper than %d", parent.ID, maxDepth)
	}
	for i := range fields {
		f := &fields[i]
		if err := c.field(f, parent, i); err != nil {
			return err
		}
		if err := c.fields(f.FollowUps, f, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// domainTypes are the valid types of a domain's fields.
var domainTypes = []trilith.FieldType{trilith.FieldText, trilith.FieldNumber, trilith.FieldDate, trilith.FieldChoice,
	trilith.FieldList}

func (c *checking) field(f, parent *trilith.DomainField, i int) error {
	if !fieldPattern.MatchString(f.ID) || len(f.ID) > maxName {
		where := fmt.Sprintf("fields, number %d", i+1)
		if parent != nil {
			where = fmt.Sprintf("field %q: follow_ups, number %d", parent.ID, i+1)
		}
		return fmt.Errorf("%s: id: must be 1 to %d of a-z 0-9 _", where, maxName)
	}
	label := textproc.Fold(strings.TrimSpace(f.Label))
	err := func() error {
		switch {
		case c.ids[f.ID]:
			return errors.New("id: another field has it")
		case label == "" || utf8.RuneCountInString(f.Label) > maxLabel:
			return fmt.Errorf("label: must be 1 to %d characters long", maxLabel)
		case c.labels[label] != "":
			return fmt.Errorf("label: %q is already the label of field %q; choose another", f.Label, c.labels[label])
		case blank(f.Question) || utf8.RuneCountInString(f.Question) > maxSentence:
			return fmt.Errorf("question: must be 1 to %d characters long", maxSentence)
		case !slices.Contains(domainTypes, f.Type):
			return fmt.Errorf("type: %q is not one of text, number, date, choice, list", f.Type)
		case (f.Type == trilith.FieldChoice) != (len(f.Choices) > 0):
			return errors.New("choices: a field of type choice has them, and no other has")
		case parent == nil && len(f.When) > 0:
			return errors.New("when: belongs to follow-ups only")
		case utf8.RuneCountInString(f.Category) > maxLabel:
			return fmt.Errorf("category: is longer than %d characters", maxLabel)
		}
		for name, list := range map[string][]string{"choices": f.Choices, "aliases": f.Aliases, "when": f.When} {
			if err := checkWords(name, list); err != nil {
				return err
			}
		}
		if parent != nil && parent.Type == trilith.FieldChoice {
			for _, w := range f.When {
				if _, ok := choice(parent, w); !ok {
					return fmt.Errorf("when: %q is not a choice of field %q; name one of its choices", w, parent.ID)
				}
			}
		}
		return nil
	}()
	if err != nil {
		return fmt.Errorf("field %q: %w", f.ID, err)
	}
	c.ids[f.ID], c.labels[label] = true, f.ID
	return nil
}

func checkWords(name string, list []string) error {
	if len(list) > maxWords {
		return fmt.Errorf("%s: has %d members, at most %d are allowed", name, len(list), maxWords)
	}
	seen := map[string]bool{}
	for _, w := range list {
		key := textproc.Fold(strings.TrimSpace(w))
		switch {
		case key == "" || utf8.RuneCountInString(w) > maxLabel:
			return fmt.Errorf("%s: each must be 1 to %d characters long", name, maxLabel)
		case seen[key]:
			return fmt.Errorf("%s: %q is there twice", name, w)
		}
		seen[key] = true
	}
	return nil
}

// choice returns the choice of a field that a text is, whatever its case.
func choice(f *trilith.DomainField, text string) (string, bool) {
	key := textproc.Fold(strings.TrimSpace(text))
	for _, c := range f.Choices {
		if textproc.Fold(strings.TrimSpace(c)) == key {
			return c, true
		}
	}
	return "", false
}
