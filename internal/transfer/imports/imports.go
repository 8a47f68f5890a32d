// Package imports takes files of other programs from callers who cannot name a path on this machine, reports the
// progress, and undoes an import of any age.
//
// An import has an id that is made of its scope and of its files' content, and everything that it stores bears that
// id in its metadata. So the same files sent again go on where a broken import ended, and undoing needs no list of
// the stored memories.
package imports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/transfer"
)

const (
	objectType = "import"
	// Mark is the member of a memory's metadata that names the import that brought it.
	Mark = "import"

	saveEvery   = 30 * time.Second // how often a running import stores its progress
	lostAfter   = 2 * time.Minute  // without that its process is taken for dead
	saveTimeout = 10 * time.Second // of the last word of an import whose caller is gone
	listed      = 100
)

// Memory is the part of an engine that imports need. Its methods are safe for concurrent use.
type Memory interface {
	transfer.Target
	Forget(ctx context.Context, s trilith.Scope, r trilith.ForgetRequest) (trilith.ForgetResult, error)
	// UndoMedia removes the files of an import and their readings, and returns the numbers of files and memories.
	UndoMedia(ctx context.Context, s trilith.Scope, id trilith.ID, dry bool) (files, memories int, err error)
	PutObject(ctx context.Context, s trilith.Scope, o trilith.Object, fresh bool) (trilith.Object, error)
	Object(ctx context.Context, s trilith.Scope, kind, name string) (trilith.Object, error)
	Objects(ctx context.Context, s trilith.Scope, kind string) ([]trilith.Object, error)
}

// Imports runs imports. Its methods are safe for concurrent use.
type Imports struct {
	memory Memory
	now    func() time.Time

	mu      sync.Mutex
	running map[key]*run
}

// key is an import of a tenant.
type key struct {
	tenant string
	id     trilith.ID
}

// New returns the imports of a memory.
func New(m Memory, now func() time.Time) *Imports {
	return &Imports{memory: m, now: now, running: map[key]*run{}}
}

// Run imports files, or reports their fate if they were imported. It returns when all of them are stored. If it
// fails, stored memories stay, and importing the same files again continues. It refuses our own exports and
// databases: Restore imports the former, and the command line the latter.
func (im *Imports) Run(ctx context.Context, s trilith.Scope, r trilith.FilesImport) (trilith.ImportRun, error) {
	dir, err := os.MkdirTemp("", "trilith-import-")
	if err != nil {
		return trilith.ImportRun{}, trilith.Errorf(trilith.Unavailable, "files: no space is left for them: %w",
			withoutPath(err))
	}
	defer os.RemoveAll(dir)
	one := &run{Imports: im, scope: s, request: r}
	if err := one.receive(dir); err != nil {
		return trilith.ImportRun{}, err
	}
	if r.DryRun {
		one.result.State = trilith.ImportDry
		err := one.transfer(ctx)
		return one.snapshot(), err
	}
	at := key{s.Tenant, one.result.ID}
	if !im.enter(at, one) {
		return one.snapshot(), trilith.Errorf(trilith.Conflict, "import %s is running already; wait until it has ended", at.id)
	}
	defer im.leave(at)
	if err := one.save(ctx, trilith.ImportRunning); err != nil {
		return one.snapshot(), err
	}
	state, err := trilith.ImportDone, one.transfer(ctx)
	if err != nil {
		state = trilith.ImportInterrupted
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if failed := one.save(last, state); err == nil {
		err = failed
	}
	return one.snapshot(), err
}

func (im *Imports) enter(at key, r *run) bool {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.running[at] != nil {
		return false
	}
	im.running[at] = r
	return true
}

func (im *Imports) leave(at key) {
	im.mu.Lock()
	defer im.mu.Unlock()
	delete(im.running, at)
}

// Get returns the state of an import of the scope.
func (im *Imports) Get(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ImportRun, error) {
	if err := id.Validate(); err != nil {
		return trilith.ImportRun{}, err
	}
	o, err := im.memory.Object(ctx, s, objectType, string(id))
	if err != nil {
		return trilith.ImportRun{}, err
	}
	return im.stands(s, &o)
}

// List lists the imports of the scope, the latest first.
func (im *Imports) List(ctx context.Context, s trilith.Scope) (trilith.ImportRuns, error) {
	out := trilith.ImportRuns{Items: []trilith.ImportRun{}}
	all, err := im.memory.Objects(ctx, s, objectType)
	if err != nil {
		return out, err
	}
	slices.Reverse(all)
	out.More = len(all) > listed
	for i := range all[:min(len(all), listed)] {
		r, err := im.stands(s, &all[i])
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, r)
	}
	return out, nil
}

// stands returns the state of a stored import; if this process runs it, the present state.
func (im *Imports) stands(s trilith.Scope, o *trilith.Object) (r trilith.ImportRun, err error) {
	im.mu.Lock()
	live := im.running[key{s.Tenant, trilith.ID(o.Name)}]
	im.mu.Unlock()
	if live != nil {
		return live.snapshot(), nil
	}
	body, err := json.Marshal(o.Data)
	if err == nil {
		err = json.Unmarshal(body, &r)
	}
	if err != nil {
		return r, trilith.WrapError(trilith.Internal, "imports.Get", err)
	}
	r.UpdatedAt = o.UpdatedAt
	if r.State == trilith.ImportRunning && trilith.Over(o.UpdatedAt.Add(lostAfter), im.now(), lostAfter) {
		r.State = trilith.ImportInterrupted
	}
	return r, nil
}

// Undo takes the memories of an import out of search, and removes its pictures, recordings and scans; with dry it
// only counts them. Undoing again also takes memories that were brought back since.
func (im *Imports) Undo(ctx context.Context, s trilith.Scope, id trilith.ID, dry bool) (trilith.ImportRun, error) {
	r, err := im.Get(ctx, s, id)
	if err != nil {
		return r, err
	}
	if r.State == trilith.ImportRunning {
		return r, trilith.Errorf(trilith.Conflict, "import %s is running; wait until it has ended", id)
	}
	gone, err := im.memory.Forget(ctx, s, trilith.ForgetRequest{DryRun: dry,
		Filter: trilith.Where("metadata."+Mark, trilith.OpEq, string(id))})
	if err != nil {
		return r, err
	}
	files, read, err := im.memory.UndoMedia(ctx, s, id, dry)
	if err != nil {
		return r, err
	}
	r.Forgotten, r.MediaTaken = len(gone.IDs)+read, files
	if dry {
		return r, nil
	}
	r.State = trilith.ImportUndone
	return r, im.put(ctx, s, &r)
}

func (im *Imports) put(ctx context.Context, s trilith.Scope, r *trilith.ImportRun) error {
	body, err := json.Marshal(r)
	data := map[string]any{}
	if err == nil {
		err = json.Unmarshal(body, &data)
	}
	if err != nil {
		return trilith.WrapError(trilith.Internal, "imports.put", err)
	}
	_, err = im.memory.PutObject(ctx, s,
		trilith.Object{Type: objectType, Name: string(r.ID), Scope: r.Scope, Data: data}, false)
	return err
}

// upload is a file that was received.
type upload struct {
	name, path string
	bytes      int64
}

// receive writes each file into a separate folder, so that equal names do not collide, and names the import.
func (r *run) receive(dir string) error {
	sum := sha256.New()
	var total int64
	for f, err := range r.request.Files {
		if err != nil {
			return err
		}
		if len(r.uploads) == trilith.MaxImportFiles {
			return trilith.Errorf(trilith.Exhausted, "files: are more than %d; send the others in another request",
				trilith.MaxImportFiles)
		}
		u := upload{name: baseName(f.Name)}
		folder := filepath.Join(dir, strconv.Itoa(len(r.uploads)))
		u.path = filepath.Join(folder, u.name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			return trilith.Errorf(trilith.Unavailable, "files: no space is left for them: %w", withoutPath(err))
		}
		if u.bytes, err = keep(u.path, f.Content, trilith.MaxImportBytes-total, sum); err != nil {
			return err
		}
		total += u.bytes
		if !f.Modified.IsZero() {
			if err := os.Chtimes(u.path, f.Modified, f.Modified); err != nil {
				return trilith.Errorf(trilith.Internal, "files: %w", withoutPath(err))
			}
		}
		sum.Write([]byte("\n" + u.name + "\n" + strconv.FormatInt(u.bytes, 10) + "\n"))
		r.uploads = append(r.uploads, u)
	}
	if len(r.uploads) == 0 {
		return trilith.Errorf(trilith.Invalid, "files: send one at least")
	}
	own := r.scope
	own.Tenant, own.Bound = "", trilith.Bound{}
	scope, err := json.Marshal(own)
	if err != nil {
		return trilith.WrapError(trilith.Internal, "imports.receive", err)
	}
	now := r.now()
	r.result = trilith.ImportRun{Scope: own, Files: []trilith.ImportedFile{}, Rejected: []trilith.ImportFault{}, Bytes: total,
		State: trilith.ImportRunning, StartedAt: now, UpdatedAt: now,
		ID: trilith.DeriveID("import", r.scope.Tenant, string(scope), hex.EncodeToString(sum.Sum(nil)))}
	return nil
}

// keep writes the input to a file, at most that many bytes.
func keep(path string, from io.Reader, most int64, sum hash.Hash) (int64, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, trilith.Errorf(trilith.Unavailable, "files: no space is left for them: %w", withoutPath(err))
	}
	to := &failing{w: f}
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, most+1))
	if closed := f.Close(); to.err == nil {
		to.err = closed
	}
	switch {
	case to.err != nil:
		return n, trilith.Errorf(trilith.Unavailable, "files: no space is left for them: %w", withoutPath(to.err))
	case err != nil:
		return n, err
	case n > most:
		return n, trilith.Errorf(trilith.Exhausted, "files: are more than %d bytes together; use the command trilith import",
			int64(trilith.MaxImportBytes))
	}
	return n, nil
}

// failing remembers that writing failed, to tell it from reading.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	f.err = cmp.Or(f.err, err)
	return n, err
}

// withoutPath is an error of the system without the name of a file of ours.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// baseName is a name without folders that a file can have here. Its ending stays.
func baseName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == ':' {
			return '_'
		}
		return r
	}, name)
	const most = 200 // bytes; systems allow some more
	if len(name) > most {
		name = strings.ToValidUTF8(name[len(name)-most:], "")
	}
	if name = strings.TrimLeft(name, "."); name == "" {
		return "file"
	}
	return name
}
