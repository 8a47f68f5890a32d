package engine

import (
	"context"
	"iter"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/operate/jobs"
)

// What rooms do for edges is theirs as it stands. The engine has just these methods of each room.
type (
	// derives are operations of [derive.Deriver].
	derives interface {
		ImportFacts(ctx context.Context, s trilith.Scope, facts []trilith.ForeignFact) (trilith.ImportedFacts, error)
	}
	// works are operations of [jobs.Runner].
	works interface {
		Backlog(ctx context.Context) ([]jobs.Backlog, error)
		Jobs(ctx context.Context, s trilith.Scope, l trilith.JobListing) ([]trilith.Job, error)
		Work(ctx context.Context) error
		WorkQuick(ctx context.Context) error
	}
	// embeds are operations of [generations.Generations].
	embeds interface {
		AwaitGenerations(ctx context.Context, progress func([]trilith.GenerationStatus)) error
		ForgetPrevious(ctx context.Context) ([]trilith.GenerationStatus, error)
		Generation() trilith.Generation
		Generations(ctx context.Context) ([]trilith.GenerationStatus, error)
		Maintain()
		Rollback(ctx context.Context) ([]trilith.GenerationStatus, error)
		SwitchTo(ctx context.Context, embedder string) ([]trilith.GenerationStatus, error)
		VectorsAtHand(ctx context.Context, s trilith.Scope, ms []trilith.Memory) ([]trilith.Vector, error)
	}
	// operates are operations of [operate.Operator].
	operates interface {
		CheckGraph(ctx context.Context, s trilith.Scope) (trilith.GraphReport, error)
		RebuildGraph(ctx context.Context, s trilith.Scope) (facts int, err error)
		Reindex(ctx context.Context, progress func(done, total int)) (trilith.ReindexResult, error)
		Repair(ctx context.Context) (trilith.DoctorReport, error)
		Settle(ctx context.Context) error
	}
)

// Authenticate is [credentials.Keys.Authenticate].
func (e *Engine) Authenticate(ctx context.Context, secret string) (trilith.Identity, error) {
	return e.keys.Authenticate(ctx, secret)
}

// CreateKey is [credentials.Keys.Create].
func (e *Engine) CreateKey(ctx context.Context, r trilith.APIKeyRequest) (secret string, k trilith.APIKey, err error) {
	return e.keys.Create(ctx, r)
}

// Feed pages through the changes of the scope's memories, latest first: memories that were stored, by the time of
// storing, and memories that were closed, by the time when trilith learned of it.
func (e *Engine) Feed(ctx context.Context, s trilith.Scope, q trilith.FeedQuery) (trilith.Feed, error) {
	return e.review.Feed(ctx, s, q)
}

// Events is [operate.Events.Listen].
func (e *Engine) Events(ctx context.Context, s trilith.Scope, after string) iter.Seq2[trilith.Event, error] {
	return e.operate.Events().Listen(ctx, s, after)
}

// AuditLog pages through the audit of the tenant, oldest or latest first. It needs the right admin.
func (e *Engine) AuditLog(ctx context.Context, s trilith.Scope, q trilith.AuditQuery) (trilith.AuditPage, error) {
	return e.operate.Audits().AuditLog(ctx, s, q)
}

// HasKeys is [credentials.Keys.Any].
func (e *Engine) HasKeys(ctx context.Context) (bool, error) {
	return e.keys.Any(ctx)
}

// Keys is [credentials.Keys.All].
func (e *Engine) Keys(ctx context.Context) ([]trilith.APIKey, error) {
	return e.keys.All(ctx)
}

// Made is [truth.Truth.Made].
func (e *Engine) Made(ctx context.Context, s trilith.Scope, key string) ([]trilith.ID, error) {
	return e.truth.Made(ctx, s, key)
}

// PutObject is [objects.Objects.Put].
func (e *Engine) PutObject(ctx context.Context, s trilith.Scope, o trilith.Object, fresh bool) (trilith.Object, error) {
	return e.objects.Put(ctx, s, o, fresh)
}

// Object is [objects.Objects.Get].
func (e *Engine) Object(ctx context.Context, s trilith.Scope, kind, name string) (trilith.Object, error) {
	return e.objects.Get(ctx, s, kind, name)
}

// Objects is [objects.Objects.List].
func (e *Engine) Objects(ctx context.Context, s trilith.Scope, kind string) ([]trilith.Object, error) {
	return e.objects.List(ctx, s, kind)
}

// DeleteObject is [objects.Objects.Delete].
func (e *Engine) DeleteObject(ctx context.Context, s trilith.Scope, kind, name string) error {
	return e.objects.Delete(ctx, s, kind, name)
}

// RunSearches runs the saved searches on all commits before the call, and on deadlines that have come near.
func (e *Engine) RunSearches(ctx context.Context) error {
	if err := e.alerts.Follow(ctx); err != nil {
		return err
	}
	return e.alerts.Sweep(ctx)
}

// PutMedia is [media.Room.Put].
func (e *Engine) PutMedia(ctx context.Context, s trilith.Scope, m trilith.NewMedia) (trilith.StoredMedia, error) {
	return e.media.Put(ctx, s, m)
}

// UndoMedia removes the files that an import brought, and takes the text that was read from them out of search. It
// returns the numbers of these files and memories; with dry it does nothing else.
func (e *Engine) UndoMedia(ctx context.Context, s trilith.Scope, id trilith.ID, dry bool) (files, memories int, err error) {
	brought, err := e.media.ImportedBy(ctx, s, id)
	if err != nil || len(brought) == 0 {
		return 0, 0, err
	}
	for _, m := range brought {
		if m.SourceID == "" {
			continue
		}
		read, err := e.Forget(ctx, s, trilith.ForgetRequest{DryRun: dry,
			Filter: trilith.Where("source_id", trilith.OpEq, string(m.SourceID))})
		if err != nil {
			return 0, 0, err
		}
		memories += len(read.IDs)
	}
	if !dry {
		err = e.media.TakeAway(ctx, s, brought)
	}
	return len(brought), memories, err
}

// MediaFile is [media.Room.Get].
func (e *Engine) MediaFile(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.MediaFile, error) {
	return e.media.Get(ctx, s, id)
}

// ReadOnly is [truth.Truth.ReadOnly].
func (e *Engine) ReadOnly() string {
	return e.truth.ReadOnly()
}

// RevokeKey is [credentials.Keys.Revoke].
func (e *Engine) RevokeKey(ctx context.Context, id trilith.ID) error {
	return e.keys.Revoke(ctx, id)
}

// SignIn is [credentials.SignIns.Open].
func (e *Engine) SignIn(ctx context.Context, secret string) (token string, who trilith.Identity, err error) {
	return e.signIns.Open(ctx, secret)
}

// SignInLink is [credentials.SignIns.Link].
func (e *Engine) SignInLink(ctx context.Context, tenant string) (token string, err error) {
	return e.signIns.Link(ctx, tenant)
}

// SignOut is [credentials.SignIns.End].
func (e *Engine) SignOut(ctx context.Context, token string) error {
	return e.signIns.End(ctx, token)
}

// SignedIn is [credentials.SignIns.Identify].
func (e *Engine) SignedIn(ctx context.Context, token string) (trilith.Identity, error) {
	return e.signIns.Identify(ctx, token)
}

// UseSignInLink is [credentials.SignIns.UseLink].
func (e *Engine) UseSignInLink(ctx context.Context, link string) (token string, who trilith.Identity, err error) {
	return e.signIns.UseLink(ctx, link)
}

// Warm loads the parts of the index that the tenant's first search would have to wait for, and the copies of shared
// indexes that make searches fast.
func (e *Engine) Warm(ctx context.Context, s trilith.Scope) error {
	if err := e.generations.Warm(ctx, s); err != nil {
		return err
	}
	return e.truth.Index.Warm(ctx)
}
