package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
)

const (
	mediaUnderWay = 4 // files that are being received or given; each is held in memory
)

type mediaRequest struct {
	Name      string             `json:"name,omitempty" doc:"Name of the file; file if absent" maxLength:"255"`
	Timestamp string             `json:"timestamp,omitempty" doc:"When it was taken or said; when it is stored if absent"`
	Extract   trilith.Extraction `json:"extract,omitempty" doc:"How facts are derived from what a model reads in it; none if absent" enum:"none,rules,llm,auto"`
	DryRun    bool               `json:"dry_run,omitempty" doc:"Check the file and store nothing"`
}

var (
	file           = op.Node{"type": "string", "format": "binary", "contentMediaType": "application/octet-stream"}
	describedMedia = op.Described(func(_ *op.Describer, n op.Node) {
		op.More(n, `The body is the file: png, jpeg, webp, mp3, wav, m4a, or a pdf with pages that have no text layer. `+
			`What it is, its bytes say. The same file in the same scope is stored once. `+
			`Without a model that reads it, it is kept and listed as unread.`)
		op.Takes(n, "application/octet-stream", file, true)
	})
	describedFile = op.Described(func(d *op.Describer, n op.Node) {
		forms := map[string]op.Node{"application/json": d.Type(reflect.TypeFor[trilith.MediaFile]())}
		for _, kept := range []string{"image/png", "image/jpeg", "image/webp", "application/pdf", "audio/mpeg", "audio/wav",
			"audio/mp4"} {
			forms[kept] = file
		}
		op.Answers(n, "OK", forms)
	})
)

func (s *ownRoutes) putMedia(x *exchange, in mediaRequest) (out trilith.StoredMedia, err error) {
	done, err := s.media.take(x.ctx, min(makerWait, s.timeout))
	if err != nil {
		return out, err
	}
	defer done()
	data, err := io.ReadAll(http.MaxBytesReader(x.w, io.NopCloser(s.patiently(x)), trilith.MaxMediaBytes))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return out, tooLarge(fmt.Sprintf("file: is larger than the %d bytes that are taken; make it smaller", trilith.MaxMediaBytes))
	}
	if err != nil {
		return out, trilith.Errorf(trilith.Invalid, "body: ended early: %w", err)
	}
	ctx, cancel := context.WithTimeout(x.ctx, s.timeout)
	defer cancel()
	return s.engine.PutMedia(ctx, x.scope, trilith.NewMedia{Name: cmp.Or(in.Name, "file"),
		Type: x.r.Header.Get("Content-Type"), Data: data, Timestamp: in.Timestamp, Extract: in.Extract,
		DryRun: in.DryRun})
}

// mediaFile gives a file to be saved. A browser that opens its address shows and runs nothing of it.
func (s *ownRoutes) mediaFile(x *exchange, id trilith.ID) (f trilith.MediaFile, err error) {
	done, err := s.media.take(x.ctx, min(makerWait, s.timeout))
	if err != nil {
		return f, err
	}
	defer done()
	f, err = s.engine.MediaFile(x.ctx, x.scope, id)
	if err != nil || accepts(x.r, "application/json") {
		return f, err
	}
	x.answered = true
	h := x.w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = x.w.Write(f.Data)
	return f, nil
}
