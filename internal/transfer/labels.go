package transfer

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Question is a labelled question of a benchmark, with the external ids that an import gives the turns that answer it.
// It is written as a line of queries.jsonl of a labelled set.
type Question struct {
	ID         string   `json:"id"`
	Group      string   `json:"group"` // the project that an import puts its conversation into
	Category   string   `json:"category"`
	Text       string   `json:"text"`
	Evidence   []string `json:"evidence"`
	Abstention bool     `json:"abstention,omitempty"` // nothing in the conversation answers it
}

// Questions reads the labelled questions of a [LongMemEval] or [LoCoMo] file. An error is the last pair: a number from
// part of a set would pass for one of the whole.
func Questions(path string) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		format, err := detectFile(path)
		if err != nil {
			yield(Question{}, err)
			return
		}
		questions := map[string]func(element) ([]Question, error){LongMemEval: longMemEvalQuestions,
			LoCoMo: loCoMoQuestions}[format]
		if questions == nil {
			yield(Question{}, trilith.Errorf(trilith.Invalid, "%s: is neither a LongMemEval nor a LoCoMo file", path))
			return
		}
		f, err := os.Open(path)
		if err != nil {
			yield(Question{}, openError(path, err))
			return
		}
		defer f.Close()
		in := input{path: path, r: f}
		for e, err := range elements(in, MaxLineBytes) {
			var qs []Question
			if err == nil {
				if qs, err = questions(e); err != nil {
					err = in.bad(e.line, err)
				}
			}
			if err != nil {
				yield(Question{}, trilith.Errorf(trilith.Invalid, "%w", err))
				return
			}
			for _, q := range qs {
				if !yield(q, nil) {
					return
				}
			}
		}
	}
}

// longMemEvalQuestions makes evidence of the turns that are marked. A question whose id ends so is one that nothing
// answers.
func longMemEvalQuestions(e element) ([]Question, error) {
	var l longMemEval
	if err := decodeLongMemEval(e.text, &l); err != nil {
		return nil, err
	}
	q := Question{ID: l.ID, Group: scopeValue(l.ID), Category: l.Type, Text: l.Question, Evidence: []string{},
		Abstention: strings.HasSuffix(l.ID, "_abs")}
	for i, session := range l.Sessions {
		for n, t := range session {
			if t.HasAnswer && !q.Abstention {
				q.Evidence = append(q.Evidence, l.turnID(i, n))
			}
		}
	}
	return []Question{q}, nil
}

// loCoMoCategories are the names of the benchmark's numbers.
var loCoMoCategories = map[int]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop",
	5: "adversarial"}

// loCoMoTurns finds the ids of turns in a label: some hold several, some are written with more zeros or colons than the
// turn.
var loCoMoTurns = regexp.MustCompile(`D:?0*([0-9]+):0*([0-9]+)`)

func loCoMoQuestions(e element) ([]Question, error) {
	var s struct {
		ID        string `json:"sample_id"`
		Questions []struct {
			Text     string   `json:"question"`
			Evidence []string `json:"evidence"`
			Category int      `json:"category"`
		} `json:"qa"`
	}
	if err := decode(e.text, &s, false); err != nil {
		return nil, err
	}
	var qs []Question
	for i, l := range s.Questions {
		category, ok := loCoMoCategories[l.Category]
		if !ok {
			category = strconv.Itoa(l.Category)
		}
		q := Question{ID: s.ID + "/q" + strconv.Itoa(i), Group: s.ID, Category: category, Text: l.Text,
			Evidence: []string{}}
		for _, label := range l.Evidence {
			for _, m := range loCoMoTurns.FindAllStringSubmatch(label, -1) {
				q.Evidence = append(q.Evidence, s.ID+"/D"+m[1]+":"+m[2])
			}
		}
		qs = append(qs, q)
	}
	return qs, nil
}

// setTurn is a line of docs.jsonl.
type setTurn struct {
	ID      string       `json:"id"`
	Group   string       `json:"group"`
	Session string       `json:"session"`
	Time    string       `json:"time,omitempty"`
	Speaker string       `json:"speaker,omitempty"`
	Role    trilith.Role `json:"role"`
	Text    string       `json:"text"`
}

// WriteSet creates a folder with the turns and questions of a [LongMemEval] or [LoCoMo] file as a labelled set, and
// returns their numbers. The folder must not exist; after an error it does not exist.
func WriteSet(dir, path string) (turns, questions int, err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return 0, 0, trilith.Errorf(trilith.Conflict, "%s: is there already", dir)
		}
		return 0, 0, trilith.Errorf(trilith.Invalid, "%s: cannot be made: %w", dir, err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir) // the set is incomplete
		}
	}()
	err = writeLines(filepath.Join(dir, "queries.jsonl"), func(add func(any) error) error {
		for q, err := range Questions(path) {
			if err == nil {
				err = add(q)
			}
			if err != nil {
				return err
			}
			questions++
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	err = writeLines(filepath.Join(dir, "docs.jsonl"), func(add func(any) error) error {
		r, err := Open(path, "")
		if err != nil {
			return err
		}
		for item, err := range r.Items() {
			if err != nil {
				return err
			}
			for _, m := range item.Request.Messages {
				if err := add(setTurn{m.ExternalID, item.Scope.Project, item.Scope.Session, m.Timestamp, m.Speaker,
					m.Role, m.Content}); err != nil {
					return err
				}
				turns++
			}
		}
		return nil
	})
	return turns, questions, err
}

// writeLines writes JSON values one per line into a new file.
func writeLines(path string, write func(add func(any) error) error) error {
	f, err := os.Create(path)
	if err != nil {
		return trilith.Errorf(trilith.Invalid, "%s: cannot be written: %w", path, err)
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(io.Writer(w))
	enc.SetEscapeHTML(false)
	err = errors.Join(write(enc.Encode), w.Flush(), f.Close())
	if err != nil && trilith.KindOf(err) == trilith.Internal {
		err = trilith.WrapError(trilith.Internal, "transfer.WriteSet", err)
	}
	return err
}
