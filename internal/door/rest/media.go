package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/trilith-memory/trilith"
)

const (
	mediaPath     = "/media"
	mediaUnderWay = 4 // files that are being received or given; each is held in memory
)

type mediaInput struct {
	ScopeQuery
	Unread bool   `query:"unread" doc:"Only files that no model has read"`
	Limit  int    `query:"limit" doc:"Files per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before"`
}

type putMediaInput struct {
	ScopeQuery
	Name      string             `query:"name" doc:"Name of the file; file if absent" maxLength:"255"`
	Timestamp string             `query:"timestamp" doc:"When it was taken or said; when it is stored if absent"`
	Extract   trilith.Extraction `query:"extract" doc:"How facts are derived from what a model reads in it; none if absent" enum:"none,rules,llm,auto"`
	DryRun    bool               `query:"dry_run" doc:"Check the file and store nothing"`
}

type mediaFileInput struct {
	ScopeQuery
	ID trilith.ID `path:"id" doc:"Id of the file"`
}

func (s *fileRoutes) registerMedia(api huma.API) {
	registry := api.OpenAPI().Components.Schemas
	jsonOf := func(t reflect.Type) *huma.MediaType { return &huma.MediaType{Schema: registry.Schema(t, true, "")} }
	binary := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}

	put := s.describe(operation{id: "put-media", method: http.MethodPost, path: mediaPath, need: trilith.AccessWriter,
		summary: "Keep a picture, a recording or scanned pages, and have a model read it"})
	put.Description += ` The body is the file: png, jpeg, webp, mp3, wav, m4a, or a pdf with pages that have no text layer. ` +
		`What it is, its bytes say. The same file in the same scope is stored once. ` +
		`Without a model that reads it, it is kept and listed as unread.`
	put.Responses = map[string]*huma.Response{"200": {Description: "OK",
		Content: map[string]*huma.MediaType{"application/json": jsonOf(reflect.TypeFor[trilith.StoredMedia]())}}}
	huma.Register(api, put, func(_ context.Context, in *putMediaInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) { s.putMedia(ctx, in) }}, nil
	})
	// Described only now: the framework would take it for JSON.
	api.OpenAPI().Paths[put.Path].Post.RequestBody = &huma.RequestBody{Required: true,
		Content: map[string]*huma.MediaType{"application/octet-stream": binary}}

	handle(s.edge, api, operation{id: "media", method: http.MethodGet, path: mediaPath, need: trilith.AccessReader,
		summary: "Pictures, recordings and scanned pages, by id"},
		func(ctx context.Context, who trilith.Identity, in *mediaInput) (trilith.MediaPage, error) {
			return s.engine.Media(ctx, in.within(who), trilith.MediaQuery{Unread: in.Unread, Limit: in.Limit,
				Cursor: in.Cursor})
		})

	file := s.describe(operation{id: "media-file", method: http.MethodGet, path: mediaPath + "/{id}",
		need: trilith.AccessReader, summary: "A file as it came; with Accept: application/json what is known of it too"})
	content := map[string]*huma.MediaType{"application/json": jsonOf(reflect.TypeFor[trilith.MediaFile]())}
	for _, kept := range []string{"image/png", "image/jpeg", "image/webp", "application/pdf", "audio/mpeg", "audio/wav",
		"audio/mp4"} {
		content[kept] = binary
	}
	file.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: content}}
	huma.Register(api, file, func(_ context.Context, in *mediaFileInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) { s.mediaFile(ctx, withIDs(in)) }}, nil
	})
}

func (s *fileRoutes) putMedia(hctx huma.Context, in *putMediaInput) {
	r, w := humago.Unwrap(hctx)
	out, err := s.receive(w, r, in)
	if err != nil {
		fail(w, r.Context(), err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

func (s *fileRoutes) receive(w http.ResponseWriter, r *http.Request, in *putMediaInput) (
	out trilith.StoredMedia, err error) {
	done, err := s.media.take(r.Context(), min(makerWait, s.timeout))
	if err != nil {
		return out, err
	}
	defer done()
	body := http.MaxBytesReader(w, io.NopCloser(&patientReader{r.Body, http.NewResponseController(w), s.edge}),
		trilith.MaxMediaBytes)
	data, err := io.ReadAll(body)
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return out, tooLarge(fmt.Sprintf("file: is larger than the %d bytes that are taken; make it smaller", trilith.MaxMediaBytes))
	}
	if err != nil {
		return out, trilith.Errorf(trilith.Invalid, "body: ended early: %w", err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	name := in.Name
	if name == "" {
		name = "file"
	}
	return s.engine.PutMedia(ctx, in.within(callOf(ctx).who), trilith.NewMedia{Name: name,
		Type: r.Header.Get("Content-Type"), Data: data, Timestamp: in.Timestamp, Extract: in.Extract,
		DryRun: in.DryRun})
}

// mediaFile gives a file to be saved. A browser that opens its address shows and runs nothing of it.
func (s *fileRoutes) mediaFile(hctx huma.Context, in *mediaFileInput) {
	r, w := humago.Unwrap(hctx)
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	done, err := s.media.take(ctx, min(makerWait, s.timeout))
	if err != nil {
		fail(w, ctx, err)
		return
	}
	defer done()
	f, err := s.engine.MediaFile(ctx, in.within(callOf(ctx).who), in.ID)
	if err != nil {
		fail(w, ctx, err)
		return
	}
	if strings.HasPrefix(r.Header.Get("Accept"), "application/json") {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(f)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = w.Write(f.Data)
}
