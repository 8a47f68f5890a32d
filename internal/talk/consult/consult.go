// Package consult answers a prompt with the configured model and the memory. It gives the model facts, actions, other
// memories that match, and the summary and the last turns of the session, and has the exchange stored.
//
// A failure of memory does not prevent an answer: if memory fails, or takes too long, the answer comes without it and
// says so.
//
// A prompt passes through consult.go → remembered.go → ask.go → exchange.go.
package consult

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/recall/served"
	"github.com/trilith-memory/trilith/internal/review"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/talk/sessions"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Keeper stores exchanges. The engine plays it: the order of a write is its own.
type Keeper interface {
	// Keep stores an exchange under a hash of the question, which identifies the request if it has a key.
	Keep(ctx context.Context, s trilith.Scope, r trilith.RememberRequest, hash string) (trilith.RememberResult, error)
	// Kept returns the exchange that was stored under a key and a hash; Conflict if the key has another hash.
	Kept(ctx context.Context, s trilith.Scope, key, hash string) (r trilith.RememberResult, found bool, err error)
}

// Config says how a consultant works.
type Config struct {
	Tokens func(text string) int // counts tokens of the block; nil: by the usual vocabulary
	Keeper Keeper
}

// Consultant answers prompts. Its methods are safe for concurrent use.
type Consultant struct {
	truth    *truth.Truth
	usage    *usage.Accounts
	derive   *derive.Deriver
	recall   *recall.Reader
	review   *review.Reviewer
	sessions *sessions.Sessions
	log      *served.Log
	c        Config
}

// Parts are the rooms that a Consultant works with.
type Parts struct {
	Truth    *truth.Truth
	Usage    *usage.Accounts
	Derive   *derive.Deriver
	Recall   *recall.Reader
	Review   *review.Reviewer
	Sessions *sessions.Sessions
	Log      *served.Log
}

// New returns a consultant.
func New(p Parts, c Config) *Consultant {
	return &Consultant{truth: p.Truth, usage: p.Usage, derive: p.Derive, recall: p.Recall, review: p.Review,
		sessions: p.Sessions, log: p.Log, c: c}
}

// keepTime is how long storing an exchange may take after the answer, whatever time the caller had for that.
const keepTime = 10 * time.Second

// Consult answers a prompt: see [trilith.ConsultRequest] and [trilith.ConsultResult]. It answers Unsupported without a
// model, and the model's own error if that gives no answer; then nothing is stored. The exchange is stored when the
// answer is there, even if the caller has gone by then, and before the call returns.
func (c *Consultant) Consult(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest) (trilith.ConsultResult, error) {
	if err := c.check(s, &r); err != nil {
		return trilith.ConsultResult{}, err
	}
	hash, err := hashOf(s, &r)
	if err != nil {
		return trilith.ConsultResult{}, err
	}
	if s.Session == "" {
		s.Session = c.newSession(s, r.RequestKey)
	}
	if r.RequestKey != "" {
		before, found, err := c.c.Keeper.Kept(ctx, s, r.RequestKey, hash)
		if trilith.Is(err, trilith.Conflict) {
			return trilith.ConsultResult{}, err
		}
		if found {
			return c.again(ctx, s, r, before), nil
		}
	}
	return c.consult(ctx, s, r, hash)
}

func (c *Consultant) check(s trilith.Scope, r *trilith.ConsultRequest) error {
	if err := truth.CheckScope(s); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(r.Prompt) == "":
		return trilith.Errorf(trilith.Invalid, "prompt: is empty; say what the user says")
	case len(r.Prompt) > trilith.MaxTextBytes:
		return trilith.Errorf(trilith.Invalid, "prompt: is %d bytes long, at most %d are allowed", len(r.Prompt),
			trilith.MaxTextBytes)
	case !utf8.ValidString(r.Prompt):
		return trilith.Errorf(trilith.Invalid, "prompt: is not valid UTF-8")
	case r.Budget < 0 || r.Budget > trilith.MaxBudget:
		return trilith.Errorf(trilith.Invalid, "budget: is %d, must be 1 to %d tokens", r.Budget, trilith.MaxBudget)
	case len(r.RequestKey) > trilith.MaxNameBytes:
		return trilith.Errorf(trilith.Invalid, "request_key: is %d bytes long, at most %d are allowed", len(r.RequestKey),
			trilith.MaxNameBytes)
	case c.truth.Model == nil:
		return trilith.Errorf(trilith.Unsupported,
			"consult: needs a model to answer, and none is configured; set --model, such as openai:NAME or ollama:NAME")
	}
	return truth.RefuseSecretIDs(map[string]string{"external_id": r.ExternalID})
}

// newSession names a session for a prompt that has none. A request that is repeated under its key names the same one.
func (c *Consultant) newSession(s trilith.Scope, key string) string {
	if key != "" {
		return "session-" + string(trilith.DeriveID("consult", s.Tenant, truth.ScopeText(s), key))
	}
	return "session-" + string(trilith.NewID(c.truth.Now()))
}

// hashOf distinguishes requests with the same key.
func hashOf(s trilith.Scope, r *trilith.ConsultRequest) (string, error) {
	body, err := json.Marshal([]any{"consult", truth.ScopeText(s), r.Prompt, r.SessionOnly, r.Budget, r.ExternalID})
	if err != nil {
		return "", trilith.WrapError(trilith.Internal, "engine.Consult", err)
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), nil
}

// consult asks the model and stores the exchange.
func (c *Consultant) consult(ctx context.Context, s trilith.Scope, r trilith.ConsultRequest, hash string) (
	trilith.ConsultResult, error) {
	id := c.log.ID()
	seen := c.remembered(ctx, s, &r)
	out := trilith.ConsultResult{Session: s.Session, Actions: []trilith.Memory{}, MemoryMissing: seen.missing,
		Used: trilith.ConsultUsed{Facts: listed(seen.block.Facts), Actions: listed(seen.block.Actions),
			Summary: seen.block.Summary, Past: listed(seen.block.Past), Turns: listed(seen.block.Turns),
			Tokens: seen.block.Tokens, MemoryMS: milliseconds(seen.took),
			RecallID: id}}
	c.truth.Meter.Consulted(seen.took, seen.missing != "")
	c.log.Note(ctx, s, seen.row(id, &r))
	answer, err := c.ask(ctx, s, &r, seen.block.Text)
	if err != nil {
		return trilith.ConsultResult{}, err
	}
	out.Answer, out.CutOff, out.Used.Usage = answer.Text, answer.Stop == role.StopLength, &answer.Usage
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
	defer cancel()
	c.keep(after, s, &r, hash, seen.block.Text, &out)
	return out, nil
}

func listed(ids []trilith.ID) []trilith.ID {
	if ids == nil {
		return []trilith.ID{}
	}
	return ids
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
