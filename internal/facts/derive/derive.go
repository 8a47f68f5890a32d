// Package derive makes facts from statements: by rules, by a model, or from the facts of another system. It determines
// the entity and the owner of each statement, and passes the result to package facts, which revises the stored facts.
//
// Rules read episodes in derive.go, a model reads them in distil.go. guard.go limits what texts of other people can
// lead to. assertion.go turns findings into assertions. settings.go holds how each project derives facts.
package derive

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/ending"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/facts/relations"
	"github.com/trilith-memory/trilith/internal/lang/extract"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/usage"
)

// Config sets how facts are derived.
type Config struct {
	Profiles func() ([]trilith.Profile, error) // the profiles for a model; called when they are needed
	// how facts are derived if neither a request, its project nor its tenant says so; empty: not at all
	Extract trilith.Extraction
	Endings ending.Policy // whether a model is asked which statements end earlier ones
	// Earlier returns sentences of earlier turns of the owner and speaker of a turn that speak of its matter, the nearest
	// first; nil: none are known.
	Earlier func(ctx context.Context, turn *trilith.Memory, sentence string) ([]ending.Statement, error)
	// Quiet is how long the turns of a conversation wait for more of it before a model reads them; 0: not at all.
	Quiet time.Duration
}

// Deriver derives facts in one store. Its methods are safe for concurrent use.
type Deriver struct {
	truth    *truth.Truth
	usage    *usage.Accounts
	entities *entities.Entities
	facts    *facts.Facts
	relates  *relations.Relations

	profiles   func() ([]trilith.Profile, error)
	extraction trilith.Extraction
	endings    ending.Policy
	before     func(context.Context, *trilith.Memory, string) ([]ending.Statement, error)
	quiet      time.Duration
}

// Parts are the rooms that a Deriver works with.
type Parts struct {
	Truth     *truth.Truth
	Usage     *usage.Accounts
	Entities  *entities.Entities
	Facts     *facts.Facts
	Relations *relations.Relations
}

// New returns a deriver of facts.
func New(p Parts, c Config) *Deriver {
	return &Deriver{truth: p.Truth, usage: p.Usage, entities: p.Entities, facts: p.Facts, relates: p.Relations,
		profiles: c.Profiles, extraction: c.Extract, quiet: c.Quiet, endings: c.Endings, before: c.Earlier}
}

// JobExtract is the kind of job that derives facts from episodes. It is committed with them, so the words are stored
// and the facts follow in any case.
const JobExtract = "extract"

// ExtractJob names the episodes and their entity, and says how they are read. The entity is the one that was meant,
// whatever merges there were.
type ExtractJob struct {
	Entity   trilith.ID         `json:"entity"`
	Episodes []trilith.ID       `json:"episodes"`
	Mode     trilith.Extraction `json:"mode,omitempty"`
	Profile  string             `json:"profile,omitempty"`
	ByRole   bool               `json:"by_role,omitempty"` // the speaker's role may select another profile, in
	Phase    string             `json:"phase,omitempty"`   // this phase of the project
	// InProject says that rules read the words as those of a project, in any scopes.
	InProject bool `json:"in_project,omitempty"`
	Talk      bool `json:"talk,omitempty"`  // and these as those of persons, although a scope names a project
	Again     bool `json:"again,omitempty"` // facts that rules no longer find are removed
	// Conversation is equal in jobs whose turns a model may read together; empty: it reads these by themselves.
	Conversation trilith.ID `json:"conversation,omitempty"`
	Hurried      bool       `json:"hurried,omitempty"` // somebody waits for the facts
	Apart        bool       `json:"apart,omitempty"`   // rules have a job of their own
	// Fixed further restricts the owners that the facts may have by their scopes.
	trilith.Fixed
}

// Fix adds to the scopes of episodes what their caller is bound to, which memories do not store.
func (j ExtractJob) Fix(episodes []trilith.Memory) {
	for i := range episodes {
		episodes[i].Scope.Fixed = j.Fixed
	}
}

// Extract runs an ExtractJob by rules: it finds facts in the episodes as they are now and reconciles them with known
// facts. Repeating it changes nothing.
func (dv *Deriver) Extract(ctx context.Context, tenant string, job trilith.ID, j ExtractJob) error {
	s := trilith.Scope{Tenant: tenant, Actor: "extract"}
	episodes, subject, err := dv.episodesOf(ctx, s, j)
	if err != nil {
		return err
	}
	unread, err := sparing(ctx, dv, episodes, func(some []trilith.Memory) error {
		who := dv.entities.Resolver(s, nil)
		if err := dv.reconcile(ctx, who, subject, ByRules(ctx, who, j, episodes, some, subject)); err != nil {
			return err
		}
		return dv.relates.Read(ctx, s, some)
	})
	if err == nil && j.Again && len(unread) == 0 {
		err = dv.removeUnsaid(ctx, s, j, episodes, subject)
	}
	return cmp.Or(noteUnread(ctx, dv, s, job, unread), err)
}

// ByRules returns the findings of rules in some of the episodes of a conversation.
func ByRules(ctx context.Context, who *entities.Resolver, j ExtractJob, episodes, some []trilith.Memory,
	subject entities.Party) []finding {
	turns := make([]extract.Turn, len(episodes))
	for i, m := range episodes {
		turns[i] = extract.Turn{Role: m.Role, Speaker: speakerOf(&m, subject), Text: m.Text, At: m.EventTime,
			Project: !j.Talk && (j.InProject || m.Scope.Project != "" || subject.Type == "project"),
			Context: !holds(some, m.ID), Known: func(name string) bool {
				p, known, err := who.Known(ctx, entities.Within(m.Scope, trilith.Identifier{Type: "name", Value: name}))
				return err == nil && known && p.Type == "person"
			}}
	}
	found, amendments := extract.Read(turns)
	var all []finding
	for _, f := range found {
		m := episodes[f.Turn]
		if steered(&m, f.Start, f.End) {
			continue
		}
		all = append(all, finding{Found: f, episode: m, proposed: claimsPreference(&m, f.Type) ||
			directs(&m, f.Start, f.End) || proposesTask(&m, f.Type) || m.Role == trilith.RoleAssistant &&
			f.Certainty != trilith.Stated})
	}
	return withAmendments(all, episodes, amendments)
}

// episodesOf reads the episodes of a job, without those forgotten or quarantined since, and their entity. If that was
// erased, there is nothing to read.
func (dv *Deriver) episodesOf(ctx context.Context, s trilith.Scope, j ExtractJob) (
	[]trilith.Memory, entities.Party, error) {
	subject, err := dv.entities.Survivor(ctx, s, j.Entity)
	if err != nil {
		return nil, entities.Party{}, entities.UnlessErased(err)
	}
	episodes, err := dv.truth.Memories(ctx, s, j.Episodes)
	if err != nil {
		return nil, entities.Party{}, err
	}
	episodes = slices.DeleteFunc(episodes, func(m trilith.Memory) bool { return facts.Withdrawn(m.State) })
	j.Fix(episodes)
	return episodes, entities.Party{Entity: subject, Of: j.Entity}, nil
}

// speakerOf returns the speaker of an episode; if none is named, the entity that the words were stored for.
func speakerOf(m *trilith.Memory, subject entities.Party) string {
	if m.Speaker == "" && m.Role != trilith.RoleAssistant && !unsigned(m) {
		return subject.Name
	}
	return m.Speaker
}

// unsigned reports whether a memory is of a document without an author: a request names one by speaker or role.
func unsigned(m *trilith.Memory) bool {
	return m.Kind == trilith.KindPassage && m.Speaker == "" && m.Role == ""
}

// finding is a fact as found by rules or a model, with its evidence.
type finding struct {
	extract.Found
	episode   trilith.Memory
	premises  []trilith.Premise
	proposed  bool                 // an offer, or doubtful
	known     *trilith.Memory      // the fact that it is about; nil: a new one
	amendment *reconcile.Amendment // the change that it makes to facts that are still to be found; nil: it is a fact
}

// reconcile reconciles findings with the known facts of their entities.
func (dv *Deriver) reconcile(ctx context.Context, who *entities.Resolver, subject entities.Party, all []finding) error {
	byOwner, err := dv.StatementsOf(ctx, who, subject, all)
	if err != nil {
		return err
	}
	for _, t := range byOwner {
		if _, _, err := dv.facts.ReviseWith(ctx, who.Scope, t.Of, ApplyEdit(ctx, t)); err != nil {
			return err
		}
	}
	return nil
}
