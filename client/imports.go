package client

import (
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/trilith-memory/trilith"
)

// ImportFiles sends files of other programs and returns when all of them are stored, or with DryRun, what would become
// of them. Importing twice changes nothing, so a broken import is simply repeated.
func (c *Client) ImportFiles(ctx context.Context, s trilith.Scope, r trilith.FilesImport) (trilith.ImportRun, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body, w := io.Pipe()
	form := multipart.NewWriter(w)
	written := make(chan struct{})
	go func() {
		defer close(written)
		fault, err := writeFiles(form, s, r)
		if fault != nil {
			cancel(fault) // the server sees the connection end, never an end of the files
			err = fault
		}
		w.CloseWithError(err)
	}()
	q := request{method: http.MethodPost, path: "/imports"}
	var out trilith.ImportRun
	resp, err := c.send(ctx, q, form.FormDataContentType(), body)
	if err == nil {
		defer resp.Body.Close()
		if err = json.NewDecoder(io.LimitReader(resp.Body, MaxResponseBytes)).Decode(&out); err != nil {
			err = transportError(ctx, q, err)
		}
	}
	body.Close()
	<-written
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return trilith.ImportRun{}, cause
	}
	return out, err
}

// writeFiles writes a form. fault is an error of the files themselves, err one of the connection.
func writeFiles(form *multipart.Writer, s trilith.Scope, r trilith.FilesImport) (fault, err error) {
	for _, f := range []struct{ name, value string }{{"project", s.Project}, {"domain", s.Domain}, {"user", s.User},
		{"agent", s.Agent}, {"session", s.Session}, {"channel", s.Channel}, {"format", r.Format},
		{"extract", string(r.Extract)}, {"dry_run", strconv.FormatBool(r.DryRun)}} {
		if f.value == "" {
			continue
		}
		if err := form.WriteField(f.name, f.value); err != nil {
			return nil, err
		}
	}
	if r.Files == nil {
		return nil, form.Close()
	}
	for f, fault := range r.Files {
		if fault != nil {
			return fault, nil
		}
		if !f.Modified.IsZero() {
			if err := form.WriteField("modified", f.Modified.UTC().Format(time.RFC3339Nano)); err != nil {
				return nil, err
			}
		}
		part, err := form.CreateFormFile("files", f.Name)
		if err != nil {
			return nil, err
		}
		from := &source{Reader: f.Content}
		if _, err := io.Copy(part, from); err != nil {
			return from.err, err
		}
	}
	return nil, form.Close()
}

// source remembers that reading failed, to tell it from writing.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// ImportRun returns the state of an import of files.
func (c *Client) ImportRun(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.ImportRun, error) {
	var out trilith.ImportRun
	err := c.call(ctx, request{method: http.MethodGet, path: "/imports/" + url.PathEscape(string(id)),
		query: scopeQuery(s), idempotent: true}, &out)
	return out, err
}

// ImportRuns lists the last hundred imports of files, the latest first.
func (c *Client) ImportRuns(ctx context.Context, s trilith.Scope) (trilith.ImportRuns, error) {
	var out trilith.ImportRuns
	err := c.call(ctx, request{method: http.MethodGet, path: "/imports", query: scopeQuery(s), idempotent: true}, &out)
	return out, err
}

// UndoImport forgets what an import of files has stored; with dry it only counts that.
func (c *Client) UndoImport(ctx context.Context, s trilith.Scope, id trilith.ID, dry bool) (trilith.ImportRun, error) {
	q := scopeQuery(s, "dry_run", dry)
	var out trilith.ImportRun
	err := c.call(ctx, request{method: http.MethodDelete, path: "/imports/" + url.PathEscape(string(id)), query: q,
		idempotent: true}, &out)
	return out, err
}
