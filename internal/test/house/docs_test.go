package house_test

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

// TestFirstMinute keeps the start of the README to the two commands that a newcomer needs. The blocks marked sh are
// promises: the project's checks run both.
func TestFirstMinute(t *testing.T) {
	t.Parallel()
	got := codeBlocks(t, "README.md", "sh")
	want := []string{"go run ./cmd/trilith demo", "make test"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("README.md: its sh blocks differ (-want +got):\n%s", diff)
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := fs.Stat(house, filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}

func TestTargetsExist(t *testing.T) {
	t.Parallel()
	targets := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	named := regexp.MustCompile("(?m)(?:`|\\$ |^)make ([a-z0-9-]+)")
	for _, page := range append(pages(t), filepath.Join(".ci", "run")) {
		for _, m := range named.FindAllStringSubmatch(read(t, page), -1) {
			if !targets[m[1]] {
				t.Errorf("%s tells the reader to run make %s, which the Makefile does not know", page, m[1])
			}
		}
	}
}

// TestStepsOfChecks: the workflow runs every step of the checks.
func TestStepsOfChecks(t *testing.T) {
	t.Parallel()
	steps := regexp.MustCompile(`(?m)^steps=\((.*)\)$`).FindStringSubmatch(read(t, filepath.Join(".ci", "run")))
	matrix := regexp.MustCompile(`(?m)^ +step: \[(.*)\]$`).FindStringSubmatch(
		read(t, filepath.Join(".github", "workflows", "ci.yml")))
	if steps == nil || matrix == nil || strings.ReplaceAll(matrix[1], ",", "") != steps[1] {
		t.Errorf("the checks have the steps %q, the workflow runs %q", steps, matrix)
	}
}

// TestFilterGuide reads every example of the guide, and compares its lists with the grammar's.
func TestFilterGuide(t *testing.T) {
	t.Parallel()
	page := filepath.Join("docs", "filters.md")
	examples := codeBlocks(t, page, "json")
	if len(examples) < 5 {
		t.Errorf("%s shows %d examples, want at least 5", page, len(examples))
	}
	for _, example := range examples {
		var f trilith.Filter
		if err := json.Unmarshal([]byte(example), &f); err != nil {
			t.Errorf("%s: the example %s is refused: %v", page, example, err)
		}
	}
	text := read(t, page)
	for _, word := range []string{"kind", "state", "trust", "seq", "tags", "valid_until"} {
		if err := trilith.Where(word, trilith.OpEq, nil).Validate(); err != nil || !strings.Contains(text, "`"+word+"`") {
			t.Errorf("%s and the grammar disagree about the field %s: %v", page, word, err)
		}
	}
	for _, k := range trilith.Kinds() {
		if !strings.Contains(text, "`"+string(k)+"`") {
			t.Errorf("%s does not name the kind %s", page, k)
		}
	}
	for _, s := range trilith.States() {
		if !strings.Contains(text, "`"+string(s)+"`") {
			t.Errorf("%s does not name the state %s", page, s)
		}
	}
	for what, limit := range map[string]int{"deep": trilith.MaxFilterDepth, "conditions": trilith.MaxFilterNodes,
		"values in a list": trilith.MaxFilterList, "bytes in a pattern": trilith.MaxFilterPattern} {
		if sentence := strconv.Itoa(limit) + " " + what; !strings.Contains(text, sentence) {
			t.Errorf("%s does not say %q", page, sentence)
		}
	}
}

// TestDesignNamesThings: the tables of errors are complete.
func TestDesignNamesThings(t *testing.T) {
	t.Parallel()
	text := read(t, filepath.Join("docs", "design.md"))
	for _, k := range trilith.ErrorKinds() {
		if !strings.Contains(text, "| `"+k.String()+"` |") {
			t.Errorf("docs/design.md: the table of errors lacks %s", k)
		}
		if !strings.Contains(read(t, filepath.Join("docs", "rest.md")), "| `"+k.String()+"`") {
			t.Errorf("docs/rest.md: the table of errors lacks %s", k)
		}
	}
}

// TestDesignRoles: the table of roles names interfaces of internal/role and every driver.
func TestDesignRoles(t *testing.T) {
	t.Parallel()
	roles, drivers := map[string]bool{}, map[string]bool{}
	for _, f := range productionFiles(t, "internal/role") {
		for _, spec := range typeSpecs(f.syntax) {
			_, ok := spec.Type.(*ast.InterfaceType)
			roles[spec.Name.Name] = ok
		}
	}
	for name := range strings.FieldsSeq("sqlite postgres firestore embedded qdrant walk age hashembed builtin scripted local " +
		"openai anthropic gemini ollama voyage rerank") {
		drivers[name] = false
	}
	_, table, _ := strings.Cut(read(t, "docs/design.md"), "\n## Roles\n")
	table, _, _ = strings.Cut(table, "\n## ")
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]\w+) \| .+ \| (.+) \|$`).FindAllStringSubmatch(table, -1) {
		if !roles[row[1]] {
			t.Errorf("docs/design.md: the role %s is not an interface of internal/role", row[1])
		}
		for _, name := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(row[2], -1) {
			if _, ok := drivers[name[1]]; !ok {
				t.Errorf("docs/design.md: %s of %s is no driver", name[1], row[1])
			}
			drivers[name[1]] = true
		}
	}
	for name, found := range drivers {
		if !found {
			t.Errorf("docs/design.md: the table of roles lacks the driver %s", name)
		}
	}
}

// TestDesignSettings: the table of settings is that of .env.example, which a test of the command holds to the code.
func TestDesignSettings(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(read(t, "docs/design.md"), "\n## Configuration\n")
	names := func(text, pattern string) []string {
		var out []string
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	_, table, _ := strings.Cut(section, "\n|---|")
	table, _, _ = strings.Cut(table, "\n\n")
	want := names(read(t, ".env.example"), `(?m)^#?(TRILITH_[A-Z_]+)=`)
	if diff := cmp.Diff(want, names(table, "`(TRILITH_[A-Z_]+)`")); diff != "" {
		t.Errorf("docs/design.md: settings (-.env.example +table):\n%s", diff)
	}
}

// TestRetrievalWeights: the page says what the constants are.
func TestRetrievalWeights(t *testing.T) {
	t.Parallel()
	values := map[string]float64{}
	for _, f := range slices.Concat(productionFiles(t, "internal/search/retrieve"), productionFiles(t, "internal/search/lexical")) {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, v := range spec.Values {
				if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.FLOAT {
					values[spec.Names[i].Name], _ = strconv.ParseFloat(lit.Value, 64)
				}
			}
			return true
		})
	}
	text := read(t, "docs/retrieval.md")
	for name, pattern := range map[string]string{
		"weightAssistant": "\n\\| `roles` \\|.*\\| × ([0-9.]+) \\|",
		"weightFact":      "\n\\| `facts` \\|.*\\| ([0-9.]+), from",
		"factFloor":       "\n\\| `facts` \\|.*, from ([0-9.]+) on \\|",
		"weightWords":     `\*c\* is ([0-9.]+) for the built-in`,
		"weightDense":     `word vectors and ([0-9.]+) for an embedder`,
		"requestWeight":   "\n\\| `request` \\|.*\\| × ([0-9.]+) \\|",
		"aboutNobody":     "\n\\| `person` \\|.*\\| × ([0-9.]+) \\|",
		"tellsTime":       "\n\\| `when` \\|.*\\| × ([0-9.]+) \\|",
		"tellsWish":       "\n\\| `cue` \\|.*\\| × ([0-9.]+) \\|",
		"namedSpeaker":    "\n\\| `names` \\|.*\\| \\+([0-9.]+) \\|",
	} {
		want, known := values[name]
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if !known || m == nil {
			t.Errorf("docs/retrieval.md: no constant %s in the code, or none on the page", name)
			continue
		}
		if got, err := strconv.ParseFloat(m[1], 64); err != nil || got != want {
			t.Errorf("docs/retrieval.md gives %s as %s, the code has %v", name, m[1], want)
		}
	}
}

// TestDecisionsHaveTheirForm: one page each, with the parts in order, and a line in the list.
func TestDecisionsHaveTheirForm(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("docs", "decisions")
	list := read(t, filepath.Join(dir, "README.md"))
	names, err := fs.Glob(house, filepath.Join(dir, "[0-9]*.md"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no decision in %s: %v", dir, err)
	}
	form := regexp.MustCompile(
		`(?s)^# \d{4}: .+\n\nStatus: (accepted|superseded by \d{4})\nDate: \d{4}-\d\d-\d\d\n\n## Context\n.+\n## Decision\n.+\n## Alternatives\n.+\n## Consequences\n.+$`)
	for i, name := range names {
		number := filepath.Base(name)[:4]
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			t.Errorf("%s: is number %d of the decisions", name, i+1)
		}
		text := read(t, name)
		if !form.MatchString(text) || !strings.HasPrefix(text, "# "+number+": ") {
			t.Errorf("%s: want its number and title, Status, Date, Context, Decision, Alternatives, Consequences", name)
		}
		if !strings.Contains(list, "("+filepath.Base(name)+")") {
			t.Errorf("%s is not in the list of decisions", name)
		}
	}
}

// maxCoreWords bounds what a newcomer reads first.
const maxCoreWords = 9000

func TestCorePagesAreShort(t *testing.T) {
	t.Parallel()
	total := 0
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "AGENTS.md", "docs/design.md", "docs/glossary.md"} {
		total += len(strings.Fields(read(t, page)))
	}
	if total > maxCoreWords {
		t.Errorf("the core pages have %d words, more than %d: move detail to the page of its mechanism",
			total, maxCoreWords)
	}
}

// TestGlossaryEntries: one short entry for each word.
func TestGlossaryEntries(t *testing.T) {
	t.Parallel()
	const most = 45 // words
	seen := map[string]bool{}
	entry := regexp.MustCompile(`(?m)^\*\*(.+?)\.\*\* ((?:.+\n)+)`)
	for _, m := range entry.FindAllStringSubmatch(read(t, "docs/glossary.md"), -1) {
		for word := range strings.SplitSeq(strings.ToLower(m[1]), ", ") {
			if seen[word] {
				t.Errorf("docs/glossary.md has two entries for %q", word)
			}
			seen[word] = true
		}
		if n := len(strings.Fields(m[2])); n > most {
			t.Errorf("docs/glossary.md: the entry %q has %d words, more than %d", m[1], n, most)
		}
	}
	if len(seen) < 100 {
		t.Errorf("docs/glossary.md: found %d words, want its form to be **Word.** and a sentence", len(seen))
	}
}

// TestWordsWeDoNotUse finds coinages that docs/words.tsv replaces, in pages, in the comments of the code, and in what
// programs say to people. Decisions and the changelog are history, and packages.md comes from package comments.
func TestWordsWeDoNotUse(t *testing.T) {
	t.Parallel()
	glossary, table, _ := strings.Cut(read(t, "docs/glossary.md"), "\n## Words we do not use\n")
	code := regexp.MustCompile("(?ms)^ *```.*?^ *```$|`[^`\n]*`|\\]\\([^)]*\\)")
	texts := map[string]string{"docs/glossary.md": code.ReplaceAllString(glossary, "")}
	for _, page := range pages(t) {
		page = filepath.ToSlash(page)
		exempt := []string{"docs/glossary.md", "docs/packages.md", "CHANGELOG.md"}
		if !slices.Contains(exempt, page) && !strings.HasPrefix(page, "docs/decisions/") {
			texts[page] = code.ReplaceAllString(read(t, page), "")
		}
	}
	maps.Copy(texts, comments(t))
	maps.Copy(texts, messages(t))
	for row := range strings.Lines(read(t, "docs/words.tsv")) {
		f := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		if len(f) != 3 || !strings.Contains(table, "\n| "+f[0]+" | "+f[1]+" |\n") {
			t.Fatalf("docs/words.tsv: %q is not a word, its replacement and a pattern, or the glossary's table lacks it", row)
		}
		if f[2] == "" {
			continue // its other senses are plain English
		}
		pattern := regexp.MustCompile("(?i)" + f[2])
		if !pattern.MatchString(f[0]) {
			t.Errorf("docs/words.tsv: the pattern %s does not find %q", f[2], f[0])
		}
		for page, text := range texts {
			for _, found := range pattern.FindAllString(text, -1) {
				t.Errorf("%s says %q: write %s", page, found, f[1])
			}
		}
	}
}

// TestSentencesHaveSubjects finds sentences of comments and messages that begin with "Who …" or "Whoever …": a reader
// has to turn them round. Name the subject: "A caller that …".
func TestSentencesHaveSubjects(t *testing.T) {
	t.Parallel()
	riddle := regexp.MustCompile(`(?m)(?:^|[.:;] )(?:Who|Whoever) [a-z][^?\n]*$|[.:;] whoever `)
	texts := comments(t)
	maps.Copy(texts, messages(t))
	for name, text := range texts {
		for _, found := range riddle.FindAllString(text, -1) {
			t.Errorf("%s says %q: name the subject", name, found)
		}
	}
}

// comments returns the comments of each Go file of the module, a paragraph on a line, without what they quote.
func comments(t *testing.T) map[string]string {
	t.Helper()
	quoted := regexp.MustCompile("\"[^\"]*\"|`[^`]*`")
	texts := make(map[string]string)
	for _, f := range moduleFiles(t) {
		var text strings.Builder
		for _, group := range f.syntax.Comments {
			for paragraph := range strings.SplitSeq(group.Text(), "\n\n") {
				text.WriteString(quoted.ReplaceAllString(strings.Join(strings.Fields(paragraph), " "), "") + "\n")
			}
		}
		texts[f.path] = text.String()
	}
	return texts
}

// says are the functions whose literals people read: errors, log lines, and what commands print.
var says = regexp.MustCompile(`^(Errorf|WrapError|New|linef|notef|invalid|bad|mistake|refuse|fail|` +
	`(Debug|Info|Warn|Error)(Context)?|Sprintf|Fprintf|Fprintln|Fprint)$`)

// shown are the members of structs whose literals people read.
var shown = regexp.MustCompile(`^(summary|Summary|Description|Detail|Fix|doc|what|why)$`)

// messages returns the messages in the Go files of the program, one on a line: the literals in calls of [says], and the
// help of commands and flags.
func messages(t *testing.T) map[string]string {
	t.Helper()
	help := regexp.MustCompile("(?:help|doc):\"([^\"]*)\"")
	// names of flags and fields before a colon are the caller's, whatever their words
	field := regexp.MustCompile("^[a-z][a-z_.-]*: ")
	texts := make(map[string]string)
	for _, f := range moduleFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") || strings.Contains(f.path, "test/") {
			continue
		}
		var text strings.Builder
		literals := func(n ast.Node) {
			ast.Inspect(n, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if s, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(s, " ") {
						text.WriteString(field.ReplaceAllString(strings.Join(strings.Fields(s), " "), "") + "\n")
					}
				}
				_, inner := n.(*ast.FuncLit)
				return !inner
			})
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if says.MatchString(calledName(n)) {
					for _, arg := range n.Args {
						literals(arg)
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && shown.MatchString(key.Name) {
					literals(n.Value)
				}
			case *ast.Field:
				if n.Tag != nil {
					for _, m := range help.FindAllStringSubmatch(n.Tag.Value, -1) {
						text.WriteString(m[1] + "\n")
					}
				}
			}
			return true
		})
		texts[f.path+" (messages)"] = text.String()
	}
	return texts
}

// calledName returns the name of the function or method that a call calls; empty if it has none.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func pages(t *testing.T) []string {
	t.Helper()
	found, err := fs.Glob(house, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(house, "docs", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Ext(name) == ".md" {
			found = append(found, name)
		}
		return err
	})
	if err != nil || !slices.Contains(found, "README.md") {
		t.Fatalf("finding the pages: %v, found %q", err, found)
	}
	return found
}

// codeBlocks returns the fenced blocks of a page that are marked with the language.
func codeBlocks(t *testing.T, page, language string) []string {
	t.Helper()
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^ *```"+language+"\n(.*?)^ *```$").FindAllStringSubmatch(
		read(t, page), -1) {
		blocks = append(blocks, strings.TrimSpace(m[1]))
	}
	return blocks
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := fs.ReadFile(house, name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
