package transfer

import (
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
)

// loCoMoSample holds the used parts of a sample. Its questions and the facts and summaries made from it are ignored,
// and so is the query of a turn: annotators typed it to find the picture, nobody said it.
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

// loCoMoTime is the format of a session's date, "1:56 pm on 8 May, 2023".
const loCoMoTime = "3:04 pm on 2 January, 2006"

// readLoCoMo reads the samples one by one. A sample is a project, its sessions are SAMPLE/session_N, and the id of a
// turn is SAMPLE/DIA_ID.
func readLoCoMo(in input) iter.Seq2[Item, error] {
	return readSamples(in, decodeLoCoMo, (*gatherer).sample)
}

// readSamples reads the elements of a set of questions one by one, and takes each.
func readSamples[T any](in input, decode func([]byte, *T) error, take func(*gatherer, int, T) bool) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		g := gatherer{in: in, yield: yield, profile: "personal"}
		for e, err := range elements(in, MaxLineBytes) {
			var v T
			if err == nil {
				if err = decode(e.text, &v); err != nil {
					err = in.bad(e.line, err)
				}
			}
			if err != nil && !g.fail(err) || err == nil && !take(&g, e.line, v) {
				return
			}
		}
	}
}

func decodeLoCoMo(data []byte, s *loCoMoSample) error {
	if err := decode(data, s, false); err != nil {
		return err
	}
	if s.ID == "" || s.Conversation == nil {
		return trilith.Errorf(trilith.Invalid, "a sample needs sample_id and conversation")
	}
	return nil
}

func (g *gatherer) sample(line int, s loCoMoSample) bool {
	for _, number := range s.sessions() {
		messages, err := s.messages(number)
		if err != nil {
			if !g.bad(line, err) {
				return false
			}
			continue
		}
		scope := trilith.Scope{Project: s.ID, Session: fmt.Sprintf("%s/session_%d", s.ID, number)}
		for _, m := range messages {
			if !g.say(line, scope, m) {
				return false
			}
		}
	}
	return g.flush()
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

func (s *loCoMoSample) messages(number int) ([]trilith.Message, error) {
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
			return nil, trilith.Errorf(
				trilith.Invalid, "%s_date_time of %.64q is not like 1:56 pm on 8 May, 2023", key, s.ID)
		}
		at = string(stampOn(t))
	}
	messages := make([]trilith.Message, len(turns))
	for i, t := range turns {
		if t.ID == "" {
			t.ID = fmt.Sprintf("D%d:%d", number, i+1) // how the benchmark itself numbers turns
		}
		messages[i] = trilith.Message{ExternalID: s.ID + "/" + t.ID, Role: trilith.RoleUser, Speaker: t.Speaker,
			Content: caption(t.Text, t.Caption), Timestamp: at}
	}
	return messages, nil
}
