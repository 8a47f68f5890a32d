package main

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"iter"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

type files = iter.Seq2[string, []byte]

// readers know the forms that sources have.
var readers = map[string]func(*reading, files){
	"persona": readPersonas, "strategyqa": readStrategyQA, "intents": readIntents, "banking": readBanking,
	"nlu":     readNLU,
	"medquad": readMedQuAD, "protoqa": readProtoQA, "gsm": readGSM, "openstax": readOpenStax, "recipes": readRecipes,
	"ebook": readEbook, "zip": readZip, "lists": readLists, "roget": readRoget, "wordnet": readWordNet,
}

var (
	speaker  = regexp.MustCompile(`^User \d: *`)
	anyWord  = regexp.MustCompile(`[a-z]+`)
	saysLess = strings.Fields("like love have that with what your really favorite this been just")
)

// readPersonas reads conversations of two people about whom a few sentences each are known. A sentence belongs to the
// first turn of its person that shares a telling word with it, and to the other one's turn before that.
func readPersonas(r *reading, fs files) {
	for _, data := range fs {
		for _, row := range rows(data) {
			personas := [][]string{lines(row["user 1 personas"]), lines(row["user 2 personas"])}
			r.doc(personas[0]...)
			r.doc(personas[1]...)
			said := lines(row["Best Generated Conversation"])
			turns := make([]string, len(said))
			for i, l := range said {
				turns[i] = speaker.ReplaceAllString(l, "")
			}
			r.doc(turns...)
			r.neighbours("persona_turn", turns, 1)
			r.neighbours("persona_skip", turns, 2)
			for i := 1; i < len(turns); i++ {
				if strings.HasSuffix(turns[i-1], "?") {
					r.pair("persona_answer", turns[i-1], turns[i])
				}
			}
			for p, who := range []string{"User 1", "User 2"} {
				for _, sentence := range personas[p] {
					about := telling(sentence)
					for i := 1; i < len(said); i++ {
						if !strings.HasPrefix(said[i], who) || strings.HasPrefix(said[i-1], who) ||
							!overlap(about, telling(said[i])) {
							continue
						}
						r.pair("persona_before", turns[i-1], sentence)
						r.pair("persona_said", turns[i], sentence)
						break
					}
				}
			}
		}
	}
}

// telling returns the beginnings of the words of a line that reveal its topic.
func telling(line string) map[string]bool {
	set := map[string]bool{}
	for _, w := range anyWord.FindAllString(strings.ToLower(line), -1) {
		if len(w) > 3 && !slices.Contains(saysLess, w) {
			set[w[:min(len(w), 5)]] = true
		}
	}
	return set
}

func overlap(a, b map[string]bool) bool {
	for w := range a {
		if b[w] {
			return true
		}
	}
	return false
}

func readStrategyQA(r *reading, fs files) {
	for _, data := range fs {
		var all []struct {
			Question, Term, Description string
			Facts                       []string
		}
		if json.Unmarshal(data, &all) != nil {
			continue
		}
		for _, q := range all {
			r.doc(append([]string{q.Question}, q.Facts...)...)
			for _, fact := range q.Facts {
				r.pair("strategy", q.Question, fact)
			}
			r.pair("strategy", q.Term, q.Description)
		}
	}
}

// readIntents reads people's questions, by intent.
func readIntents(r *reading, fs files) {
	for _, data := range fs {
		var splits map[string][][2]string
		if json.Unmarshal(data, &splits) != nil {
			continue
		}
		by := map[string][]string{}
		for _, split := range []string{"train", "val", "test"} {
			for _, q := range splits[split] {
				by[q[1]] = append(by[q[1]], q[0])
			}
		}
		r.intents("intent", by, 1)
	}
}

func readBanking(r *reading, fs files) {
	by := map[string][]string{}
	for _, data := range fs {
		for _, row := range rows(data) {
			by[row["category"]] = append(by[row["category"]], row["text"])
		}
	}
	r.intents("intent_bank", by, 2)
}

// rows returns the rows of a CSV file by the names in its first row.
func rows(data []byte) (all []map[string]string) {
	r := csv.NewReader(strings.NewReader(string(data)))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	records, err := r.ReadAll()
	if err != nil || len(records) == 0 {
		return nil
	}
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, value := range record[:min(len(record), len(records[0]))] {
			row[strings.TrimPrefix(records[0][i], "\ufeff")] = value
		}
		all = append(all, row)
	}
	return all
}

func readNLU(r *reading, fs files) {
	by := map[string][]string{}
	seen := map[string]bool{}
	for _, data := range fs {
		var all struct {
			Data struct {
				Examples []struct{ Text, Intent string } `json:"common_examples"`
			} `json:"rasa_nlu_data"`
		}
		if json.Unmarshal(data, &all) != nil {
			continue
		}
		for _, e := range all.Data.Examples {
			if !seen[e.Text] {
				seen[e.Text] = true
				by[e.Intent] = append(by[e.Intent], e.Text)
			}
		}
	}
	r.intents("intent_home", by, 2)
}

// intents adds a document for each intent, and pairs of questions that follow each other in it, shuffled.
func (r *reading) intents(kind string, by map[string][]string, step int) {
	random := r.random()
	var names []string
	for name := range by {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		asked := by[name]
		random.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
		r.doc(asked...)
		if name == "oos" { // out of scope: anything
			continue
		}
		for i := 0; i+1 < len(asked); i += step {
			r.pair(kind, asked[i], asked[i+1])
		}
	}
}

var medicalQuestion = regexp.MustCompile(`(?s)<Question[^>]*>(.*?)</Question>\s*<Answer>(.*?)</Answer>`)

func readMedQuAD(r *reading, fs files) {
	random := r.random()
	for _, data := range fs {
		for _, m := range medicalQuestion.FindAllStringSubmatch(string(data), -1) {
			question, answer := html.UnescapeString(m[1]), sentences(tidy(html.UnescapeString(m[2])))
			if len(answer) == 0 {
				continue
			}
			r.doc(append([]string{question}, answer...)...)
			r.pair("medical_answer", question, strings.Join(answer[:min(2, len(answer))], " "))
			if len(answer) > 3 {
				i := random.IntN(len(answer) - 1)
				r.pair("medical_next", answer[i], answer[i+1])
			}
		}
	}
}

func readProtoQA(r *reading, fs files) {
	for _, data := range fs {
		for _, line := range lines(string(data)) {
			var q struct {
				Question struct{ Normalized string }
				Answers  struct {
					Clusters map[string]struct{ Answers []string }
				}
			}
			if json.Unmarshal([]byte(line), &q) != nil {
				continue
			}
			var ids, answers []string
			for id := range q.Answers.Clusters {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			for _, id := range ids {
				given := q.Answers.Clusters[id].Answers
				answers = append(answers, given[:min(3, len(given))]...)
			}
			r.doc(append([]string{q.Question.Normalized}, answers...)...)
			for _, a := range answers {
				r.pair("survey", q.Question.Normalized, a)
			}
		}
	}
}

func readGSM(r *reading, fs files) {
	for _, data := range fs {
		for _, line := range lines(string(data)) {
			var q struct{ Question string }
			if json.Unmarshal([]byte(line), &q) != nil {
				continue
			}
			told := sentences(q.Question)
			r.doc(told...)
			if len(told) > 1 {
				r.pair("story", told[0], told[1])
			}
		}
	}
}

var (
	cnxTitle     = regexp.MustCompile(`(?s)<title>(.*?)</title>`)
	cnxParagraph = regexp.MustCompile(`(?s)<para[^>]*>(.*?)</para>`)
	bookText     = regexp.MustCompile(`(?s)<p[^>]*>(.*?)</p>`)
)

func readOpenStax(r *reading, fs files) {
	random := r.random()
	for _, data := range fs {
		all := []string{""}
		if m := cnxTitle.FindSubmatch(data); m != nil {
			all[0] = unmark(string(m[1]))
		}
		var paragraphs [][]string
		for _, m := range cnxParagraph.FindAllSubmatch(data, -1) {
			if p := unmark(string(m[1])); len(p) > 40 {
				paragraphs = append(paragraphs, sentences(p))
			}
		}
		for _, p := range paragraphs {
			all = append(all, p...)
		}
		if len(paragraphs) == 0 {
			continue
		}
		r.doc(all...)
		for _, p := range paragraphs {
			if len(p) > 1 {
				i := random.IntN(len(p) - 1)
				r.pair("textbook_next", p[i], p[i+1])
			}
		}
	}
}

// random is the source of randomness of a reader. Every source has its own, so that one may be left out.
func (r *reading) random() *rand.Rand {
	return rand.New(rand.NewPCG(1, uint64(len(r.source.Name))))
}

var (
	frontMatter = regexp.MustCompile(`(?s)\A---.*?---`)
	recipeTitle = regexp.MustCompile(`(?m)^title: *"?([^"\n]*)`)
	markdown    = regexp.MustCompile(`[#*!\[\]()]+|https?\S+`)
)

func readRecipes(r *reading, fs files) {
	for _, data := range fs {
		s := string(data)
		title := ""
		if m := recipeTitle.FindStringSubmatch(s); m != nil {
			title = m[1]
		}
		steps := lines(markdown.ReplaceAllString(frontMatter.ReplaceAllString(s, ""), " "))
		r.doc(append([]string{title}, steps...)...)
		for _, step := range steps {
			if strings.Count(tidy(step), " ") > 3 {
				r.pair("recipe", title, step)
			}
		}
	}
}

func lines(s string) (all []string) {
	for l := range strings.SplitSeq(s, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			all = append(all, l)
		}
	}
	return all
}

func readEbook(r *reading, fs files) {
	for _, data := range fs {
		var all []string
		for _, m := range bookText.FindAllSubmatch(data, -1) {
			all = append(all, sentences(unmark(string(m[1])))...)
		}
		r.doc(all...)
		r.neighbours("fiction_next", all, 1)
	}
}

var sentenceEnd = regexp.MustCompile(`[.!?]["')]*\s+["'(]*[A-Z0-9]`)

// sentences cuts prose.
func sentences(s string) (all []string) {
	start := 0
	for _, at := range sentenceEnd.FindAllStringIndex(s, -1) {
		end := at[0] + strings.IndexAny(s[at[0]:at[1]], " \t\n\r")
		if part := strings.TrimSpace(s[start:end]); part != "" {
			all = append(all, part)
		}
		start = end
	}
	if part := strings.TrimSpace(s[start:]); part != "" {
		all = append(all, part)
	}
	return all
}

var tags = regexp.MustCompile(`<[^>]+>`)

func unmark(s string) string { return tidy(html.UnescapeString(tags.ReplaceAllString(s, " "))) }
