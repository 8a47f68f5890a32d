package operate

import (
	"context"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/truth"
)

// UseLanguages chooses the languages of the tenant's texts and questions, and returns when all its texts are indexed in
// them; an empty list takes the choice back. If ctx ends before, the choice is stored, and the next search waits for
// the rest. Other processes on the store index the tenant's texts again before their next search of it. A scope that is
// narrower than a tenant is Invalid.
func (o *Operator) UseLanguages(ctx context.Context, s trilith.Scope, r trilith.LanguageChoice) (
	trilith.LanguageChoice, error) {
	if err := o.useLanguages(ctx, s, r.Languages); err != nil {
		return trilith.LanguageChoice{}, err
	}
	return o.Languages(ctx, s)
}

func (o *Operator) useLanguages(ctx context.Context, s trilith.Scope, codes []string) error {
	if err := truth.CheckWhole(s); err != nil {
		return err
	}
	if s != truth.TenantOf(s) {
		return trilith.Errorf(trilith.Invalid, "scope: languages are a tenant's; leave the other values out")
	}
	r, err := index.LanguagesRecord(codes)
	if err != nil {
		return err
	}
	if _, err := o.truth.Commit(ctx, s, role.Batch{Records: []role.Record{r},
		Audit: o.truth.Audit(s, "languages.use", r.ID,
			map[string]string{"languages": strings.Join(codes, ",")})}); err != nil {
		return err
	}
	return o.truth.Index.Reread(ctx, s)
}

// RestoreLanguages adds the choice of an export to a batch, unless the tenant has made its own.
func (o *Operator) RestoreLanguages(ctx context.Context, s trilith.Scope, codes []string, b *role.Batch) (
	chosen bool, err error) {
	if len(codes) == 0 {
		return false, nil
	}
	own, err := o.truth.Index.Languages(ctx, s.Tenant)
	if err != nil || len(own) > 0 {
		return false, err
	}
	r, err := index.LanguagesRecord(codes)
	if err != nil {
		return false, err
	}
	b.Records = append(b.Records, r)
	return true, nil
}

// Languages returns the codes of the languages that the tenant has chosen for its texts, the main one first; none if
// every text tells its own, or the store has a setting for all its tenants.
func (o *Operator) Languages(ctx context.Context, s trilith.Scope) (out trilith.LanguageChoice, err error) {
	if err = truth.CheckScope(s); err == nil {
		out.Languages, err = o.truth.Index.Languages(ctx, s.Tenant)
	}
	return out, err
}
