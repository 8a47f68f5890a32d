package quality

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
)

// Depth is how many hits a question asks for: enough for the deepest metric.
const Depth = 50

// Apart is the category outside the overall numbers: questions about something that the other person said.
// Published results leave it out of the mean, because a good answer to them is none.
const Apart = "adversarial"

// Recaller answers questions: the engine, or a client of one.
type Recaller interface {
	Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error)
}

// Getter reads memories by id: the engine, or a client of one.
type Getter interface {
	Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error)
}

// Pool says how far a question looks.
type Pool string

// The pools.
const (
	OwnProject Pool = "" // each group is a project, and a question looks into that of its group
	// all groups are one project; a filter on the tag that bears the group's name restricts the question to it
	Restricted Pool = "restricted"
	Shared     Pool = "unrestricted" // all groups are one project, and questions look everywhere
)

// Options say how to evaluate.
type Options struct {
	Scope      trilith.Scope         // where the set was stored; a question sets its Project to its group
	Pool       Pool                  // how far a question looks
	Role       trilith.Role          // only turns of this role are searched and count as evidence; all if empty
	Turns      Getter                // reads the turns that facts rest on; nil where no facts were derived
	Config     string                // names the measured configuration in a word or two: it is only printed and hashed
	IngestPerS float64               // measured when the set was stored
	Progress   func(done, total int) // told after each question; may be nil
	Now        func() time.Time      // time.Now if nil
}

// Report holds the numbers of an evaluation. Its JSON is a surface: members are added, never changed.
type Report struct {
	Dataset    string             `json:"dataset"`
	Config     string             `json:"config"`
	ConfigHash string             `json:"config_hash"`    // of the config, the role and the set: equal hashes compare
	Role       trilith.Role       `json:"role,omitempty"` // the one that was searched
	Pool       Pool               `json:"pool,omitempty"`
	Overall    Metrics            `json:"overall"`      // all ranked questions but those of category Apart
	Interval   [2]float64         `json:"ndcg@10_ci95"` // 95 % bootstrap interval of Overall.NDCG10 over questions
	Categories map[string]Metrics `json:"categories"`
	Abstention Abstention         `json:"abstention"`
	LatencyMS  Latency            `json:"latency_ms"` // of every question asked, one after another
	IngestPerS float64            `json:"ingest_per_s"`

	Beside []Beside `json:"beside,omitempty"` // results of plain methods, if requested

	Questions []Question `json:"-"` // in the order of the set
}

// Abstention tells how recall keeps silent, in percent. The two shares belong together: silence is cheap.
type Abstention struct {
	N         int     `json:"n"`         // questions that nothing answers
	Abstained float64 `json:"abstained"` // of those: where it said so
	Wrongly   float64 `json:"wrongly"`   // of the ranked questions: where it said so although there was an answer
}

// Question is the outcome of one ranked question.
type Question struct {
	ID       string
	Category string
	Rank     int // of the first evidence, from 1; 0 if none is among the hits
	NDCG10   float64
	R10      float64 // in shares of 1, as NDCG10
}

// Evaluate asks every question of the set, one after another, and ranks the external ids of the hits. Questions that
// are to be abstained from count in Abstention only; those without evidence (of the role, if one is given) are not
// asked.
func Evaluate(ctx context.Context, r Recaller, set Set, o Options) (Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	rep := Report{Pool: o.Pool, Dataset: set.Name, Config: o.Config, ConfigHash: configHash(set, o), Role: o.Role,
		Categories: make(map[string]Metrics), IngestPerS: round(o.IngestPerS, 1)}
	roles := make(map[string]trilith.Role, len(set.Docs))
	for _, d := range set.Docs {
		roles[d.ID] = d.Role
	}
	var (
		took     []time.Duration
		overall  []Metrics
		grouped  = make(map[string][]Metrics)
		silent   int
		silently int // abstained although there was an answer
	)
	for i, q := range set.Queries {
		evidence := EvidenceOf(q, o.Role, roles)
		if q.Abstention || len(evidence) > 0 {
			start := o.Now()
			res, err := Ask(ctx, r, q, o)
			if err != nil {
				return Report{}, trilith.WrapError(trilith.Internal, fmt.Sprintf("quality: question %s", q.ID), err)
			}
			took = append(took, o.Now().Sub(start))
			if q.Abstention {
				rep.Abstention.N++
				silent += count(res.Abstained)
			} else {
				silently += count(res.Abstained)
				ranked, err := turnsOf(ctx, res.Hits, o)
				if err != nil {
					return Report{}, trilith.WrapError(trilith.Internal, fmt.Sprintf("quality: question %s", q.ID), err)
				}
				m := score(ranked, evidence)
				grouped[q.Category] = append(grouped[q.Category], m)
				if q.Category != Apart {
					overall = append(overall, m)
				}
				rep.Questions = append(rep.Questions,
					Question{ID: q.ID, Category: q.Category, Rank: rank(m), NDCG10: m.NDCG10, R10: m.R10})
			}
		}
		if o.Progress != nil {
			o.Progress(i+1, len(set.Queries))
		}
	}
	rep.Overall = mean(overall)
	ndcg := make([]float64, len(overall))
	for i, m := range overall {
		ndcg[i] = m.NDCG10
	}
	rep.Interval = Interval(ndcg)
	for category, ms := range grouped {
		rep.Categories[category] = mean(ms)
	}
	rep.Abstention.Abstained = percentOf(silent, rep.Abstention.N)
	rep.Abstention.Wrongly = percentOf(silently, len(rep.Questions))
	rep.LatencyMS = latency(took)
	return rep, nil
}

// Ask asks one question of a set.
func Ask(ctx context.Context, r Recaller, q Query, o Options) (trilith.RecallResult, error) {
	scope, req := Request(q, o)
	return r.Recall(ctx, scope, req)
}

// Request returns the scope and the request of a question.
func Request(q Query, o Options) (trilith.Scope, trilith.RecallRequest) {
	scope := o.Scope
	req := trilith.RecallRequest{Query: q.Text, K: Depth}
	switch o.Pool {
	case OwnProject:
		scope.Project = q.Group
	case Restricted:
		req.Filter = trilith.Where("tags", trilith.OpContains, q.Group)
	}
	if o.Role != "" {
		req.Filter = trilith.AllOf(req.Filter, trilith.Where("role", trilith.OpEq, string(o.Role)))
	}
	return scope, req
}

// EvidenceOf returns the ids that count for a question if evidence of a role does, by the roles of all turns: each
// once; none for a question to abstain from.
func EvidenceOf(q Query, role trilith.Role, roles map[string]trilith.Role) []string {
	if q.Abstention {
		return nil
	}
	var ids []string
	for _, id := range q.Evidence {
		if !slices.Contains(ids, id) && (role == "" || roles[id] == role) {
			ids = append(ids, id)
		}
	}
	return ids
}

// turnsOf returns the external ids of the turns that the hits stand for, in order. A fact stands for the turns that it
// rests on. Where there are facts a turn has its first place only, so that a fact and its turn are not two answers.
func turnsOf(ctx context.Context, hits []trilith.Hit, o Options) ([]string, error) {
	ids := make([]string, 0, len(hits))
	for _, h := range hits {
		switch {
		case o.Turns == nil:
			ids = append(ids, h.Memory.ExternalID)
		case h.Memory.Fact == nil:
			if !slices.Contains(ids, h.Memory.ExternalID) {
				ids = append(ids, h.Memory.ExternalID)
			}
		default:
			for _, ev := range h.Memory.Fact.Evidence {
				turn, err := o.Turns.Get(ctx, o.Scope, ev.EpisodeID)
				if err != nil {
					return nil, err
				}
				if !slices.Contains(ids, turn.ExternalID) {
					ids = append(ids, turn.ExternalID)
				}
			}
		}
	}
	return ids, nil
}

func rank(m Metrics) int {
	if m.MRR == 0 {
		return 0
	}
	return int(round(1/m.MRR, 0))
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func percentOf(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return round(100*float64(n)/float64(of), 2)
}

func configHash(set Set, o Options) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d%s", o.Config, o.Role, set.Digest, Depth, o.Pool))
	return hex.EncodeToString(sum[:6])
}
