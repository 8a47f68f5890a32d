package memory

import (
	"context"

	"github.com/trilith-memory/trilith"
)

// Remember stores something. With a RequestKey it can be repeated: the second time it changes nothing. If nothing of it
// is stored, that is an error, a [*trilith.Refused].
func (m *Memory) Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	out, err := m.engine.Remember(ctx, m.in(s), r)
	if err == nil {
		err = out.Refusal("request")
	}
	return out, err
}

// Recall searches the memories for a question.
func (m *Memory) Recall(ctx context.Context, s trilith.Scope, r trilith.RecallRequest) (trilith.RecallResult, error) {
	return m.engine.Recall(ctx, m.in(s), r)
}

// Context makes the text that a prompt gets.
func (m *Memory) Context(ctx context.Context, s trilith.Scope, r trilith.ContextRequest) (trilith.ContextBlock, error) {
	return m.engine.Context(ctx, m.in(s), r)
}

// Get returns one memory.
func (m *Memory) Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	return m.engine.Get(ctx, m.in(s), id)
}

// List returns one page of a listing, of active memories unless the request says otherwise.
func (m *Memory) List(ctx context.Context, s trilith.Scope, r trilith.ListRequest) (trilith.Page, error) {
	return m.engine.List(ctx, m.in(s), r)
}

// Update changes one memory.
func (m *Memory) Update(
	ctx context.Context, s trilith.Scope, id trilith.ID, r trilith.UpdateRequest,
) (trilith.Memory, error) {
	return m.engine.Update(ctx, m.in(s), id, r)
}

// Forget takes memories out of search.
func (m *Memory) Forget(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest) (trilith.ForgetResult, error) {
	return m.engine.Forget(ctx, m.in(s), r)
}

// Erase removes memories for good, with everything derived from them, and leaves a receipt.
func (m *Memory) Erase(ctx context.Context, s trilith.Scope, r trilith.EraseRequest) (trilith.EraseReceipt, error) {
	return m.engine.Erase(ctx, m.in(s), r)
}

// Share makes a memory visible in a second scope of its tenant and returns the share: a reference, which follows the
// memory.
func (m *Memory) Share(ctx context.Context, s trilith.Scope, id trilith.ID, to trilith.Scope) (trilith.Memory, error) {
	return m.engine.Share(ctx, m.in(s), id, m.in(to))
}

// History returns the life of a memory.
func (m *Memory) History(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.History, error) {
	return m.engine.History(ctx, m.in(s), id)
}

// AddEntry stores a knowledge entry. An ExternalID that is stored already gives the entry that has it.
func (m *Memory) AddEntry(ctx context.Context, s trilith.Scope, r trilith.EntryRequest) (trilith.Memory, error) {
	return m.engine.AddEntry(ctx, m.in(s), r)
}

// Entry returns one knowledge entry.
func (m *Memory) Entry(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Memory, error) {
	return m.engine.Entry(ctx, m.in(s), id)
}

// Batch runs up to [trilith.MaxOperations] operations; see [trilith.BatchRequest].
func (m *Memory) Batch(ctx context.Context, s trilith.Scope, r trilith.BatchRequest) ([]trilith.OperationResult, error) {
	return m.engine.Batch(ctx, m.in(s), r)
}

// PutEntry stores an entry under a key, replacing the value that the key has in exactly this scope.
func (m *Memory) PutEntry(ctx context.Context, s trilith.Scope, key string, r trilith.PutRequest) (trilith.Memory, error) {
	return m.engine.PutEntry(ctx, m.in(s), key, r)
}

// EntryByKey returns the entry that has a key in this very scope.
func (m *Memory) EntryByKey(ctx context.Context, s trilith.Scope, key string) (trilith.Memory, error) {
	return m.engine.EntryByKey(ctx, m.in(s), key)
}

// ForgetByKey forgets the entry that has a key in this very scope.
func (m *Memory) ForgetByKey(ctx context.Context, s trilith.Scope, key string) (trilith.ForgetResult, error) {
	return m.engine.ForgetByKey(ctx, m.in(s), key)
}

// EraseByKey erases the entry that has a key in this very scope.
func (m *Memory) EraseByKey(ctx context.Context, s trilith.Scope, key string) (trilith.EraseReceipt, error) {
	return m.engine.EraseByKey(ctx, m.in(s), key)
}

// KeyedEntries lists the entries of exactly this scope with a key prefix, oldest first.
func (m *Memory) KeyedEntries(ctx context.Context, s trilith.Scope, r trilith.KeyedRequest) (trilith.Page, error) {
	return m.engine.KeyedEntries(ctx, m.in(s), r)
}

// SimilarEntries returns the entries of the scope's domain that are most like a text or an embedding.
func (m *Memory) SimilarEntries(
	ctx context.Context, s trilith.Scope, r trilith.SimilarRequest,
) (trilith.SimilarEntries, error) {
	return m.engine.SimilarEntries(ctx, m.in(s), r)
}
