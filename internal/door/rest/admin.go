package rest

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
)

type backupInput struct {
	Body struct {
		Path string `json:"path" doc:"Name of a file below the folder that the server's setting --backup-dir names; it must not exist" minLength:"1" maxLength:"4096"`
	}
}

type backupResult struct {
	Path string `json:"path"`
}

func (s *adminRoutes) register(api huma.API) {
	handle(s.edge, api, operation{id: "doctor", method: http.MethodGet, path: "/admin/doctor", need: trilith.AccessAdmin,
		operator: true,
		summary:  "Examine the store"}, func(ctx context.Context, _ trilith.Identity, _ *struct{}) (
		trilith.DoctorReport, error) {
		return s.engine.Doctor(ctx)
	})
	handle(s.edge, api, operation{id: "repair", method: http.MethodPost, path: "/admin/repair", need: trilith.AccessAdmin,
		operator: true, long: true,
		summary: "Repair what the doctor finds, without losing data"},
		func(ctx context.Context, _ trilith.Identity, _ *struct{}) (trilith.DoctorReport, error) {
			return s.engine.Repair(ctx)
		})
	handle(s.edge, api, operation{id: "reindex", method: http.MethodPost, path: "/admin/reindex", need: trilith.AccessAdmin,
		operator: true, long: true,
		summary: "Rebuild the indexes from the truth; or change the embedder in the background"}, s.reindex)
	handle(s.edge, api, operation{id: "generations", method: http.MethodGet, path: "/admin/reindex", need: trilith.AccessAdmin,
		operator: true,
		summary:  "Which generations of vectors there are, and how far the one is that is being built"},
		func(ctx context.Context, _ trilith.Identity, _ *struct{}) (generationList, error) {
			gs, err := s.engine.Generations(ctx)
			return generationList{gs}, err
		})
	handle(s.edge, api, operation{id: "backup", method: http.MethodPost, path: "/admin/backup", need: trilith.AccessAdmin,
		operator: true, long: true,
		summary: "Write a copy of the whole store to a file below the server's folder for backups"},
		func(ctx context.Context, _ trilith.Identity, in *backupInput) (backupResult, error) {
			if strings.IndexByte(in.Body.Path, 0) >= 0 {
				return backupResult{}, trilith.Errorf(trilith.Invalid, "path: holds a NUL character")
			}
			if s.backup == nil {
				return backupResult{}, trilith.Errorf(
					trilith.Unsupported, "backup: this store has no backup of its own; use the tools of the database, or an export")
			}
			return backupResult{in.Body.Path}, s.backup(ctx, in.Body.Path)
		})
}

type reindexInput struct {
	Body *struct {
		To        string `json:"to,omitempty" doc:"Make the vectors of this embedder, and switch to it when they are all there: the name of one that the server's settings name, which are builtin:, and those of TRILITH_EMBEDDER and TRILITH_EMBEDDERS" maxLength:"1024" example:"builtin:"`
		Rollback  bool   `json:"rollback,omitempty" doc:"Go back to the generation before the last switch"`
		ForgetOld bool   `json:"forget_old,omitempty" doc:"Remove the vectors of the generation before the last switch"`
	} `required:"false"`
}

type generationList struct {
	Items []trilith.GenerationStatus `json:"items"`
}

// reindex rebuilds the indexes during the request, or starts background work and reports its state.
func (s *adminRoutes) reindex(ctx context.Context, _ trilith.Identity, in *reindexInput) (
	out trilith.ReindexResult, err error) {
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
		return out, trilith.Errorf(trilith.Invalid, "body: give only one of to, rollback and forget_old")
	case wishes == 0:
		return s.engine.Reindex(ctx, func(int, int) {})
	case in.Body.To != "":
		out.Generations, err = s.engine.SwitchTo(ctx, in.Body.To)
	case in.Body.Rollback:
		out.Generations, err = s.engine.Rollback(ctx)
	default:
		out.Generations, err = s.engine.ForgetPrevious(ctx)
	}
	return out, err
}
