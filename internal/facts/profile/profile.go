// Package profile reads extraction profiles: files that describe the facts a model looks for. It ships some, and
// reads others from a folder.
package profile

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/disk"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Default is the profile that is used unless another is chosen.
const Default = "personal"

//go:embed profiles/*.yaml
var shipped embed.FS

// Load returns the shipped profiles and those in a folder, by name; a profile in the folder replaces a shipped one of
// the same name. It reads files that end in .yaml or .yml and ignores others.
func Load(dir string) ([]trilith.Profile, error) {
	ours, err := Shipped()
	if err != nil || dir == "" {
		return ours, err
	}
	theirs, err := read(os.DirFS(dir), ours)
	if err != nil {
		return nil, err
	}
	for _, p := range ours {
		if !slices.ContainsFunc(theirs, func(t trilith.Profile) bool { return t.Name == p.Name }) {
			theirs = append(theirs, p)
		}
	}
	slices.SortFunc(theirs, byName)
	return theirs, nil
}

// readShipped parses them once, because that takes some milliseconds.
var readShipped = sync.OnceValues(func() ([]trilith.Profile, error) {
	files, err := fs.Sub(shipped, "profiles")
	if err != nil {
		return nil, err
	}
	return read(files, nil)
})

// Shipped returns the profiles that come with the program, by name.
func Shipped() ([]trilith.Profile, error) {
	all, err := readShipped()
	return slices.Clone(all), err
}

// read reads the profiles in a folder. A profile may extend another one of the folder, or a known one.
func read(files fs.FS, known []trilith.Profile) ([]trilith.Profile, error) {
	inFile := map[string]string{}
	decode := func(file string, body []byte) (trilith.Profile, error) {
		p, err := decode(file, body)
		inFile[p.Name] = file
		return p, err
	}
	all, err := disk.ReadDefinitions(files, "profiles", decode, func(p trilith.Profile) string { return p.Name })
	if err != nil {
		return nil, err
	}
	written := slices.Clone(all) // before any is extended
	for i := range all {
		if all[i].Extends != "" {
			err = extend(&all[i], slices.Concat(written, known))
		}
		if err == nil {
			err = check(&all[i])
		}
		if err != nil {
			return nil, trilith.Errorf(trilith.Invalid, "profiles: %s: %w", inFile[all[i].Name], err)
		}
	}
	return all, nil
}

func decode(file string, body []byte) (p trilith.Profile, err error) {
	return p, disk.DecodeYAML("profiles", file, body, &p)
}

// extend adds to a profile the parts of the one that it extends; its own definitions win. A profile that extends
// another cannot be extended itself, so the parts of a profile are in two files at most.
func extend(p *trilith.Profile, among []trilith.Profile) error {
	at := slices.IndexFunc(among, func(o trilith.Profile) bool { return o.Name == p.Extends })
	if at < 0 || among[at].Extends != "" || p.Extends == p.Name {
		return fmt.Errorf("extends: %q must be a known profile that extends no other", p.Extends)
	}
	base := &among[at]
	own := *p
	p.Rules = slices.Concat(base.Rules, own.Rules) // the more specific rules come last
	p.Types, p.Verbs = slices.Clone(own.Types), slices.Clone(own.Verbs)
	p.Categories, p.Topics = slices.Clone(own.Categories), slices.Clone(own.Topics)
	for _, t := range base.Types {
		if !slices.ContainsFunc(own.Types, func(o trilith.ProfileType) bool { return o.Name == t.Name }) {
			p.Types = append(p.Types, t)
		}
	}
	for _, v := range base.Verbs {
		if !slices.ContainsFunc(own.Verbs, func(o trilith.ProfileVerb) bool { return o.Name == v.Name }) {
			p.Verbs = append(p.Verbs, v)
		}
	}
	for _, t := range base.Topics {
		if !slices.ContainsFunc(own.Topics, func(o trilith.ProfileTopic) bool { return o.Name == t.Name }) {
			p.Topics = append(p.Topics, t)
		}
	}
	for _, c := range base.Categories {
		if !slices.Contains(own.Categories, c) {
			p.Categories = append(p.Categories, c)
		}
	}
	p.Examples = slices.Concat(own.Examples, base.Examples)
	return nil
}

var (
	namePattern = regexp.MustCompile(`^[a-z0-9-]+$`)
	wordPattern = regexp.MustCompile(`^[a-z0-9_]+$`)
	nodePattern = regexp.MustCompile(`^[\pL\pN][\pL\pN _-]*$`)
)

// maxProfile limits the parts of a profile, because every prompt contains all of them.
const maxProfile = 200

func check(p *trilith.Profile) error {
	switch {
	case !is(p.Name, namePattern):
		return fmt.Errorf("name: must have 1 to 64 characters of a-z, 0-9 and -")
	case p.Description == "":
		return fmt.Errorf("description: is missing; say what the profile is for")
	case len(p.Types) == 0 || len(p.Verbs) == 0:
		return fmt.Errorf("types, verbs: define at least one of each")
	case max(len(p.Types), len(p.Verbs), len(p.Topics), len(p.Categories), len(p.Rules), len(p.Examples)) > maxProfile:
		return fmt.Errorf("types, verbs, topics, categories, rules, examples: a list has more than %d members; remove some",
			maxProfile)
	}
	for i := range p.Types {
		if err := checkType(p, &p.Types[i], p.Types[:i]); err != nil {
			return fmt.Errorf("types, %q: %w", p.Types[i].Name, err)
		}
	}
	for i, v := range p.Verbs {
		if err := checkVerb(p, v, p.Verbs[:i]); err != nil {
			return fmt.Errorf("verbs, %q: %w", v.Name, err)
		}
	}
	for i, t := range p.Topics {
		if err := checkTopic(p, t, p.Topics[:i]); err != nil {
			return fmt.Errorf("topics, %q: %w", t.Name, err)
		}
	}
	for i, c := range p.Categories {
		if c.Name == "" || slices.Contains(p.Categories[:i], c) {
			return fmt.Errorf("categories: number %d has no name or repeats another; name it, or remove it", i+1)
		}
	}
	for i := range p.Examples {
		if err := checkExample(p, &p.Examples[i]); err != nil {
			return fmt.Errorf("examples, number %d: %w", i+1, err)
		}
	}
	return nil
}

// checkWord checks the name of a definition, which no other of its kind may have, and its description.
func checkWord(name, description string, twice bool) error {
	switch {
	case !is(name, wordPattern):
		return fmt.Errorf("name: must have 1 to 64 characters of a-z, 0-9 and _")
	case twice:
		return fmt.Errorf("name: is defined twice; remove or rename one of them")
	case description == "":
		return fmt.Errorf("description: is missing; say what to look for")
	}
	return nil
}

func checkType(p *trilith.Profile, t *trilith.ProfileType, before []trilith.ProfileType) error {
	twice := slices.ContainsFunc(before, func(o trilith.ProfileType) bool { return o.Name == t.Name })
	if err := checkWord(string(t.Name), t.Description, twice); err != nil {
		return err
	}
	switch {
	case !slices.Contains([]trilith.ProfileTime{"", trilith.TimeSince, trilith.TimeSpan, trilith.TimeDue}, t.Time):
		return fmt.Errorf("time: %q is not one of since, span, due", t.Time)
	}
	for i, f := range t.Fields {
		twice := slices.ContainsFunc(t.Fields[:i], func(o trilith.ProfileField) bool { return o.Name == f.Name })
		if err := checkWord(f.Name, f.Description, twice); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
		switch {
		case !slices.Contains([]trilith.FieldType{trilith.FieldText, trilith.FieldNumber, trilith.FieldDate,
			trilith.FieldFlag,
			trilith.FieldChoice, trilith.FieldCategory}, f.Type):
			return fmt.Errorf("field %q: type: %q is not one of text, number, date, flag, choice, category",
				f.Name, f.Type)
		case (f.Type == trilith.FieldChoice) != (len(f.Choices) > 0):
			return fmt.Errorf("field %q: choices: list them for the type choice, and for no other type", f.Name)
		case f.Type == trilith.FieldCategory && len(p.Categories) == 0:
			return fmt.Errorf("field %q: type: category needs categories in the profile; add some, or use another type", f.Name)
		}
	}
	return nil
}

var moneyTypes = []string{"", "estimate", "quote", "change_order", "hard_cost", "invoice", "payment", "budget", "credit_note",
	"refund", "other"}

func checkVerb(p *trilith.Profile, v trilith.ProfileVerb, before []trilith.ProfileVerb) error {
	twice := slices.ContainsFunc(before, func(o trilith.ProfileVerb) bool { return o.Name == v.Name })
	if err := checkWord(v.Name, v.Description, twice); err != nil {
		return err
	}
	switch {
	case !slices.ContainsFunc(p.Types, func(t trilith.ProfileType) bool { return t.Name == v.Type }):
		return fmt.Errorf("type: %q is not a type of the profile; define it, or use one that is", v.Type)
	case !is(v.Node, nodePattern):
		return fmt.Errorf("node: must be a word, such as Location")
	case v.Cardinality != "single" && v.Cardinality != "multi":
		return fmt.Errorf("cardinality: %q is not one of single, multi", v.Cardinality)
	case !slices.Contains(moneyTypes, v.Money):
		return fmt.Errorf("money: %q is not one of %s", v.Money, strings.Join(moneyTypes[1:], ", "))
	}
	return nil
}

func checkTopic(p *trilith.Profile, t trilith.ProfileTopic, before []trilith.ProfileTopic) error {
	twice := slices.ContainsFunc(before, func(o trilith.ProfileTopic) bool { return o.Name == t.Name })
	if err := checkWord(t.Name, t.Description, twice); err != nil {
		return err
	}
	if len(t.Verbs) == 0 {
		return fmt.Errorf("verbs: are missing; name those that its facts are kept under, the one for any value last")
	}
	for _, name := range t.Verbs {
		if !slices.ContainsFunc(p.Verbs, func(v trilith.ProfileVerb) bool { return v.Name == name }) {
			return fmt.Errorf("verbs: the profile has no verb %q; define it, or use another", name)
		}
	}
	return nil
}

// is reports whether s matches the pattern and has at most 64 runes. A limit in the patterns themselves would repeat
// their parts, and cost every start of the program 10 ms and 3 MB.
func is(s string, pattern *regexp.Regexp) bool {
	return utf8.RuneCountInString(s) <= 64 && pattern.MatchString(s)
}

// VerbOf returns the verb that a fact of a topic, or of a verb that takes the topic's place, is kept under, complete.
func VerbOf(p *trilith.Profile, topic, value string) (v trilith.ProfileVerb, ok bool) {
	verb := func(name string) (trilith.ProfileVerb, bool) {
		i := slices.IndexFunc(p.Verbs, func(v trilith.ProfileVerb) bool { return v.Name == name })
		if i < 0 {
			i = slices.IndexFunc(p.Verbs, func(v trilith.ProfileVerb) bool { return v.Covers(name) })
		}
		if i < 0 {
			return trilith.ProfileVerb{}, false
		}
		v := p.Verbs[i]
		v.Name = name
		return v, true
	}
	at := slices.IndexFunc(p.Topics, func(t trilith.ProfileTopic) bool { return t.Name == topic })
	if at < 0 {
		if v, ok = verb(topic); ok && strings.HasSuffix(v.Name, "_") { // the value completes it
			end := strings.Trim(notWord.ReplaceAllString(textproc.Fold(value), "_"), "_")
			v.Name += end
			ok = end != "" && len(v.Name) <= 64
		}
		return v, ok
	}
	verbs := p.Topics[at].Verbs
	for _, name := range verbs {
		v, ok = verb(name)
		if form := forms[v.Node]; name == verbs[len(verbs)-1] || form != nil && form.MatchString(value) {
			break
		}
	}
	return v, ok
}

// forms are those of values that need no name of their kind.
var forms = map[string]lazyre.Regexp{
	"Age":      lazyre.New(`^(?:[1-9]\d?|1[01]\d)$`),
	"Email":    lazyre.New(`^\S+@\S+\.\pL+$`),
	"Phone":    lazyre.New(`^\+?[\d /().-]{6,}$`),
	"Location": lazyre.New(`^[\p{Lu}\p{Lt}\p{Lo}][\pL\pM'’., -]*$`), // a name, in a script that has capitals
}

var notWord = lazyre.New(`[^a-z0-9]+`)

// checkExample checks that an example is correct, and that a model that copies it is caught.
func checkExample(p *trilith.Profile, e *trilith.ProfileExample) error {
	if len(e.Turns) == 0 {
		return fmt.Errorf("turns: are missing; give at least one")
	}
	for _, t := range e.Turns {
		if t.Role != trilith.RoleUser && t.Role != trilith.RoleAssistant || t.Text == "" {
			return fmt.Errorf("turns: each needs a text, and the role user or assistant")
		}
	}
	said := func(words string) bool {
		return slices.ContainsFunc(e.Turns, func(t trilith.ExampleTurn) bool { return strings.Contains(t.Text, words) })
	}
	for _, f := range e.Facts {
		switch {
		case f.Quote == "" || !said(f.Quote) || !said(f.WhoseWords) || !said(f.TimeWords):
			return fmt.Errorf("fact %q: quote, whose_words, time_words: must be in a turn, word for word", f.Sentence)
		case !slices.ContainsFunc(
			strings.Fields(f.Value), func(w string) bool { return strings.HasPrefix(w, trilith.PlaceholderPrefix) }):
			return fmt.Errorf("fact %q: value: needs a made-up word that begins with %s, so that a copy can be recognised",
				f.Sentence, trilith.PlaceholderPrefix)
		case f.About == "" || f.Sentence == "":
			return fmt.Errorf("fact %q: about, sentence and value are required", f.Sentence)
		}
		v, ok := VerbOf(p, f.Topic, f.Value)
		if !ok {
			return fmt.Errorf("fact %q: topic: the profile has no topic or verb %q; define it, or use another", f.Sentence, f.Topic)
		}
		t := p.Types[slices.IndexFunc(p.Types, func(t trilith.ProfileType) bool { return t.Name == v.Type })]
		for name := range f.Fields {
			if !slices.ContainsFunc(t.Fields, func(o trilith.ProfileField) bool { return o.Name == name }) {
				return fmt.Errorf("fact %q: fields: the type %q has no field %q; define it, or remove it", f.Sentence, t.Name, name)
			}
		}
	}
	return nil
}

func byName(a, b trilith.Profile) int { return cmp.Compare(a.Name, b.Name) }
