package labelled

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/tools/measure/quality"
)

// loCoMo is a sample of the benchmark: a long conversation of two people with questions about it. The facts and
// summaries made of it are ignored, and so is the query of a turn: annotators typed it to find the picture, it was
// never said.
type loCoMo struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	Questions    []struct {
		Text     string   `json:"question"`
		Evidence []string `json:"evidence"`
		Answer   spelled  `json:"answer"`
		Category int      `json:"category"`
	} `json:"qa"`
}

var loCoMoSession = regexp.MustCompile(`^session_([1-9][0-9]{0,5}|0)$`)

// loCoMoTime is the format of a session's date, "1:56 pm on 8 May, 2023".
const loCoMoTime = "3:04 pm on 2 January, 2006"

// loCoMoCategories are the names of the benchmark's numbers.
var loCoMoCategories = map[int]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop",
	5: "adversarial"}

// loCoMoTurns finds the ids of turns in a label: some hold several, some are written with more zeros or colons than the
// turn.
var loCoMoTurns = regexp.MustCompile(`D:?0*([0-9]+):0*([0-9]+)`)

// labelled makes a group of each sample: its sessions are SAMPLE/session_N, and the id of a turn is SAMPLE/DIA_ID.
func (s *loCoMo) labelled() ([]turn, []question, error) {
	if s.ID == "" || s.Conversation == nil {
		return nil, nil, trilith.Errorf(trilith.Invalid, "a sample needs sample_id and conversation")
	}
	var turns []turn
	for _, number := range s.sessions() {
		ts, err := s.turns(number)
		if err != nil {
			return nil, nil, err
		}
		turns = append(turns, ts...)
	}
	var questions []question
	for i, l := range s.Questions {
		category, ok := loCoMoCategories[l.Category]
		if !ok {
			category = strconv.Itoa(l.Category)
		}
		q := question{ID: s.ID + "/q" + strconv.Itoa(i), Group: s.ID, Category: category, Text: l.Text,
			Answer: string(l.Answer), Evidence: []string{}}
		for _, label := range l.Evidence {
			for _, m := range loCoMoTurns.FindAllStringSubmatch(label, -1) {
				q.Evidence = append(q.Evidence, s.ID+"/D"+m[1]+":"+m[2])
			}
		}
		questions = append(questions, q)
	}
	return turns, questions, nil
}

// sessions returns the numbers of the sessions in ascending order.
func (s *loCoMo) sessions() []int {
	var numbers []int
	for key := range s.Conversation {
		if m := loCoMoSession.FindStringSubmatch(key); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	return numbers
}

// turns returns those of a session.
func (s *loCoMo) turns(number int) ([]turn, error) {
	key := fmt.Sprintf("session_%d", number)
	var said []struct {
		Speaker string `json:"speaker"`
		ID      string `json:"dia_id"`
		Text    string `json:"text"`
		Caption string `json:"blip_caption"`
	}
	if err := json.Unmarshal(s.Conversation[key], &said); err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "%s of %.64q: %w", key, s.ID, err)
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
		at = t.Format(clockTime)
	}
	turns := make([]turn, len(said))
	for i, t := range said {
		if t.ID == "" {
			t.ID = fmt.Sprintf("D%d:%d", number, i+1) // how the benchmark itself numbers turns
		}
		turns[i] = turn{ID: s.ID + "/" + t.ID, Group: s.ID, Session: s.ID + "/" + key, Time: at, Speaker: t.Speaker,
			Role: trilith.RoleUser, Text: quality.Captioned(t.Text, t.Caption)}
	}
	return turns, nil
}
