package derive

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/distil"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// The turns of a conversation that a model has to read wait for more of it, because each request repeats an instruction
// of 1,500 tokens. Nothing else is kept for that than the jobs themselves: the first of them that finds that the wait is
// over reads the turns of all, and notes so in the reports of the others.
const (
	enoughText = 4000            // bytes of waiting turns, about 1,000 tokens, that need not wait for more
	longestLag = 5 * time.Minute // that a turn waits, however the conversation goes on
	waitPage   = 500             // jobs that are searched at once for turns of the same conversation
	waitPages  = 20              // of those, the newest first
	readAtOnce = 48              // turns that one job reads
)

// conversation returns the key of the jobs whose turns may be read together; empty: the turns are read by themselves.
func conversation(r *Reading) trilith.ID {
	if r.Scope.Session == "" || !r.Turns {
		return ""
	}
	key, _ := json.Marshal([]any{r.Scope, r.Scope.Fixed, r.How, r.Again}) // values that are all text; a scope omits Fixed
	return trilith.DeriveID("conversation", string(key))
}

// gather returns the turns that a job is to read: its own and those that wait with it, none if another job has read
// them. While the conversation goes on, it returns when to look again.
func (dv *Deriver) gather(ctx context.Context, s trilith.Scope, job trilith.ID, j *ExtractJob) (
	with []trilith.ID, again time.Time, err error) {
	if j.Conversation == "" {
		return nil, again, nil
	}
	report, _, err := truth.ReadRecord[trilith.ExtractionReport](ctx, dv.truth, s, role.RecordExtraction, job)
	if err != nil || report.ReadBy != "" {
		j.Episodes = nil
		return nil, again, err
	}
	waiting, err := dv.waiting(ctx, s, j.Conversation)
	if err != nil || !slices.ContainsFunc(waiting, func(w waitingJob) bool { return w.ID == job }) { // it is too old
		return nil, again, err
	}
	quiet, hurried := waiting[len(waiting)-1].CreatedAt.Add(dv.quiet), false
	quiet = slices.MinFunc([]time.Time{quiet, waiting[0].CreatedAt.Add(longestLag)}, time.Time.Compare)
	var ids []trilith.ID
	for _, w := range waiting {
		if len(ids)+len(w.of.Episodes) > readAtOnce {
			break
		}
		ids, hurried, j.Apart = append(ids, w.of.Episodes...), hurried || w.of.Hurried, j.Apart && w.of.Apart
		if w.ID != job {
			with = append(with, w.ID)
		}
	}
	if !slices.Contains(ids, j.Episodes[0]) { // there is more than enough before it
		ids, with = j.Episodes, nil
	}
	turns, err := dv.truth.Memories(ctx, s, ids)
	if err != nil {
		return nil, again, err
	}
	size := 0
	for i := range turns {
		size += len(turns[i].Text)
	}
	if dv.truth.Now().Before(quiet) && size < enoughText && !hurried {
		return nil, quiet, nil
	}
	slices.SortStableFunc(turns, func(a, b trilith.Memory) int { return a.Seq - b.Seq })
	j.Episodes = trilith.IDsOf(turns)
	return with, again, nil
}

type waitingJob struct {
	trilith.Job
	of ExtractJob
}

// waiting returns the jobs of a conversation whose turns no job has read, in the order in which they were made.
func (dv *Deriver) waiting(ctx context.Context, s trilith.Scope, conversation trilith.ID) (out []waitingJob, err error) {
	l := trilith.JobListing{Kind: JobDistil, State: trilith.JobReady, Limit: waitPage}
	var ids []trilith.ID
	for range waitPages {
		jobs, err := dv.truth.Queue.Jobs(ctx, s, l)
		if err != nil {
			return nil, err
		}
		for _, job := range jobs {
			w := waitingJob{Job: job}
			if truth.DecodeJob(job, &w.of) == nil && w.of.Conversation == conversation {
				out, ids = append(out, w), append(ids, job.ID)
			}
		}
		if len(jobs) < waitPage {
			break
		}
		l.Before = jobs[len(jobs)-1].ID
	}
	records, err := dv.truth.RecordsOf(ctx, s, role.RecordExtraction, ids...)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		report, err := truth.Decode[trilith.ExtractionReport](r)
		if err != nil {
			return nil, err
		}
		if report.ReadBy != "" {
			out = slices.DeleteFunc(out, func(w waitingJob) bool { return w.ID == r.ID })
		}
	}
	slices.SortStableFunc(out, func(a, b waitingJob) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return out, nil
}

// greetings are words that begin a clause and state nothing; thanks are words that begin one that states nothing, unless
// somebody is named as the cause ("thanks to my brother …"). A word that means something else too is in neither, because
// a request too many costs less than a fact.
var (
	greetings = wordfile.Set("hi hello hey hallo servus bonjour bonsoir salut hola ciao buongiorno buonasera ola oi hoi " +
		"czesc привет здравствуйте こんにちは 你好 안녕하세요")
	thanks = wordfile.Set("thanks thank thx danke vielen merci gracias grazie obrigado obrigada bedankt dziekuje спасибо " +
		"ありがとう ありがとうございます 谢谢 감사합니다")
)

const longestThanks = 8 // words

// unspaced matches numbers, and words of scripts that put no spaces between them.
var unspaced = lazyre.New(`\d|[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{4}`)

var clauseRun = lazyre.New(`([^.!?,;:\n。！？，、；؟।…]+)([.!?,;:\n。！？，、；؟।…]*)`)

// says reports whether a turn may state something that lasts: it has a clause of some length, or with a number, that
// neither asks nor greets nor thanks; of a reply to an assistant the shortest will do.
func says(turns []distil.Turn, i int) bool {
	reply := i > 0 && turns[i-1].Role == trilith.RoleAssistant && turns[i].Role != trilith.RoleAssistant
	text := turns[i].Text
	for _, at := range clauseRun.FindAllStringSubmatchIndex(text, -1) {
		clause, marks := text[at[2]:at[3]], text[at[4]:at[5]]
		words := strings.Fields(textproc.Fold(clause))
		for len(words) > 0 && greetings[words[0]] {
			words = words[1:]
		}
		cause := len(words) > 1 && (words[1] == "to" || words[1] == "a")
		switch {
		case len(words) == 0 || strings.ContainsAny(marks, "?？؟"):
		case thanks[words[0]] && !cause && len(words) <= longestThanks:
		case reply || len(words) > 2 || len(clause) > 20 || unspaced.MatchString(clause):
			return true
		}
	}
	return false
}
