package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/trilith-memory/trilith"
)

// digest hashes a file of known size in the two ways that hubs use: SHA-256, and the object id of git.
type digest struct {
	sha, blob hash.Hash
	n         int64
}

func (d *digest) Write(p []byte) (int, error) {
	_, _ = d.sha.Write(p) // a hash never fails
	_, _ = d.blob.Write(p)
	d.n += int64(len(p))
	return len(p), nil
}

// hashFile reads a file and returns its size and hashes, under the model's file path. A missing file is fs.ErrNotExist.
// tell, if not nil, receives the numbers of bytes read.
func hashFile(ctx context.Context, name, path string, tell func(n int64)) (File, error) {
	f, err := os.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return File{}, err
		}
		return File{}, onDisk(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return File{}, onDisk(err)
	}
	d := newDigest(info.Size())
	if err := pour(ctx, d, f, tell); err != nil {
		return File{}, onDisk(err)
	}
	return d.file(path), nil
}

func newDigest(size int64) *digest {
	d := &digest{sha: sha256.New(), blob: sha1.New()}
	fmt.Fprintf(d.blob, "blob %d\x00", size) // git hash-object
	return d
}

// pour copies r until its end or until the context ends.
func pour(ctx context.Context, w io.Writer, r io.Reader, tell func(n int64)) error {
	buffer := make([]byte, 256<<10)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return onDisk(err)
			}
			if tell != nil {
				tell(int64(n))
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// onDisk returns the error for a file that could not be read or written. An error with a kind, and nil, stay as they
// are.
func onDisk(err error) error {
	if _, ok := errors.AsType[*trilith.Error](err); ok || err == nil || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return trilith.Errorf(trilith.Unavailable, "models: %w", err)
}

func (d *digest) file(path string) File {
	return File{Path: path, Size: d.n, SHA256: hex.EncodeToString(d.sha.Sum(nil)),
		Blob: hex.EncodeToString(d.blob.Sum(nil))}
}

// differs describes how found differs from f; empty if it does not.
func differs(f, found File) string {
	switch {
	case f.Size != 0 && found.Size != f.Size:
		return fmt.Sprintf("has %d bytes, not %d", found.Size, f.Size)
	case f.SHA256 != "" && found.SHA256 != f.SHA256:
		return fmt.Sprintf("has the SHA-256 %s, not %s", found.SHA256, f.SHA256)
	case f.Blob != "" && found.Blob != f.Blob:
		return fmt.Sprintf("is the git object %s, not %s", found.Blob, f.Blob)
	}
	return ""
}
