package extract

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// Proposals returns the tasks that an answer proposes, in the order of their positions: tasks found by rules, advice
// ("you should …", "I suggest …", "am besten …"), and the items of a list under a heading such as "Next steps".
// Questions, advice against something, and remarks on the conversation itself are not tasks. No position is proposed
// twice. It is a pure function, safe for concurrent use.
func Proposals(t Turn) []Found {
	var out []Found
	taken := func(start, end int) bool {
		for _, f := range out {
			if f.Start < end && start < f.End {
				return true
			}
		}
		return false
	}
	listed := false // a heading announced tasks
	at := 0
	for line := range strings.SplitAfterSeq(t.Text, "\n") {
		start := at
		at += len(line)
		bare := strings.TrimSpace(line)
		switch {
		case bare == "":
			continue
		case taskHeading.MatchString(bare):
			listed = true
			continue
		}
		item := listItem.FindStringSubmatchIndex(line)
		if item == nil {
			listed = false
		}
		for _, p := range sentencesIn(line, item) {
			f, ok := proposal(t, start+p.start, start+p.end, listed && p.item)
			if ok && !taken(f.Start, f.End) {
				out = append(out, f)
			}
		}
	}
	return out
}

var (
	taskHeading = compiled(`(?i)^[#*_\s]*(?:recommended |suggested |open |your |the |die |offene |empfohlene )*` +
		`(?:next steps?|actions?|action items?|to-?dos?|to-?do list|tasks?|what (?:to do|you should do)(?: next| now)?|` +
		`nächste(?:n)? schritte?|aufgaben|maßnahmen|to-?do-?liste|zu erledigen|was zu tun ist)[\s*_]*:?[\s*_]*$`)
	listItem = compiled(`^\s*(?:[-*•–]|\d{1,3}[.)])\s+(?:\[ \]\s+)?()\S`)
	doneItem = compiled(`^\s*[-*•]?\s*\[[xX]\]`)

	// advice begins a sentence with advice; its first group is the advice.
	advice = []pattern{
		compiled(`(?i)^(?:\S+ ){0,3}?(?:you|we) (?:should|could|ought to|need to|must|have to|might want to|may want to|had better|will need to|will have to)(?: also| now| then| first| next| definitely)? (.+)$`),
		compiled(`(?i)^(?:\S+ ){0,2}?I(?:'d|’d| would)?(?: also| strongly)? (?:suggest|recommend|advise|propose)(?: that)?(?: you| we)?(?: should| to)? (.+)$`),
		compiled(`(?i)^(?:so |then |first,? |next,? |now,? )?(?:let's|let’s|let us|make sure to|be sure to|don't forget to|remember to|please) (.+)$`),
		compiled(`(?i)^(?:it would be|it'd be|it is|it's) (?:best|good|wise|important|sensible) to (.+)$`),
		compiled(`(?i)^(?:\S+ ){0,3}?(?:du|ihr|sie|wir|man) (?:solltest|sollten|solltet|sollte|müssen|musst|müsst|muss|könntest|könnten) (?:auch |jetzt |noch |dann |zuerst )?(.+)$`),
		compiled(`(?i)^(?:\S+ ){1,3}?(?:sollten|müssen|könnten|solltest|musst|könntest) (?:sie|wir|du) (?:auch |jetzt |noch |dann |zuerst )?(.+)$`),
		compiled(`(?i)^(?:ich|wir) (?:schlage|empfehle|rate|schlagen|empfehlen|raten)(?: (?:ihnen|dir|euch|vor|dazu|daher|deshalb|auch))*,? (.+)$`),
		compiled(`(?i)^(?:bitte|am besten|vergessen sie nicht,|vergiss nicht,) (.+)$`),
	}

	// unmeant begins remarks on the conversation, and sentences without work.
	unmeant = compiled(`(?i)^(?:let me know|feel free|ask me|tell me|note that|keep in mind|be aware|know that|see |expect|` +
		`be (?:able|aware|fine|good|happy)|have (?:no|any|a nice|fun)|think of|remember that|refer to|not\b|never\b|no longer\b|avoid\b|` +
		`sagen sie|sag mir|sag bescheid|melden sie sich|beachten sie|beachte|nicht\b|kein|nie\b|keinesfalls|wissen)`)
	against = compiled(`(?i)\b(?:should|must|could|need) ?(?:not|n't|n’t)\b|\bnever\b|\b(?:recommend|advise|suggest) against\b|` +
		`\b(?:nicht|niemals|keinesfalls|kein\w*)\b|\bavoid\b|\bdon't need\b`)
)

// part is a sentence of a line.
type part struct {
	start, end int
	item       bool // it begins an item of a list
}

// sentencesIn cuts a line into sentences, without the marker of a list item.
func sentencesIn(line string, item []int) []part {
	if doneItem.MatchString(line) {
		return nil
	}
	from := len(line) - len(strings.TrimLeft(line, " \t"))
	if item != nil {
		from = item[2]
	}
	var out []part
	for at, first := from, true; at < len(line); first = false {
		end := len(line)
		for i := at; i+1 < len(line); i++ {
			if strings.IndexByte(".!?", line[i]) >= 0 && (line[i+1] == ' ' || line[i+1] == '\n') &&
				!abbreviated(line[at:i]) {
				end = i + 1
				break
			}
		}
		start, stop := at, at+len(strings.TrimRight(line[at:end], " \t\r\n"))
		if stop > start {
			out = append(out, part{start, stop, first && item != nil})
		}
		at = end + len(line[end:]) - len(strings.TrimLeft(line[end:], " \t\r\n"))
	}
	return out
}

// abbreviated reports whether a text ends in an abbreviation, after which a dot ends no sentence.
func abbreviated(s string) bool {
	word := s[strings.LastIndexAny(s, " (")+1:]
	if len(word) == 0 || strings.Trim(word, "0123456789") == "" {
		return true
	}
	return len(word) == 1 || strings.Contains(" mr mrs dr st no vs e.g i.e z.b d.h nr ca inkl bzw usw ",
		" "+strings.ToLower(word)+" ")
}

// proposal reads a sentence of an answer; listed says that a heading announced tasks.
func proposal(t Turn, start, end int, listed bool) (Found, bool) {
	text := strings.TrimRight(t.Text[start:end], "*_ ")
	end = start + len(text)
	text = strings.TrimLeft(text, "*_ ")
	start = end - len(text)
	if len(text) > maxProposal || strings.HasSuffix(text, "?") {
		return Found{}, false
	}
	what := ""
	boxed := boxBefore(t.Text, start)
	switch {
	case boxed, listed:
		what = text
	case against.MatchString(text):
		return Found{}, false
	}
	for _, p := range advice {
		if m := p.FindStringSubmatch(text); m != nil && !(listed && what == "") {
			what = m[1]
			break
		}
	}
	if what = strings.TrimRight(what, " .!"); what == "" || against.MatchString(text) ||
		unmeant.MatchString(what) || len(strings.Fields(what)) < 2 {
		return Found{}, false
	}
	f := asTask(t, what)
	f.Start, f.End, f.Turn = start, end, 0
	return f, true
}

// maxProposal is the largest length of a sentence that is one task.
const maxProposal = 400

// boxBefore reports whether an empty box comes right before a position.
func boxBefore(text string, at int) bool {
	return strings.HasSuffix(strings.TrimRight(text[:at], " \t"), "[ ]")
}

// asTask reads words as an item of a task list, so that the rules of all tasks find the days, names and priorities in
// them.
func asTask(t Turn, what string) Found {
	asked := Turn{Role: trilith.RoleUser, Text: "- [ ] " + what, At: t.At}
	for _, f := range Find([]Turn{asked}) {
		if f.Type == trilith.FactTask {
			return f
		}
	}
	name := tidy(what)
	return Found{Rule: "task.proposed", Subject: ProjectSubject, Verb: "has_task",
		Node: trilith.Node{Type: "Task", Name: name}, Type: trilith.FactTask, Summary: "Task: " + name + ".",
		Polarity: trilith.Affirmed, Certainty: trilith.Planned, Confidence: 0.6, Priority: trilith.PriorityNormal,
		RequiresAction: true}
}
