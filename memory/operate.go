package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Profiles returns the extraction profiles, and which is the default of the scope's project, or of the tenant.
func (m *Memory) Profiles(ctx context.Context, s trilith.Scope) (trilith.Profiles, error) {
	return m.engine.Profiles(ctx, m.in(s))
}

// UseProfile makes a profile the default of the scope's project, or of the tenant if the scope names none.
func (m *Memory) UseProfile(ctx context.Context, s trilith.Scope, name string) error {
	return m.engine.UseProfile(ctx, m.in(s), trilith.ProfileChoice{Name: name})
}

// UseProfileFor makes a profile the default of the scope's project, or of the tenant, for what people of a role say,
// while a project is in a phase, or both; with an empty name it takes such a choice back.
func (m *Memory) UseProfileFor(ctx context.Context, s trilith.Scope, p trilith.ProfileChoice) error {
	return m.engine.UseProfile(ctx, m.in(s), p)
}

// Extraction returns how facts are derived in the scope's project, or in its tenant, where a request does not say.
func (m *Memory) Extraction(ctx context.Context, s trilith.Scope) (trilith.ExtractionChoice, error) {
	return m.engine.Extraction(ctx, m.in(s))
}

// UseExtraction sets how facts are derived in the scope's project, or in the tenant if the scope names none, if a
// request does not say; an empty mode removes the choice.
func (m *Memory) UseExtraction(ctx context.Context, s trilith.Scope, mode trilith.Extraction) error {
	return m.engine.UseExtraction(ctx, m.in(s), mode)
}

// Generations lists the generations of vectors that the memory holds.
func (m *Memory) Generations(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return m.engine.Generations(ctx)
}

// SwitchTo makes the vectors of another embedder in the background, and switches to it when they are all there. The
// embedder is one of [Options.Embedders], by its name.
func (m *Memory) SwitchTo(ctx context.Context, embedder string) ([]trilith.GenerationStatus, error) {
	return m.engine.SwitchTo(ctx, embedder)
}

// Rollback goes back to the generation before the last switch.
func (m *Memory) Rollback(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return m.engine.Rollback(ctx)
}

// ForgetPrevious removes the vectors of the generation before the last switch.
func (m *Memory) ForgetPrevious(ctx context.Context) ([]trilith.GenerationStatus, error) {
	return m.engine.ForgetPrevious(ctx)
}

// Jobs lists background jobs of the tenant, newest first.
func (m *Memory) Jobs(ctx context.Context, s trilith.Scope, l trilith.JobListing) ([]trilith.Job, error) {
	return m.engine.Jobs(ctx, m.in(s), l)
}

// RetryJob gives a dead job all its attempts again.
func (m *Memory) RetryJob(ctx context.Context, s trilith.Scope, id trilith.ID) error {
	return m.engine.RetryJob(ctx, m.in(s), id)
}

// Usage reports what the tenant used of providers in the last days, today included: 1 to 366, 30 if 0.
func (m *Memory) Usage(ctx context.Context, s trilith.Scope, days int) (trilith.UsageReport, error) {
	return m.engine.Usage(ctx, m.in(s), days)
}

// Sweep sets the state of memories whose validity has ended.
func (m *Memory) Sweep(ctx context.Context, s trilith.Scope) (trilith.SweepResult, error) {
	return m.engine.Sweep(ctx, m.in(s))
}

// Archive removes memories that were closed long ago from listings.
func (m *Memory) Archive(ctx context.Context, s trilith.Scope, days int, dry bool) (trilith.ArchiveResult, error) {
	return m.engine.Archive(ctx, m.in(s), days, dry)
}

// RegenerateEmbeddings makes vectors for memories without one, facts first. With cut, it also makes those again that
// cover only the beginning of a text.
func (m *Memory) RegenerateEmbeddings(
	ctx context.Context, s trilith.Scope, limit int, cut bool,
) (trilith.RegenerateResult, error) {
	return m.engine.RegenerateEmbeddings(ctx, m.in(s), limit, cut)
}

// Languages returns the codes of the languages that the tenant of the options has chosen for its texts, the main one
// first; none if it has not.
func (m *Memory) Languages(ctx context.Context) ([]string, error) {
	return m.engine.Languages(ctx, m.in(trilith.Scope{}))
}

// UseLanguages sets the languages of the texts and questions of the tenant of the options, by their codes, the main one
// first; none removes the choice. It returns when the texts are indexed in them.
func (m *Memory) UseLanguages(ctx context.Context, codes ...string) error {
	return m.engine.UseLanguages(ctx, m.in(trilith.Scope{}), codes)
}
