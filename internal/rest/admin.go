package rest

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/danielgtaylor/huma/v2"
)

type jobsInput struct {
	State  cairn.JobState `query:"state" doc:"Only jobs that stand so" enum:"ready,done,dead"`
	Kind   string         `query:"kind" doc:"Only jobs of this kind" maxLength:"255"`
	Limit  int            `query:"limit" doc:"Jobs per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor cairn.ID       `query:"cursor" doc:"next_cursor of the page before"`
}

type oneJob struct {
	ID cairn.ID `path:"id" doc:"Id of the job"`
}

type jobPage struct {
	Items      []cairn.Job `json:"items"`
	NextCursor string      `json:"next_cursor,omitempty"`
}

type reextractInput struct {
	ScopeQuery
	Missing bool `query:"missing" doc:"From conversations and notes that no facts were derived from, as is chosen for them now"`
}

func (s *server) registerJobs(api huma.API) {
	handle(s, api, operation{id: "usage", method: http.MethodGet, path: "/usage", need: cairn.AccessReader,
		summary: "What was used of providers, and what the budget leaves for today"},
		func(ctx context.Context, who cairn.Identity, in *usageInput) (cairn.UsageReport, error) {
			return s.Engine.Usage(ctx, within(who, cairn.Scope{}), in.Days)
		})
	handle(s, api, operation{id: "list-jobs", method: http.MethodGet, path: "/jobs", need: cairn.AccessReader,
		summary: "Background jobs, newest first"}, s.jobs)
	handle(s, api, operation{id: "get-job", method: http.MethodGet, path: "/jobs/{id}", need: cairn.AccessReader,
		summary: "One job"}, s.job)
	handle(s, api, operation{id: "retry-job", method: http.MethodPost, path: "/jobs/{id}/retry",
		need:    cairn.AccessWriter,
		summary: "Give a dead job all its attempts again"}, func(ctx context.Context, who cairn.Identity, in *oneJob) (
		cairn.Job, error) {
		if err := s.Engine.RetryJob(ctx, within(who, cairn.Scope{}), in.ID); err != nil {
			return cairn.Job{}, err
		}
		return s.job(ctx, who, in)
	})
}

func (s *server) jobs(ctx context.Context, who cairn.Identity, in *jobsInput) (jobPage, error) {
	limit := in.Limit
	if limit == 0 {
		limit = cairn.DefaultPageSize
	}
	jobs, err := s.Engine.Jobs(ctx, within(who, cairn.Scope{}),
		// one more tells whether a page follows
		cairn.JobListing{State: in.State, Kind: in.Kind, Before: in.Cursor, Limit: limit + 1})
	some, more := cut(jobs, limit)
	page := jobPage{Items: some}
	if more {
		page.NextCursor = string(some[len(some)-1].ID)
	}
	return page, err
}

func (s *server) job(ctx context.Context, who cairn.Identity, in *oneJob) (cairn.Job, error) {
	jobs, err := s.Engine.Jobs(ctx, within(who, cairn.Scope{}), cairn.JobListing{IDs: []cairn.ID{in.ID}})
	if err == nil && len(jobs) == 0 {
		err = cairn.Errorf(cairn.NotFound, "job %.64q does not exist", string(in.ID))
	}
	if err != nil {
		return cairn.Job{}, err
	}
	return jobs[0], nil
}

type auditInput struct {
	Limit  int   `query:"limit" doc:"Entries per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor int64 `query:"cursor" doc:"next_cursor of the page before" minimum:"0"`
}

type auditPage struct {
	Items      []cairn.AuditEntry `json:"items"`
	NextCursor string             `json:"next_cursor,omitempty"`
}

type backupInput struct {
	Body struct {
		Path string `json:"path" doc:"Name of a file below the folder that the server's setting --backup-dir names; it must not exist" minLength:"1" maxLength:"4096"`
	}
}

type backupResult struct {
	Path string `json:"path"`
}

func (s *server) registerAdmin(api huma.API) {
	handle(s, api, operation{id: "audit", method: http.MethodGet, path: "/admin/audit", need: cairn.AccessAdmin,
		summary: "What was done, oldest first; each entry holds the hash of the one before"}, s.audit)
	handle(s, api, operation{id: "doctor", method: http.MethodGet, path: "/admin/doctor", need: cairn.AccessAdmin,
		operator: true,
		summary:  "How the memory is"}, func(ctx context.Context, _ cairn.Identity, _ *struct{}) (
		cairn.DoctorReport, error) {
		r, err := s.Engine.Doctor(ctx)
		r.Checks = list(r.Checks)
		return r, err
	})
	handle(s, api, operation{id: "repair", method: http.MethodPost, path: "/admin/repair", need: cairn.AccessAdmin,
		operator: true, long: true,
		summary: "Mend what the doctor finds where that loses nothing"},
		func(ctx context.Context, _ cairn.Identity, _ *struct{}) (cairn.DoctorReport, error) {
			r, err := s.Engine.Repair(ctx)
			r.Checks = list(r.Checks)
			return r, err
		})
	handle(s, api, operation{id: "reindex", method: http.MethodPost, path: "/admin/reindex", need: cairn.AccessAdmin,
		operator: true, long: true,
		summary: "Rebuild the indexes from the truth; or change the embedder in the background"}, s.reindex)
	handle(s, api, operation{id: "generations", method: http.MethodGet, path: "/admin/reindex", need: cairn.AccessAdmin,
		operator: true,
		summary:  "Which generations of vectors there are, and how far the one is that is being built"},
		func(ctx context.Context, _ cairn.Identity, _ *struct{}) (generationList, error) {
			gs, err := s.Engine.Generations(ctx)
			return generationList{list(gs)}, err
		})
	handle(s, api, operation{id: "reextract", method: http.MethodPost, path: "/admin/reextract",
		need:    cairn.AccessAdmin,
		summary: "Derive facts in the background: again from all sources that facts were derived from, or from those that none were"},
		func(ctx context.Context, who cairn.Identity, in *reextractInput) (cairn.Reextraction, error) {
			return s.Engine.Reextract(ctx, in.within(who), in.Missing)
		})
	handle(s, api, operation{id: "backup", method: http.MethodPost, path: "/admin/backup", need: cairn.AccessAdmin,
		operator: true, long: true,
		summary: "Write a copy of the whole store to a file below the server's folder for backups"},
		func(ctx context.Context, _ cairn.Identity, in *backupInput) (backupResult, error) {
			if strings.IndexByte(in.Body.Path, 0) >= 0 {
				return backupResult{}, cairn.Errorf(cairn.Invalid, "path: holds a NUL, which no name of a file does")
			}
			if s.Backup == nil {
				return backupResult{}, cairn.Errorf(
					cairn.Unsupported, "this store has no backup of its own; use its product's tools or an export")
			}
			return backupResult{in.Body.Path}, s.Backup(ctx, in.Body.Path)
		})
}

type reindexInput struct {
	Body *struct {
		To        string `json:"to,omitempty" doc:"Make the vectors of this embedder, and switch to it when they are all there: the name of one that the server's settings name, which are builtin:, --embedder and those of --embedders" maxLength:"1024" example:"builtin:"`
		Rollback  bool   `json:"rollback,omitempty" doc:"Go back to the generation before the last switch"`
		ForgetOld bool   `json:"forget_old,omitempty" doc:"Remove the vectors of the generation before the last switch"`
	} `required:"false"`
}

type generationList struct {
	Items []cairn.GenerationStatus `json:"items"`
}

// reindex rebuilds the indexes while the request lasts, or begins what is done in the background and says how it
// stands.
func (s *server) reindex(ctx context.Context, _ cairn.Identity, in *reindexInput) (out cairn.ReindexResult, err error) {
	wishes := 0
	if b := in.Body; b != nil {
		for _, wish := range []bool{b.To != "", b.Rollback, b.ForgetOld} {
			if wish {
				wishes++
			}
		}
	}
	switch {
	case wishes > 1:
		return out, cairn.Errorf(cairn.Invalid, "body: give only one of to, rollback and forget_old")
	case wishes == 0:
		return s.Engine.Reindex(ctx, func(int, int) {})
	case in.Body.To != "":
		out.Generations, err = s.Engine.SwitchTo(ctx, in.Body.To)
	case in.Body.Rollback:
		out.Generations, err = s.Engine.Rollback(ctx)
	default:
		out.Generations, err = s.Engine.ForgetPrevious(ctx)
	}
	return out, err
}

func (s *server) audit(ctx context.Context, who cairn.Identity, in *auditInput) (auditPage, error) {
	limit := in.Limit
	if limit == 0 {
		limit = cairn.DefaultPageSize
	}
	entries, err := s.Engine.Audit(ctx, within(who, cairn.Scope{}), in.Cursor, limit+1)
	some, more := cut(entries, limit)
	page := auditPage{Items: some}
	if more {
		page.NextCursor = strconv.FormatInt(some[len(some)-1].Seq, 10)
	}
	return page, err
}

type createKeyInput struct {
	Body struct {
		Name   string       `json:"name" doc:"Who will use it; the audit names it" minLength:"1" maxLength:"255"`
		Access cairn.Access `json:"access" doc:"What it may do" enum:"reader,writer,admin"`
	}
}

type newKey struct {
	Key    cairn.APIKey `json:"key"`
	Secret string       `json:"secret" doc:"Shown once; only its hash is stored"`
}

type keyPage struct {
	Items      []cairn.APIKey `json:"items"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

type oneKey struct {
	ID cairn.ID `path:"id" doc:"Id of the key"`
}

func (s *server) registerKeys(api huma.API) {
	handle(s, api, operation{id: "create-key", method: http.MethodPost, path: "/admin/keys", need: cairn.AccessAdmin,
		summary: "Make an API key for your tenant"}, s.createKey)
	handle(s, api, operation{id: "list-keys", method: http.MethodGet, path: "/admin/keys", need: cairn.AccessAdmin,
		summary: "The API keys of your tenant"}, func(ctx context.Context, who cairn.Identity, _ *struct{}) (
		keyPage, error) {
		keys, err := s.keysOf(ctx, who.Tenant)
		return keyPage{Items: list(keys)}, err
	})
	handle(s, api, operation{id: "revoke-key", method: http.MethodDelete, path: "/admin/keys/{id}",
		need:    cairn.AccessAdmin,
		summary: "Take back an API key of your tenant"}, s.revokeKey)
}

func (s *server) createKey(ctx context.Context, who cairn.Identity, in *createKeyInput) (newKey, error) {
	secret, key, err := s.Engine.CreateKey(ctx, in.Body.Name, who.Tenant, in.Body.Access)
	if err != nil {
		return newKey{}, err
	}
	s.keyed.Store(true)
	return newKey{Key: key, Secret: secret}, nil
}

// keysOf returns the keys of one tenant: an admin neither sees nor touches those of another.
func (s *server) keysOf(ctx context.Context, tenant string) ([]cairn.APIKey, error) {
	keys, err := s.Engine.Keys(ctx)
	return slices.DeleteFunc(keys, func(k cairn.APIKey) bool { return k.Tenant != tenant }), err
}

func (s *server) key(ctx context.Context, tenant string, id cairn.ID) (cairn.APIKey, error) {
	keys, err := s.keysOf(ctx, tenant)
	if err != nil {
		return cairn.APIKey{}, err
	}
	i := slices.IndexFunc(keys, func(k cairn.APIKey) bool { return k.ID == id })
	if i < 0 {
		return cairn.APIKey{}, cairn.Errorf(cairn.NotFound, "key %.64q does not exist", string(id))
	}
	return keys[i], nil
}

func (s *server) revokeKey(ctx context.Context, who cairn.Identity, in *oneKey) (cairn.APIKey, error) {
	if _, err := s.key(ctx, who.Tenant, in.ID); err != nil {
		return cairn.APIKey{}, err
	}
	if err := s.Engine.RevokeKey(ctx, in.ID); err != nil {
		return cairn.APIKey{}, err
	}
	return s.key(ctx, who.Tenant, in.ID)
}

type usageInput struct {
	Days int `query:"days" doc:"How many days, today included; 30 if left out" minimum:"1" maximum:"366"`
}
