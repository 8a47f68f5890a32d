package index

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// For a private index, a process holds the languages in memory. For a shared index they are stored next to the tenant's
// choice, so that one read returns both. The holder of the index's turn writes them, before it applies texts that
// change them.

// appliedID returns the id of the record with the languages in which a shared text index holds the tenant's texts.
var appliedID = trilith.DeriveID("languages", "applied")

// appliedLanguages is the body of that record. It is written with a tenant's first text.
type appliedLanguages struct {
	In     string     `json:"in"`
	Toward string     `json:"toward"`
	After  trilith.ID `json:"after,omitempty"`
}

// applied is the language state of a tenant in a shared index as it was read.
type applied struct {
	languageState
	was     languageState
	version int64
	chosen  []string // the tenant's chosen languages
}

func (a *applied) languages() string { return strings.Join(a.chosen, ",") }

func (x *textIndexer) applied(ctx context.Context, tenant string) (applied, error) {
	a := applied{languageState: languageState{toward: none}}
	rs, err := x.cfg.Store.Records(ctx, trilith.Scope{Tenant: tenant},
		role.RecordListing{Kind: role.RecordLanguages, IDs: []trilith.ID{languagesID, appliedID}})
	if err != nil {
		return a, err
	}
	for _, r := range rs {
		var chosen chosenLanguages
		var held appliedLanguages
		if r.ID == languagesID {
			err = json.Unmarshal(r.Body, &chosen)
			a.chosen = chosen.Codes
		} else {
			err = json.Unmarshal(r.Body, &held)
			a.languageState, a.version = languageState{held: true, in: held.In, toward: held.Toward, after: held.After},
				r.Version
		}
		if err != nil {
			return a, trilith.WrapError(trilith.Internal, "index: languages", err)
		}
	}
	a.was = a.languageState
	return a, nil
}

// note stores the changed language state. It returns errMoved if this process has lost the turn.
func (x *textIndexer) note(ctx context.Context, tenant string, a *applied) error {
	if a.languageState == a.was {
		return nil
	}
	var b role.Batch
	if err := b.Replace(role.RecordLanguages, appliedID, a.version,
		appliedLanguages{In: a.in, Toward: a.toward, After: a.after}); err != nil {
		return err
	}
	_, err := x.cfg.Store.Commit(ctx, trilith.Scope{Tenant: tenant}, b)
	if err != nil && trilith.KindOf(err) == trilith.Conflict {
		return errMoved
	}
	a.was = a.languageState
	a.version++
	return err
}

func (x *textIndexer) applyingShared(ctx context.Context, tenant string) ([]string, error) {
	a, err := x.applied(ctx, tenant)
	if err != nil {
		return nil, err
	}
	a.apply(a.languages())
	return a.chosen, x.note(ctx, tenant, &a)
}

// searchShared searches if all texts are in the languages that the tenant has chosen, by the state that was read. If
// another process begins to apply other languages during the search, some texts may be missed.
func (x *textIndexer) searchShared(ctx context.Context, s trilith.Scope, p role.TextProbe, as applied) (
	res role.TextResult, searched bool, err error) {
	if !as.agrees(as.languages()) {
		return res, false, nil
	}
	p.Languages = slices.Clone(as.chosen)
	res, err = x.cfg.Text.Search(ctx, s, p)
	return res, true, err
}

// rereadShared continues what another process may have begun, one step in each turn.
func (x *textIndexer) rereadShared(ctx context.Context, tenant string) error {
	for done := false; !done; {
		if err := x.alone(ctx, &x.text, func(ctx context.Context) error {
			a, err := x.applied(ctx, tenant)
			if err != nil {
				return err
			}
			languages := a.languages()
			after, agreed := a.next(languages)
			done = agreed
			if agreed {
				return nil
			}
			if err := x.note(ctx, tenant, &a); err != nil {
				return err
			}
			ms, err := x.page(ctx, trilith.Scope{Tenant: tenant}, after)
			if err != nil {
				return err
			}
			if err := x.indexTexts(ctx, ms); err != nil {
				return err
			}
			if len(ms) > 0 { // the choice may have changed meanwhile
				if a, err = x.applied(ctx, tenant); err != nil {
					return err
				}
			}
			a.advance(languages, ms)
			x.text.add(len(ms))
			return x.note(ctx, tenant, &a)
		}); err != nil {
			return err
		}
	}
	return nil
}
