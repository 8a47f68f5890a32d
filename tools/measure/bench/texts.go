package bench

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/synthetic"
)

// textLine is a line of a file of texts that is a JSON object. Other members are ignored.
type textLine struct {
	Text    string       `json:"text"`
	Content string       `json:"content"` // read where there is no text
	Role    trilith.Role `json:"role"`
}

// read reads the texts that the sample is made of, if a file of them is given: each is stored once.
func (w *sample) read(file string) (err error) {
	if file == "" {
		return nil
	}
	wanted := w.conversational()
	if w.texts, err = readTexts(file, wanted); err == nil && len(w.texts) < wanted {
		err = trilith.Errorf(trilith.Invalid, "texts: the file holds %d texts, and the sample needs %d; ask for less with -n",
			len(w.texts), wanted)
	}
	return err
}

// readTexts reads at most that many texts of a file, one on each line. If the first line is a JSON object, each is one
// with "text" or "content", and perhaps "role"; otherwise each line is a text. Empty lines are skipped.
func readTexts(file string, most int) ([]synthetic.Turn, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "texts: %w", err)
	}
	defer f.Close()
	turns, err := textsOf(f, most)
	if err == nil && len(turns) == 0 {
		err = trilith.Errorf(trilith.Invalid, "texts: the file is empty; write one text on each line")
	}
	return turns, err
}

func textsOf(r io.Reader, most int) ([]synthetic.Turn, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 2*trilith.MaxTextBytes)
	var turns []synthetic.Turn
	objects, n := false, 0
	for len(turns) < most && lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		t := synthetic.Turn{Text: string(line)}
		if len(turns) == 0 {
			objects = line[0] == '{' && json.Valid(line)
		}
		if objects {
			var l textLine
			if err := json.Unmarshal(line, &l); err != nil {
				return nil, trilith.Errorf(trilith.Invalid, "texts: line %d is no JSON object that can be read", n)
			}
			if t.Text = strings.TrimSpace(l.Text); t.Text == "" {
				t.Text = strings.TrimSpace(l.Content)
			}
			t.Assistant = l.Role == trilith.RoleAssistant
			if t.Text == "" {
				return nil, trilith.Errorf(trilith.Invalid, `texts: line %d has neither "text" nor "content"`, n)
			}
		}
		switch {
		case !utf8.ValidString(t.Text):
			return nil, trilith.Errorf(trilith.Invalid, "texts: line %d is not UTF-8", n)
		case len(t.Text) > trilith.MaxTextBytes:
			return nil, trilith.Errorf(trilith.Invalid, "texts: line %d is longer than a memory may be, %d bytes", n,
				trilith.MaxTextBytes)
		}
		turns = append(turns, t)
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = trilith.Errorf(trilith.Invalid, "texts: line %d is longer than a memory may be, %d bytes", n+1,
			trilith.MaxTextBytes)
	}
	return turns, err
}

// nameOf is the same for equal texts.
func nameOf(turns []synthetic.Turn) string {
	h := sha256.New()
	for _, t := range turns {
		who := byte('p')
		if t.Assistant {
			who = 'a'
		}
		h.Write(append([]byte{who}, t.Text...))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// talks makes the conversations of a sample: of the texts that were given, one after the other and from the first again
// after the last, or of made-up ones.
type talks struct {
	*synthetic.Source
	given []synthetic.Turn
	at    int
}

// talks begins to make conversations by a seed.
func (w sample) talks(seed uint64) *talks { return &talks{Source: synthetic.New(seed), given: w.texts} }

// Conversation makes one of n turns from a time on.
func (t *talks) Conversation(from time.Time, n int) synthetic.Conversation {
	if len(t.given) == 0 {
		return t.Source.Conversation(from, n)
	}
	c := synthetic.Conversation{Turns: make([]synthetic.Turn, n)}
	for i := range c.Turns {
		c.Turns[i] = t.given[t.at%len(t.given)]
		c.Turns[i].At = from.Add(time.Duration(i) * time.Minute)
		t.at++
	}
	return c
}
