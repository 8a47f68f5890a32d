package transfer

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/cairn-memory/cairn"
)

// loCoMoSample is what is read of a sample. Its questions and the facts and summaries made from it are left alone, and so
// is the query of a turn: it is what annotators typed to find the picture, nothing that was said.
type loCoMoSample struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
}

type loCoMoTurn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

var loCoMoSession = regexp.MustCompile(`^session_([0-9]{1,6})$`)

// loCoMoTime is the form of a session's date, "1:56 pm on 8 May, 2023".
const loCoMoTime = "3:04 pm on 2 January, 2006"

// readLoCoMo reads the samples one by one. A sample is a project, its sessions are SAMPLE/session_N, and a turn keeps its
// id as SAMPLE/DIA_ID.
func readLoCoMo(in input) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		lc := &lineCounter{r: in.r, line: 1}
		d := json.NewDecoder(lc)
		if start, err := d.Token(); err != nil || start != json.Delim('[') {
			yield(Item{}, in.jsonError(lc.at(d.InputOffset()), err, "is not a list of samples"))
			return
		}
		for d.More() {
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				yield(Item{}, in.jsonError(lc.at(d.InputOffset()), err, "is not JSON"))
				return
			}
			n := lc.at(d.InputOffset() - int64(len(raw)))
			for item, err := range in.sample(n, raw) {
				if !yield(item, err) {
					return
				}
			}
		}
		if _, err := d.Token(); err != nil {
			yield(Item{}, in.jsonError(lc.at(d.InputOffset()), err, "is not JSON"))
		}
	}
}

// jsonError tells a file that is broken from a reader that failed.
func (in input) jsonError(line int, err error, what string) error {
	switch err.(type) {
	case nil:
		return in.bad(line, cairn.Errorf(cairn.Invalid, "%s", what))
	case *json.SyntaxError:
		return in.bad(line, cairn.Errorf(cairn.Invalid, "%s: %w", what, err))
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return in.bad(line, cairn.Errorf(cairn.Invalid, "%s: it ends too early", what))
	}
	return cairn.WrapError(cairn.Internal, "transfer.Read", err)
}

func (in input) sample(n int, raw []byte) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		var s loCoMoSample
		if err := decode(raw, &s, false); err != nil {
			yield(Item{}, in.bad(n, err))
			return
		}
		if s.ID == "" || s.Conversation == nil {
			yield(Item{}, in.bad(n, cairn.Errorf(cairn.Invalid, "a sample needs sample_id and conversation")))
			return
		}
		for _, number := range s.sessions() {
			messages, err := s.messages(number)
			if err != nil {
				if !yield(Item{}, in.bad(n, err)) {
					return
				}
				continue
			}
			scope := cairn.Scope{Project: s.ID, Session: fmt.Sprintf("%s/session_%d", s.ID, number)}
			for piece := range slices.Chunk(messages, cairn.MaxItems) {
				if !yield(Item{Path: in.path, Line: n, Scope: scope, Request: imported(piece)}, nil) {
					return
				}
			}
		}
	}
}

func imported(messages []cairn.Message) *cairn.RememberRequest {
	return &cairn.RememberRequest{Messages: messages, Imported: true}
}

// sessions returns the numbers of the sessions in ascending order.
func (s *loCoMoSample) sessions() []int {
	var numbers []int
	for key := range s.Conversation {
		if m := loCoMoSession.FindStringSubmatch(key); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil && key == fmt.Sprintf("session_%d", n) {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	return numbers
}

func (s *loCoMoSample) messages(number int) ([]cairn.Message, error) {
	key := fmt.Sprintf("session_%d", number)
	var turns []loCoMoTurn
	if err := json.Unmarshal(s.Conversation[key], &turns); err != nil {
		return nil, invalidJSON(fmt.Sprintf("%s of %.64q", key, s.ID), err)
	}
	at := ""
	if raw, ok := s.Conversation[key+"_date_time"]; ok {
		var text string
		err := json.Unmarshal(raw, &text)
		t, perr := time.Parse(loCoMoTime, text)
		if err != nil || perr != nil {
			return nil, cairn.Errorf(cairn.Invalid, "%s_date_time of %.64q is not like 1:56 pm on 8 May, 2023", key, s.ID)
		}
		at = t.Format(time.RFC3339)
	}
	messages := make([]cairn.Message, len(turns))
	for i, t := range turns {
		if t.ID == "" {
			t.ID = fmt.Sprintf("D%d:%d", number, i+1) // how the benchmark itself numbers turns
		}
		messages[i] = cairn.Message{ExternalID: s.ID + "/" + t.ID, Role: cairn.RoleUser, Speaker: t.Speaker,
			Content: caption(t.Text, t.Caption), Timestamp: at}
	}
	return messages, nil
}

// lineCounter tells the line of an offset in what was read through it. Offsets are asked for in ascending order.
type lineCounter struct {
	r      io.Reader
	offset int64
	breaks []int64 // offsets of line ends not yet passed
	line   int
}

// Read notes where the lines end.
func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.breaks = append(c.breaks, c.offset+int64(i))
		}
	}
	c.offset += int64(n)
	return n, err
}

// at returns the line of offset.
func (c *lineCounter) at(offset int64) int {
	passed := 0
	for passed < len(c.breaks) && c.breaks[passed] < offset {
		passed++
	}
	c.breaks = c.breaks[passed:]
	c.line += passed
	return c.line
}
