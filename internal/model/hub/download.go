package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/trilith-memory/trilith"
)

// download fetches one file into name.part, which stays if the connection breaks. name.etag contains the entity tag of
// the partial file: a download resumes only if the tag is the same.
type download struct {
	*stage
	client  *Client
	address string
	file    File
	name    string
	out     *os.File // name.part
	sum     *digest  // of the content of out
}

// fetch downloads a file from its address on a hub, resuming an earlier download.
func (s *stage) fetch(ctx context.Context, c *Client, address string, f File) (File, error) {
	name := filepath.Join(s.dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return File{}, onDisk(err)
	}
	found, err := hashFile(ctx, name, f.Path, nil)
	switch {
	case err == nil && differs(f, found) == "":
		s.tell(found.Size)
		return found, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return File{}, err
	}
	d := &download{stage: s, client: c, address: address, file: f, name: name}
	return d.run(ctx)
}

func (d *download) run(ctx context.Context) (File, error) {
	var err error
	if d.out, err = os.OpenFile(d.part(), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return File{}, onDisk(err)
	}
	err = d.body(ctx)
	if closed := errors.Join(d.out.Sync(), d.out.Close()); err == nil {
		err = closed
	}
	if err != nil {
		return File{}, onDisk(err)
	}
	found := d.sum.file(d.file.Path)
	if problem := differs(d.file, found); problem != "" {
		d.forget()
		return File{}, trilith.Errorf(
			trilith.Internal, "hub: %s from %s %s as required by %s; it was discarded. Pull again, and if that fails in the same way, do not trust this hub",
			d.file.Path, d.client.base.Host, problem, d.file.Pin.says())
	}
	if err := os.Rename(d.part(), d.name); err != nil {
		return File{}, onDisk(err)
	}
	return found, nil
}

// body appends the missing bytes to out.
func (d *download) body(ctx context.Context) error {
	at, tag, err := d.take(ctx)
	if err != nil || at == d.file.Size && at > 0 {
		return err
	}
	a, err := d.client.get(ctx, contents, d.address, goOn(at, tag))
	if err != nil {
		return err
	}
	defer a.Close()
	switch {
	case a.StatusCode == http.StatusOK:
		if err := d.restart(at); err != nil {
			return err
		}
		at = 0
	case a.StatusCode == http.StatusPartialContent && at > 0 &&
		a.Header.Get("Content-Range") == contentRange(at, d.file.Size):
	case a.StatusCode == http.StatusPartialContent, a.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		d.forget()
		return trilith.Errorf(trilith.Unavailable,
			"hub: %s cannot resume %s where the last pull stopped; pull again, and this file starts from its beginning",
			d.client.base.Host, d.file.Path)
	default:
		return d.client.refused(a, d.file.Path)
	}
	if a.ContentLength >= 0 && a.ContentLength != d.file.Size-at {
		d.forget()
		return d.length(at + a.ContentLength)
	}
	if err := d.remember(a.Header.Get("ETag")); err != nil {
		return err
	}
	if err := pour(ctx, both{d.out, d.sum}, io.LimitReader(a, d.file.Size-at+1), d.tell); err != nil {
		return d.broken(ctx, err)
	}
	switch {
	case d.sum.n > d.file.Size:
		d.forget()
		return d.length(d.sum.n)
	case d.sum.n < d.file.Size:
		return d.broken(ctx, io.ErrUnexpectedEOF)
	}
	return nil
}

// take hashes the part that an earlier pull left, and returns its length and entity tag.
func (d *download) take(ctx context.Context) (at int64, tag string, err error) {
	d.sum = newDigest(d.file.Size)
	info, err := d.out.Stat()
	if err != nil {
		return 0, "", err
	}
	saved, err := os.ReadFile(d.etag())
	at, tag = info.Size(), string(saved)
	if err != nil || !strong(tag) || at > d.file.Size {
		return 0, "", d.restart(0)
	}
	return at, tag, pour(ctx, d.sum, d.out, d.tell)
}

// restart discards the first at bytes, which differ from the file that is being sent.
func (d *download) restart(at int64) error {
	d.tell(-at)
	d.sum = newDigest(d.file.Size)
	if err := d.out.Truncate(0); err != nil {
		return err
	}
	_, err := d.out.Seek(0, io.SeekStart)
	return err
}

// goOn returns the headers of a request that resumes after at bytes, provided that the entity tag is unchanged.
func goOn(at int64, tag string) http.Header {
	if at == 0 {
		return nil
	}
	return http.Header{"Range": {fmt.Sprintf("bytes=%d-", at)}, "If-Range": {tag}}
}

// contentRange formats the header of an answer that resumes at a byte.
func contentRange(at, size int64) string { return fmt.Sprintf("bytes %d-%d/%d", at, size-1, size) }

// forget makes the next pull start this file again. If removing the partial file fails, its hash will not match.
func (d *download) forget() {
	_ = os.Remove(d.part())
	_ = os.Remove(d.etag())
}

func (d *download) part() string { return d.name + ".part" }

// length returns the error for a hub that sends another number of bytes than it or the catalogue has announced.
func (d *download) length(n int64) error {
	return trilith.Errorf(trilith.Internal, "hub: %s sends %d bytes or more for %s, which has %d; the download was discarded, so pull again",
		d.client.base.Host, n, d.file.Path, d.file.Size)
}

// remember stores the entity tag of a download. Without a strong tag the next pull starts again.
func (d *download) remember(tag string) error {
	if !strong(tag) {
		tag = ""
	}
	return os.WriteFile(d.etag(), []byte(tag), 0o600)
}

// strong reports whether an entity tag identifies the exact bytes (RFC 9110, section 8.8.1).
func strong(tag string) bool { return len(tag) > 2 && strings.HasPrefix(tag, `"`) }

func (d *download) etag() string { return d.name + ".etag" }

// broken returns the error for a connection that ended before the file did.
func (d *download) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*trilith.Error](err); ok { // an error of the disk, not of the connection
		return err
	}
	return trilith.Errorf(trilith.Unavailable,
		"hub: the connection for %s broke off after %s of %s; pull again, and it resumes where it stopped: %w",
		d.file.Path, Bytes(d.sum.n), Bytes(d.file.Size), err)
}
