// Package extraction measures what facts a running service makes of talk: it posts labelled turns over REST, waits until
// they are read, and compares the facts with the labels.
//
// Verbs are not judged, because a fact may be put in several ways. A fact is true if a label of its turn has the same
// owner and its value; false if the turn says why that value is no fact (somebody else's, hypothetical, asked, over), or
// if the owner is another one; otherwise thin: of the hour, or too vague to be of use.
package extraction

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/trilith-memory/trilith"
)

// The files of a set.
const (
	TurnsFile  = "turns.jsonl"
	OthersFile = "others.jsonl" // may be absent
)

// Set is turns and pairs to post, with their labels.
type Set struct {
	Turns  []Turn
	Others []Others
}

// Turn is a turn of a session. The turns of a session follow each other.
type Turn struct {
	ID      string       `json:"id"`
	Lang    string       `json:"lang"`
	Session string       `json:"session"`
	Day     string       `json:"day"`
	Role    trilith.Role `json:"role"`
	Speaker string       `json:"speaker"` // empty: the assistant
	Text    string       `json:"text"`
	Facts   []Label      `json:"facts"`
	Not     []Label      `json:"not"` // values that would be false in a fact
}

// Label is a fact that a careful reader writes down, or one that he does not.
type Label struct {
	Whose string `json:"whose"` // a name or the word "speaker", or several with | between them; empty: anybody
	Topic string `json:"topic"` // is not judged
	Why   string `json:"why"`   // it is none
	// Value are beginnings of words that a fact holds, each with alternatives between |. Those behind the first say that
	// something is over or denied; a fact that is marked so needs none of them.
	Value []string `json:"value"`
	// Optional: a fact may say it, and none has to.
	Optional bool `json:"optional"`
}

// Others are two turns of a speaker: a fact about himself or herself, and later the end of the same for somebody else.
type Others struct {
	ID       string `json:"id"`
	Lang     string `json:"lang"`
	Speaker  string `json:"speaker"`
	Day      string `json:"day"`
	Says     string `json:"says"`
	LaterDay string `json:"later_day"`
	Later    string `json:"later"`
}

// Load reads a set.
func Load(dir string) (s Set, err error) {
	if s.Turns, err = lines[Turn](filepath.Join(dir, TurnsFile)); err != nil {
		return Set{}, err
	}
	s.Others, err = lines[Others](filepath.Join(dir, OthersFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return s, err
}

func lines[T any](path string) (out []T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, trilith.Errorf(trilith.NotFound, "set: %w", err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		var v T
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			return nil, trilith.Errorf(trilith.Invalid, "%s:%d: %w", path, n, err)
		}
		out = append(out, v)
	}
	return out, in.Err()
}
