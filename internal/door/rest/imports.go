package rest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/trilith-memory/trilith"
)

// Importer takes files of other programs. Its methods are safe for concurrent use.
type Importer interface {
	Run(ctx context.Context, s trilith.Scope, r trilith.FilesImport) (trilith.ImportRun, error)
	Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ImportRun, error)
	List(ctx context.Context, s trilith.Scope) (trilith.ImportRuns, error)
	Undo(ctx context.Context, s trilith.Scope, id trilith.ID, dry bool) (trilith.ImportRun, error)
}

const (
	importsUnderWay = 2        // each holds its files on disk
	formBytes       = 64 << 10 // of a field that is not a file, and of the text around the files
	formKind        = "multipart/form-data"
	importsPath     = "/imports"
)

type importRunInput struct {
	ScopeQuery
	ID trilith.ID `path:"id" doc:"Id of the import"`
}

type undoImportInput struct {
	ScopeQuery
	ID     trilith.ID `path:"id" doc:"Id of the import"`
	DryRun bool       `query:"dry_run" doc:"Only count what would be forgotten"`
}

var errNoImports = trilith.Errorf(trilith.Unsupported, "imports: this server does not accept files; use the command trilith import")

func (s *fileRoutes) register(api huma.API) {
	s.registerMedia(api)
	registry := api.OpenAPI().Components.Schemas
	op := s.describe(operation{id: "import-files", method: http.MethodPost, path: importsPath, need: trilith.AccessWriter,
		summary: "Import files of other programs: conversations of ChatGPT and Claude, documents, …"})
	op.Description += ` A multipart form: first the fields, dry_run, format, extract, those of the scope, and modified ` +
		`(RFC 3339, when the next file was changed last); then the files, each in a part with a file name. ` +
		`It is answered when all is stored, and ends when the caller goes away; the same files, sent again, go on from there. ` +
		`A dry run says the id under which the import can be watched.`
	op.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
		"application/json": {Schema: registry.Schema(reflect.TypeFor[trilith.ImportRun](), true, "")}}}}
	huma.Register(api, op, func(context.Context, *struct{}) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: s.importFiles}, nil
	})
	// Described only now: the framework would read a body that it knows of into memory.
	fields := map[string]*huma.Schema{"dry_run": {Type: huma.TypeBoolean}, "files": {Type: huma.TypeArray,
		Items: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	for _, name := range append([]string{"format", "extract", "modified"}, trilith.ScopeMembers...) {
		fields[name] = &huma.Schema{Type: huma.TypeString}
	}
	api.OpenAPI().Paths[op.Path].Post.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{
		formKind: {Schema: &huma.Schema{Type: huma.TypeObject, Properties: fields}}}}

	handle(s.edge, api, operation{id: "imports", method: http.MethodGet, path: importsPath, need: trilith.AccessReader,
		summary: "The last hundred imports of files, the latest first"},
		func(ctx context.Context, who trilith.Identity, in *struct{ ScopeQuery }) (trilith.ImportRuns, error) {
			if s.importer == nil {
				return trilith.ImportRuns{}, errNoImports
			}
			return s.importer.List(ctx, in.within(who))
		})
	handle(s.edge, api, operation{id: "get-import", method: http.MethodGet, path: importsPath + "/{id}",
		need: trilith.AccessReader, summary: "How an import of files stands"},
		func(ctx context.Context, who trilith.Identity, in *importRunInput) (trilith.ImportRun, error) {
			if s.importer == nil {
				return trilith.ImportRun{}, errNoImports
			}
			return s.importer.Get(ctx, in.within(who), in.ID)
		})
	handle(s.edge, api, operation{id: "undo-import", method: http.MethodDelete, path: importsPath + "/{id}",
		need: trilith.AccessWriter, long: true,
		summary: "Take what an import has stored out of search, however long ago it was"},
		func(ctx context.Context, who trilith.Identity, in *undoImportInput) (trilith.ImportRun, error) {
			if s.importer == nil {
				return trilith.ImportRun{}, errNoImports
			}
			return s.importer.Undo(ctx, in.within(who), in.ID, in.DryRun)
		})
}

func (s *fileRoutes) importFiles(hctx huma.Context) {
	r, w := humago.Unwrap(hctx)
	ctx := r.Context()
	out, err := s.runImport(w, r)
	if err != nil {
		fail(w, ctx, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // a caller that is gone finds it under its id
}

// importForm is the body of an import: fields, followed by files, which are read one after the other.
type importForm struct {
	parts    *multipart.Reader
	first    *multipart.Part // the first file
	scope    trilith.Scope
	format   string
	extract  trilith.Extraction
	dry      bool
	modified time.Time // of the next file
}

func (s *fileRoutes) runImport(w http.ResponseWriter, r *http.Request) (out trilith.ImportRun, err error) {
	if s.importer == nil {
		return out, errNoImports
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != formKind || params["boundary"] == "" {
		return out, trilith.Errorf(trilith.Invalid, "content-type: files are sent as %s", formKind)
	}
	done, err := s.turns.take(r.Context(), min(makerWait, s.timeout))
	if err != nil {
		return out, trilith.Errorf(trilith.Unavailable, "imports: %d are running; try again when one has ended",
			importsUnderWay)
	}
	defer done()
	body := http.MaxBytesReader(w, io.NopCloser(&patientReader{r.Body, http.NewResponseController(w), s.edge}),
		trilith.MaxImportBytes+trilith.MaxImportFiles*formBytes)
	form := &importForm{parts: multipart.NewReader(body, params["boundary"])}
	if err := form.fields(); err != nil {
		return out, err
	}
	return s.importer.Run(r.Context(), within(callOf(r.Context()).who, form.scope), trilith.FilesImport{Files: form.files,
		Format: form.format, Extract: form.extract, DryRun: form.dry})
}

// fields reads up to the first file.
func (f *importForm) fields() error {
	for {
		p, err := f.next()
		if err != nil || p == nil {
			return err
		}
		if p.FileName() != "" {
			f.first = p
			return nil
		}
		if err := f.field(p); err != nil {
			return err
		}
	}
}

// formPart is a file whose errors describe the mistake in the form.
type formPart struct{ p *multipart.Part }

// files yields the files, and between them takes when the next one was changed.
func (f *importForm) files(yield func(trilith.ImportFile, error) bool) {
	for p := f.first; p != nil; {
		file := trilith.ImportFile{Name: p.FileName(), Modified: f.modified, Content: formPart{p}}
		f.modified = time.Time{}
		if !yield(file, nil) {
			return
		}
		var err error
		for p, err = f.next(); err == nil && p != nil && p.FileName() == ""; p, err = f.next() {
			if p.FormName() != "modified" {
				err = trilith.Errorf(trilith.Invalid, "%.64q: fields must come before the files", p.FormName())
			} else {
				err = f.field(p)
			}
			if err != nil {
				break
			}
		}
		if err != nil {
			yield(trilith.ImportFile{}, err)
			return
		}
	}
}

func (f *importForm) field(p *multipart.Part) (err error) {
	body, err := io.ReadAll(io.LimitReader(p, formBytes+1))
	name, value := p.FormName(), strings.TrimSpace(string(body))
	switch {
	case err != nil:
		return formError(err)
	case len(body) > formBytes:
		return trilith.Errorf(trilith.Invalid, "%.64s: is longer than %d bytes", name, formBytes)
	case name == "dry_run":
		if f.dry, err = strconv.ParseBool(value); err != nil {
			return trilith.Errorf(trilith.Invalid, "dry_run: must be true or false")
		}
	case name == "format":
		f.format = value
	case name == "extract":
		f.extract = trilith.Extraction(value)
		if !slices.Contains([]trilith.Extraction{"", trilith.ExtractNone, trilith.ExtractRules, trilith.ExtractLLM,
			trilith.ExtractAuto}, f.extract) {
			return trilith.Errorf(trilith.Invalid, "extract: must be none, rules, llm or auto")
		}
	case name == "modified":
		if f.modified, err = trilith.ParseTime(value); err != nil {
			return trilith.Errorf(trilith.Invalid, "modified: %s", trilith.MessageOf(err))
		}
	case slices.Contains(trilith.ScopeMembers, name):
		*f.scope.Part(name) = value
		return trilith.CheckScopeValue(name, value)
	default:
		return trilith.Errorf(trilith.Invalid, "%.64q: is not a field of an import; files need a file name", name)
	}
	return nil
}

// next returns the next part; nil at the end.
func (f *importForm) next() (*multipart.Part, error) {
	p, err := f.parts.NextPart()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	return p, formError(err)
}

func (p formPart) Read(b []byte) (int, error) {
	n, err := p.p.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = formError(err)
	}
	return n, err
}

func formError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge("files: are larger than a server takes; use the command trilith import")
	}
	return trilith.Errorf(trilith.Invalid, "body: is not a multipart form, or ended early: %w", err)
}
