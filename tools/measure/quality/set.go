// Package quality measures how well recall finds the evidence that a question needs.
//
// A labelled set is conversations and questions; each question names the turns that answer it. The turns are stored
// first (as any other import), then every question is asked in its own conversation, and the places of its evidence
// among the hits become numbers. Answers are not graded here: a fact that is not found cannot be part of one, and finding
// can be measured without a model. Package answers grades those of a model.
package quality

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/trilith-memory/trilith"
)

// The files of a set.
const (
	DocsFile    = "docs.jsonl"
	QueriesFile = "queries.jsonl"
)

// maxLine is the longest line of a set in bytes: a turn of [trilith.MaxTextBytes] in its longest JSON spelling fits.
const maxLine = 4 << 20

// Doc is a turn.
type Doc struct {
	ID      string       `json:"id"`
	Group   string       `json:"group"`
	Session string       `json:"session"`
	Time    string       `json:"time"`
	Speaker string       `json:"speaker"`
	Role    trilith.Role `json:"role"`
	Text    string       `json:"text"`
	Caption string       `json:"caption"` // describes an attached picture
}

// Query is a question with its labels.
type Query struct {
	ID         string   `json:"id"`
	Group      string   `json:"group"` // the conversation that it is asked in
	Category   string   `json:"category"`
	Text       string   `json:"text"`
	Evidence   []string `json:"evidence"`   // ids of the turns that answer it, in no order
	Abstention bool     `json:"abstention"` // nothing in the conversation answers it
	Time       string   `json:"time"`       // when it is asked; may be empty
	Answer     string   `json:"answer"`     // in words; may be empty: only package answers reads it
}

// Set is a labelled set in the order of its files.
type Set struct {
	Name    string // of its folder
	Digest  string // SHA-256 of its two files, hex
	Docs    []Doc
	Queries []Query
}

// Captioned appends the description of a picture to the text, without any extra word that a search could find.
func Captioned(text, picture string) string {
	switch {
	case picture == "":
		return text
	case text == "":
		return "[" + picture + "]"
	}
	return text + "\n[" + picture + "]"
}

// LoadSet reads [DocsFile] and [QueriesFile] of a folder. Members that it does not know are ignored, and most may be
// missing: a question without id is known by its line, one without category is of category "other".
func LoadSet(dir string) (Set, error) {
	s := Set{Name: filepath.Base(filepath.Clean(dir))}
	digest := sha256.New()
	err := readLines(dir, DocsFile, digest, func(_ int, d Doc) error {
		if d.ID == "" {
			return trilith.Errorf(trilith.Invalid, "id: is missing")
		}
		if d.Role == "" {
			d.Role = trilith.RoleUser
		}
		s.Docs = append(s.Docs, d)
		return nil
	})
	if err != nil {
		return Set{}, err
	}
	err = readLines(dir, QueriesFile, digest, func(line int, q Query) error {
		if q.Text == "" {
			return trilith.Errorf(trilith.Invalid, "text: is missing")
		}
		if q.ID == "" {
			q.ID = "line " + strconv.Itoa(line)
		}
		if q.Category == "" {
			q.Category = "other"
		}
		s.Queries = append(s.Queries, q)
		return nil
	})
	if err != nil {
		return Set{}, err
	}
	s.Digest = hex.EncodeToString(digest.Sum(nil))
	return s, nil
}

// readLines gives each line of a JSON Lines file to take and all bytes to digest. Unlike an import it ends at the first
// bad line: a number from part of a set would pass for one of the whole.
func readLines[T any](dir, name string, digest io.Writer, take func(line int, v T) error) error {
	path := filepath.Join(dir, name)
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return trilith.Errorf(trilith.NotFound, "%s: there is no such folder", dir)
		}
		return trilith.Errorf(trilith.Unsupported,
			"%s: holds no %s; only sets of conversations with %s and %s can be evaluated, not document collections of another layout", dir, name, DocsFile, QueriesFile)
	case err != nil:
		return trilith.Errorf(trilith.Invalid, "%s: cannot be read: %w", path, err)
	}
	defer f.Close()
	sc := bufio.NewScanner(io.TeeReader(f, digest))
	sc.Buffer(nil, maxLine)
	for line := 1; sc.Scan(); line++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var v T
		err := json.Unmarshal(sc.Bytes(), &v)
		if err == nil {
			err = take(line, v)
		}
		if err != nil {
			return trilith.Errorf(trilith.Invalid, "%s:%d: %w", path, line, err)
		}
	}
	if err := sc.Err(); err != nil {
		return trilith.Errorf(trilith.Invalid, "%s: cannot be read: %w", path, err)
	}
	return nil
}
