package rest

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
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
)

type undoRequest struct {
	ID     trilith.ID `json:"-" path:"id" doc:"Id of the import"`
	DryRun bool       `json:"dry_run,omitempty" doc:"Only count what would be forgotten"`
}

// importer returns who takes files.
func (s *ownRoutes) importer() (Importer, error) {
	if s.config.Imports == nil {
		return nil, trilith.Errorf(trilith.Unsupported,
			"imports: this server does not accept files; use the command trilith import")
	}
	return s.config.Imports, nil
}

var describedFiles = op.Described(func(_ *op.Describer, n op.Node) {
	op.More(n, `A multipart form: first the fields, dry_run, format, extract, those of the scope, and modified `+
		`(RFC 3339, when the next file was changed last); then the files, each in a part with a file name. `+
		`It is answered when all is stored, and ends when the caller goes away; the same files, sent again, go on from there. `+
		`A dry run says the id under which the import can be watched.`)
	fields := op.Node{"dry_run": op.Node{"type": "boolean"},
		"files": op.Node{"type": "array", "items": file}}
	for _, name := range append([]string{"format", "extract", "modified"}, trilith.ScopeMembers...) {
		fields[name] = op.Node{"type": "string"}
	}
	op.Takes(n, formKind, op.Node{"type": "object", "properties": fields}, false)
})

func (s *ownRoutes) importRuns(x *exchange, _ op.None) (out trilith.ImportRuns, err error) {
	importer, err := s.importer()
	if err != nil {
		return out, err
	}
	return importer.List(x.ctx, x.scope)
}

func (s *ownRoutes) importRun(x *exchange, id trilith.ID) (out trilith.ImportRun, err error) {
	importer, err := s.importer()
	if err != nil {
		return out, err
	}
	return importer.Get(x.ctx, x.scope, id)
}

func (s *ownRoutes) undoImport(x *exchange, in undoRequest) (out trilith.ImportRun, err error) {
	importer, err := s.importer()
	if err != nil {
		return out, err
	}
	return importer.Undo(x.ctx, x.scope, in.ID, in.DryRun)
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

func (s *ownRoutes) importFiles(x *exchange, _ op.None) (out trilith.ImportRun, err error) {
	importer, err := s.importer()
	if err != nil {
		return out, err
	}
	kind, params, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || kind != formKind || params["boundary"] == "" {
		return out, trilith.Errorf(trilith.Invalid, "content-type: files are sent as %s", formKind)
	}
	done, err := s.imports.take(x.ctx, min(makerWait, s.timeout))
	if err != nil {
		return out, trilith.Errorf(trilith.Unavailable, "imports: %d are running; try again when one has ended",
			importsUnderWay)
	}
	defer done()
	body := http.MaxBytesReader(x.w, io.NopCloser(s.patiently(x)), trilith.MaxImportBytes+trilith.MaxImportFiles*formBytes)
	form := &importForm{parts: multipart.NewReader(body, params["boundary"])}
	if err := form.fields(); err != nil {
		return out, err
	}
	return importer.Run(x.ctx, within(x.who, form.scope), trilith.FilesImport{Files: form.files,
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
