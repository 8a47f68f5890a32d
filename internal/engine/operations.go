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
	// keys are operations of [credentials.Keys].
	keys interface {
		Authenticate(ctx context.Context, secret string) (trilith.Identity, error)
		CreateKey(ctx context.Context, r trilith.APIKeyRequest) (secret string, k trilith.APIKey, err error)
		HasKeys(ctx context.Context) (bool, error)
		Keys(ctx context.Context) ([]trilith.APIKey, error)
		RevokeKey(ctx context.Context, id trilith.ID) error
	}
	// signIns are operations of [credentials.SignIns].
	signIns interface {
		SignIn(ctx context.Context, secret string) (token string, who trilith.Identity, err error)
		SignInLink(ctx context.Context, tenant string) (token string, err error)
		SignOut(ctx context.Context, token string) error
		SignedIn(ctx context.Context, token string) (trilith.Identity, error)
		UseSignInLink(ctx context.Context, link string) (token string, who trilith.Identity, err error)
	}
	// stores are operations of [objects.Objects].
	stores interface {
		DeleteObject(ctx context.Context, s trilith.Scope, kind, name string) error
		Object(ctx context.Context, s trilith.Scope, kind, name string) (trilith.Object, error)
		Objects(ctx context.Context, s trilith.Scope, kind string) ([]trilith.Object, error)
		PutObject(ctx context.Context, s trilith.Scope, o trilith.Object, fresh bool) (trilith.Object, error)
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

// Made is [truth.Truth.Made].
func (e *Engine) Made(ctx context.Context, s trilith.Scope, key string) ([]trilith.ID, error) {
	return e.truth.Made(ctx, s, key)
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

// Warm loads the parts of the index that the tenant's first search would have to wait for, and the copies of shared
// indexes that make searches fast.
func (e *Engine) Warm(ctx context.Context, s trilith.Scope) error {
	if err := e.generations.Warm(ctx, s); err != nil {
		return err
	}
	return e.truth.Index.Warm(ctx)
}
