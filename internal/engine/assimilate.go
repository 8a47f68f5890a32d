package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Assimilate stores statements about an entity and derives facts from them. It finds the entity by its identifier, or
// creates it. A failure to derive or embed never prevents storing the words: the answer waits a while for the facts,
// and the background does the rest; see [trilith.AssimilateResult].
func (e *Engine) Assimilate(ctx context.Context, s trilith.Scope, r trilith.AssimilateRequest) (
	trilith.AssimilateResult, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.AssimilateResult{}, err
	}
	who := e.entities.Resolver(s, &role.Batch{})
	var err error
	if r.Identifier, err = who.Given(ctx, "identifier", r.Identifier); err != nil {
		return trilith.AssimilateResult{}, err
	}
	if r.Content == "" {
		return trilith.AssimilateResult{}, trilith.Errorf(trilith.Invalid, "content: is empty")
	}
	if !slices.Contains([]trilith.Wait{"", trilith.WaitStored, trilith.WaitExtracted, trilith.WaitIndexed}, r.Wait) {
		return trilith.AssimilateResult{},
			trilith.Errorf(trilith.Invalid, "wait: %.32q is not one of stored, extracted, indexed", string(r.Wait))
	}
	mode := cmp.Or(r.Extract, trilith.ExtractAuto)
	derive, err := e.derive.CheckExtraction(mode, r.Profile)
	if err != nil {
		return trilith.AssimilateResult{}, err
	}
	var entity entities.Party
	about := func(ctx context.Context, who *entities.Resolver) (_ entities.Party, err error) {
		entity, err = who.Make(ctx, r.Identifier)
		if err == nil && r.Role != trilith.RoleAssistant && r.Speaker != "" && r.Identifier.Type != "name" {
			entity, err = who.Learn(ctx, entity, r.Speaker)
		}
		return entity, err
	}
	if _, err := about(ctx, who); err != nil {
		return trilith.AssimilateResult{}, err
	}
	if r.Role != trilith.RoleAssistant && r.Speaker == "" && r.Identifier.Type == "name" {
		r.Speaker = entity.Name
	}
	req := trilith.RememberRequest{Text: r.Content, Role: r.Role, Speaker: r.Speaker, Timestamp: r.Timestamp,
		ExternalID: r.ExternalID, RequestKey: r.RequestKey}
	w := write{e: e, scope: s, req: req, who: who, about: about}
	if derive {
		w.extraction = &extraction{mode: mode, profile: r.Profile, inPlace: true, whose: meantBy(r)}
	}
	res, err := w.remember(ctx)
	if err == nil && w.answered && len(who.Batch.Records) > 0 { // the words were stored before, without this entity
		err = e.entities.Resolve(ctx, s, func(who *entities.Resolver) error { _, err := about(ctx, who); return err })
	}
	if err != nil {
		return trilith.AssimilateResult{}, err
	}
	source := res.SourceID
	if source == "" && w.repeats != "" { // stored before: return the facts of that time
		turn, err := e.truth.Get(ctx, truth.TenantOf(s), w.repeats)
		if err != nil {
			return trilith.AssimilateResult{}, err
		}
		source = turn.SourceID
	}
	if source == "" {
		return trilith.AssimilateResult{}, refused(res)
	}
	out, err := w.awaitFacts(ctx, source, r.Wait)
	out.Masked, out.MaskedIn = res.Masked, slices.Clone(res.MaskedIn)
	if i := slices.Index(out.MaskedIn, "text"); i >= 0 {
		out.MaskedIn[i] = "content" // the field's name in this request
	}
	out.Entity = entity.Entity
	if now, followed := e.entities.Survivor(ctx, s, entity.ID); followed == nil { // it may have been merged meanwhile
		out.Entity = now
	}
	if shown, refused := e.entities.ShownOne(ctx, s, out.Entity); refused == nil {
		out.Entity = shown
	} else { // none of its facts is visible yet
		out.Entity = trilith.Entity{ID: out.Entity.ID, Type: out.Entity.Type, Name: r.Identifier.Value,
			Identifiers: []trilith.Identifier{}}
	}
	return out, err
}

// meantBy returns the identifier of the entity that a request is about; "" if the speaker tells.
func meantBy(r trilith.AssimilateRequest) string {
	if r.Speaker != "" {
		return ""
	}
	return entities.IdentifierKey(r.Identifier).Value
}

// restingOn returns the facts that rest on memories, by ascending id, in every state.
func (w *write) restingOn(ctx context.Context, memories []trilith.ID) ([]trilith.Memory, error) {
	e, s := w.e, w.scope
	list, complete, err := w.factsStored(ctx, memories)
	if err == nil && !complete {
		list, err = e.facts.FactsCiting(ctx, s, memories)
	}
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(m trilith.Memory) bool { return !s.SeesMemory(&m) })
	slices.SortFunc(list, func(a, b trilith.Memory) int { return strings.Compare(string(a.ID), string(b.ID)) })
	if list == nil {
		list = []trilith.Memory{}
	}
	e.facts.RedactQuotes(ctx, s, facts.Pointers(list))
	return list, nil
}

// factsStored reads the facts that were committed with their words: no others rest on those yet. complete is false if
// facts were derived later, or if some of these have another id by now because their entity was merged.
func (w *write) factsStored(ctx context.Context, words []trilith.ID) (list []trilith.Memory, complete bool, err error) {
	if w.extraction == nil || !w.extraction.done {
		return nil, false, nil
	}
	among := func(id trilith.ID) bool { return slices.Contains(words, id) }
	var ids []trilith.ID
	for i := range w.batch.Memories {
		m := &w.batch.Memories[i]
		if m.Fact != nil &&
			slices.ContainsFunc(m.Fact.Evidence, func(ev trilith.Evidence) bool { return ev.RestsOn(among) }) {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) > 0 {
		list, err = w.e.truth.Memories(ctx, truth.TenantOf(w.scope), ids)
	}
	return list, len(list) == len(ids), err
}

// refused returns the error for an assimilation that stored nothing.
func refused(res trilith.RememberResult) error {
	if len(res.Rejected) > 0 {
		return trilith.Refuse("content", res.Rejected)
	}
	return trilith.Errorf(trilith.Invalid, "content: nothing was stored")
}
