package engine

import (
	"cmp"
	"context"
	"encoding/hex"
	"iter"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/kinds"
)

// kinds is the table of what an export consists of, in its order, which is also that of an import. Kinds without a
// Restore are imported with the memories.
func (e *Engine) kinds() []kinds.Kind {
	var numbers map[trilith.ID]int64 // the header reads them, and the facts need them
	table := []kinds.Kind{
		kinds.Row[trilith.ExportHeader]{In: inHeader, Check: checkHeader,
			Export: func(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.ExportHeader, error] {
				return func(yield func(trilith.ExportHeader, error) bool) {
					var err error
					numbers, err = e.allLegacyIDs(ctx, truth.TenantOf(s))
					if err != nil && (!yield(trilith.ExportHeader{}, err) || truth.Fatal(err)) {
						return
					}
					yield(e.header(ctx, s, numbers[truth.LegacyCounter]))
				}
			}}.Kind(),
		kinds.Row[trilith.Erased]{In: inErased, Check: checkErased, Restore: oneByOne(e.restoreErased),
			Export: unbound(e, role.RecordReceipt, decoded[trilith.Erased])}.Kind(),
		kinds.Row[trilith.Judged]{In: inJudged, Check: checkJudged, Restore: oneByOne(e.facts.RestoreJudged)}.Kind(),
	}
	table = append(table, e.entityKinds()...)
	table = append(table,
		kinds.Row[trilith.Source]{In: inSource, Check: checkSource,
			Export: func(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.Source, error] {
				return kinds.Records[trilith.Source]{Truth: e.truth, Kind: role.RecordSource, Decode: decoded[trilith.Source],
					Facets: func(src *trilith.Source) (in trilith.Scope, at, recorded time.Time) {
						return truth.WithTenant(src.Scope, s.Tenant), at, recorded
					}}.In(ctx, s)
			}}.Kind(),
		kinds.Row[trilith.Memory]{In: inMemory, Prefix: "memory.", Check: truth.CheckMemory,
			Export: func(ctx context.Context, s trilith.Scope) iter.Seq2[trilith.Memory, error] {
				return e.exportMemories(ctx, s, numbers)
			}}.Kind(),
		e.sessions.Transcripts.Kind(), e.objects.Kind())
	return append(append(table, e.alerts.ExportKinds()...), e.media.Kind(), e.log.Kind())
}

// The members of an item of an export that this package reads by itself.
func inHeader(it *trilith.ExportItem) **trilith.ExportHeader { return &it.Header }

const exportFormat = 1

func checkHeader(h *trilith.ExportHeader) error {
	if h.Format != exportFormat {
		return trilith.Errorf(trilith.Unsupported, "the export has format %d, this program reads %d", h.Format, exportFormat)
	}
	if _, err := index.LanguagesRecord(h.Languages); err != nil {
		return trilith.Errorf(trilith.Invalid, "trilith_export.%s", trilith.MessageOf(err))
	}
	return truth.CheckLegacyID("trilith_export.legacy_ids", h.LegacyIDs)
}

// header returns the first line of an export.
func (e *Engine) header(ctx context.Context, s trilith.Scope, last int64) (trilith.ExportHeader, error) {
	h := trilith.ExportHeader{Format: exportFormat, At: e.truth.Now(), Version: e.truth.Version}
	if s.Bound == (trilith.Bound{}) {
		h.LegacyIDs = last
	}
	var chosen trilith.LanguageChoice
	var err error
	if s == truth.TenantOf(s) {
		chosen, err = e.operate.Languages(ctx, s)
	}
	h.Languages = chosen.Languages
	return h, err
}

func inErased(it *trilith.ExportItem) **trilith.Erased { return &it.Erased }

func checkErased(t *trilith.Erased) error {
	if err := checkSalt("erased", t.Salt); err != nil {
		return err
	}
	if err := t.Receipt.ID.Validate(); err != nil {
		return trilith.Errorf(trilith.Invalid, "erased.receipt.%s", trilith.MessageOf(err))
	}
	return truth.CheckIDs("erased.ids", slices.Concat(t.IDs, t.Entities))
}

// oneByOne imports items each for itself.
func oneByOne[T any](restore func(context.Context, trilith.Scope, T) (int, error)) func(
	context.Context, trilith.Scope, []T) (int, error) {
	return func(ctx context.Context, s trilith.Scope, all []T) (stored int, err error) {
		for _, v := range all {
			n, err := restore(ctx, s, v)
			if err != nil {
				return stored, err
			}
			stored += n
		}
		return stored, nil
	}
}

// unbound yields all records of a kind of the tenant, but none to a bound caller, who must not learn what concerns
// others.
func unbound[T any](e *Engine, kind role.RecordKind, decode func(s trilith.Scope, r role.Record) (T, error)) func(
	context.Context, trilith.Scope) iter.Seq2[T, error] {
	all := kinds.Records[T]{Truth: e.truth, Kind: kind, Decode: decode}
	return func(ctx context.Context, s trilith.Scope) iter.Seq2[T, error] {
		if s.Bound != (trilith.Bound{}) {
			return func(func(T, error) bool) {}
		}
		return all.All(ctx, s)
	}
}

func decoded[T any](_ trilith.Scope, r role.Record) (T, error) { return truth.Decode[T](r) }

func inJudged(it *trilith.ExportItem) **trilith.Judged { return &it.Judged }

func checkJudged(j *trilith.Judged) error {
	if err := checkSalt("judged", j.Salt); err != nil {
		return err
	}
	return truth.CheckIDs("judged.id", []trilith.ID{j.ID})
}

func checkSalt(of, text string) error {
	if salt, err := hex.DecodeString(text); err != nil || len(salt) == 0 {
		return trilith.Errorf(trilith.Invalid, "%s.salt: is not hexadecimal", of)
	}
	return nil
}

func inSource(it *trilith.ExportItem) **trilith.Source { return &it.Source }

func checkSource(src *trilith.Source) error {
	return cmp.Or(truth.CheckIDs("source.id", []trilith.ID{src.ID}),
		truth.CheckIDs("source.memory_ids", src.MemoryIDs))
}

func inMemory(it *trilith.ExportItem) **trilith.Memory { return &it.Memory }

// exportMemories yields the memories of a scope by id, shares after all others.
func (e *Engine) exportMemories(ctx context.Context, s trilith.Scope, numbers map[trilith.ID]int64) iter.Seq2[
	trilith.Memory, error] {
	return func(yield func(trilith.Memory, error) bool) {
		var shared []trilith.ID
		for m, err := range e.truth.List(ctx, s, role.Listing{}) {
			if err == nil && m.Fact != nil {
				m.Fact.LegacyID = numbers[m.ID]
			}
			if err == nil && m.SharedFrom != "" {
				shared = append(shared, m.ID)
				continue
			}
			if err == nil {
				e.facts.RedactQuotes(ctx, s, []*trilith.Memory{&m})
			}
			if !yield(m, err) || truth.Fatal(err) {
				return
			}
		}
		for chunk := range slices.Chunk(shared, role.MaxBatch) {
			ms, err := e.truth.Memories(ctx, s, chunk)
			if err != nil && (!yield(trilith.Memory{}, err) || truth.Fatal(err)) {
				return
			}
			for _, m := range ms {
				if !yield(m, nil) {
					return
				}
			}
		}
	}
}
