package imports

import (
	"context"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// run is an import on its way.
type run struct {
	*Imports
	scope   trilith.Scope
	request trilith.FilesImport
	uploads []upload

	mu       sync.Mutex
	result   trilith.ImportRun
	saved    time.Time
	sessions map[string]bool
}

// transfer reads the files one after the other.
func (r *run) transfer(ctx context.Context) error {
	read := int64(0)
	for i := range r.uploads {
		u := &r.uploads[i]
		if err := r.file(ctx, u, read); err != nil {
			return err
		}
		read += u.bytes
		r.change(func(out *trilith.ImportRun) { out.BytesRead = read })
	}
	return nil
}

// file imports one file. Its faults are reported, and other files are still read.
func (r *run) file(ctx context.Context, u *upload, before int64) error {
	format, err := formatOf(u, r.request.Format)
	r.change(func(out *trilith.ImportRun) {
		out.Files = append(out.Files, trilith.ImportedFile{Name: u.name, Format: format, Bytes: u.bytes})
	})
	if err != nil {
		r.reject(u, 0, err)
		return nil
	}
	reader, err := transfer.Open(u.path, r.request.Format)
	if trilith.KindOf(err) == trilith.Invalid {
		r.reject(u, 0, err)
		return nil
	}
	if err != nil {
		return err
	}
	base := r.snapshot()
	report, err := transfer.Run(ctx, r.memory, r.marked(reader.Items()), transfer.Options{Scope: r.scope,
		Extract: r.request.Extract, DryRun: r.request.DryRun, Now: r.now, Progress: func(p transfer.Progress) {
			r.change(func(out *trilith.ImportRun) {
				out.Stored, out.Skipped = base.Stored+p.Stored, base.Skipped+p.Duplicates
				out.BytesRead = before + min(reader.Position(), u.bytes)
			})
			r.alive(ctx)
		}})
	r.change(func(out *trilith.ImportRun) {
		out.Stored, out.Skipped = base.Stored+report.Stored, base.Skipped+report.Duplicates
		out.Refused, out.LeftOut = sum(base.Refused, report.Rejected), sum(base.LeftOut, report.Omitted)
		out.RejectedCount += report.BadLineCount - len(report.BadLines)
	})
	for i := range report.BadLines {
		r.reject(u, report.BadLines[i].Line, report.BadLines[i].Err)
	}
	if trilith.Is(err, trilith.Invalid) && ctx.Err() == nil {
		r.reject(u, 0, err)
		return nil
	}
	return err
}

// zipped is the format of an archive, which is read as the folder that it holds.
const zipped = "zip"

var errOwn = trilith.Errorf(trilith.Invalid, "is an export of trilith; POST /import takes it back, or the command trilith import")

// formatOf tells the format of a file, as far as callers may send it.
func formatOf(u *upload, wanted string) (string, error) {
	f, err := os.Open(u.path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, transfer.HeadBytes))
	if err != nil {
		return "", err
	}
	format, known := transfer.Detect(u.name, head)
	switch {
	case strings.HasPrefix(string(head), "PK\x03\x04"):
		return zipped, nil
	case format == transfer.MemoryChunks || wanted == transfer.MemoryChunks:
		return transfer.MemoryChunks, trilith.Errorf(trilith.Invalid, "is a database; use the command trilith import")
	case format == transfer.Trilith || wanted == transfer.Trilith:
		return transfer.Trilith, errOwn
	case wanted != "":
		return wanted, nil
	case !known:
		taken := slices.DeleteFunc(transfer.Formats(), func(f string) bool {
			return f == transfer.Trilith || f == transfer.MemoryChunks
		})
		return "", trilith.Errorf(trilith.Invalid, "the format is not recognised; these are: %s", strings.Join(taken, ", "))
	}
	return format, nil
}

// reject records a refused part. It names the file as the caller does, not by its local path.
func (r *run) reject(u *upload, line int, err error) {
	reason := strings.ReplaceAll(trilith.MessageOf(err), u.path, u.name)
	r.change(func(out *trilith.ImportRun) {
		out.RejectedCount++
		if len(out.Rejected) < trilith.MaxImportFaults {
			out.Rejected = append(out.Rejected, trilith.ImportFault{File: u.name, Line: line,
				Reason: strings.TrimPrefix(reason, u.name+": ")})
		}
	})
}

// marked are the items of a file with the id of the import, and are counted on their way.
func (r *run) marked(items iter.Seq2[transfer.Item, error]) iter.Seq2[transfer.Item, error] {
	return func(yield func(transfer.Item, error) bool) {
		for item, err := range items {
			if item.Export != nil || item.Fact != nil {
				item, err = transfer.Item{}, errOwn
			}
			if item.Request != nil {
				request := *item.Request
				request.Metadata = maps.Clone(request.Metadata)
				if request.Metadata == nil {
					request.Metadata = map[string]any{}
				}
				request.Metadata[Mark] = string(r.result.ID)
				item.Request = &request
				r.count(&item)
			}
			if item.Media != nil {
				file := *item.Media
				file.Import, item.Media = r.result.ID, &file
				r.change(func(out *trilith.ImportRun) { out.Found.Documents++ })
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

func (r *run) count(item *transfer.Item) {
	r.change(func(out *trilith.ImportRun) {
		q := item.Request
		switch {
		case len(q.Messages) > 0:
			out.Found.Messages += len(q.Messages)
			if r.sessions == nil {
				r.sessions = map[string]bool{}
			}
			if session := item.Scope.Session; !r.sessions[session] {
				r.sessions[session] = true
				out.Found.Conversations++
			}
		case q.Document != nil:
			out.Found.Documents++
		default:
			out.Found.Notes++
		}
	})
}

func (r *run) change(f func(*trilith.ImportRun)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.result)
	r.result.UpdatedAt = r.now()
}

// alive says in the store now and then that it goes on. That it cannot be said is no reason to end.
func (r *run) alive(ctx context.Context) {
	r.mu.Lock()
	due := !r.request.DryRun && r.now().Sub(r.saved) >= saveEvery
	r.mu.Unlock()
	if due {
		_ = r.save(ctx, trilith.ImportRunning)
	}
}

// save stores the progress.
func (r *run) save(ctx context.Context, state trilith.ImportState) error {
	r.mu.Lock()
	r.result.State, r.result.UpdatedAt, r.saved = state, r.now(), r.now()
	r.mu.Unlock()
	now := r.snapshot()
	return r.put(ctx, r.scope, &now)
}

// snapshot returns the present state of the run.
func (r *run) snapshot() trilith.ImportRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.result
	out.Files, out.Rejected = slices.Clone(out.Files), slices.Clone(out.Rejected)
	out.Refused, out.LeftOut = maps.Clone(out.Refused), maps.Clone(out.LeftOut)
	return out
}

func sum(a, b map[string]int) map[string]int {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := maps.Clone(a)
	if out == nil {
		out = map[string]int{}
	}
	for what, n := range b {
		out[what] += n
	}
	return out
}
