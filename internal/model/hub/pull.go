package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/disk"
)

// Puller adds models to a folder of models.
type Puller struct {
	Dir      string
	Free     func(dir string) (int64, error) // free bytes on the disk of dir; nil: ask the system
	Progress func(done, total int64)         // receives bytes so far; may be nil
}

// Pull downloads the files of a model that a client has completed, and returns its lock file and its folder. It resumes
// an earlier pull of the same revision. The folder appears complete, with every hash right, or not at all.
//
// If this revision of the model is here and intact, Pull sends no request; if another revision or a damaged one is
// here, it is Conflict.
func (p *Puller) Pull(ctx context.Context, c *Client, m Model) (Model, string, error) {
	return p.fill(ctx, m, func(s *stage, f File) (File, error) { return s.fetch(ctx, c, c.resolve(m, f.Path), f) })
}

// Carry is Pull from a local folder to which somebody copied the model: as on a hub, or from another folder of models.
// The hashes in the catalogue, in the order and in a lock file in that folder have to match. A file without a known
// hash is accepted as it is. Every file that the catalogue names has to be present.
func (p *Puller) Carry(ctx context.Context, from string, m Model) (Model, string, error) {
	m, err := there(from, m)
	if err != nil {
		return m, "", err
	}
	return p.fill(ctx, m, func(s *stage, f File) (File, error) { return s.copy(ctx, from, f) })
}

// there completes an order from the files in a folder.
func there(from string, m Model) (Model, error) {
	m.Source = from
	lock, err := readLock(from)
	locked := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return m, err
	case locked && lock.Repository != m.Repository:
		return m, trilith.Errorf(trilith.Conflict, "model: %s holds %s, not %s; name another folder with --from", from, lock.Repository, m.Repository)
	case locked && m.Revision != "" && m.Revision != lock.Revision:
		return m, trilith.Errorf(trilith.Conflict, "model: %s holds revision %s of %s, not %s; name another folder with --from",
			from, lock.Revision, m.Repository, m.Revision)
	case locked:
		m.Revision = lock.Revision
		if m.License == "" {
			m.License = lock.License
		}
	}
	var files []File
	for _, path := range wanted {
		info, err := os.Stat(filepath.Join(from, filepath.FromSlash(path)))
		i, known := m.find(path)
		switch {
		case err == nil && !info.Mode().IsRegular(), errors.Is(err, fs.ErrNotExist) && known:
			return m, trilith.Errorf(trilith.NotFound, "model: %s has no file %s, which %s needs; copy it there", from, path, m.Name)
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return m, trilith.Errorf(trilith.Unavailable, "model: %w", err)
		}
		f := File{Path: path, Size: info.Size(), Pin: PinCopy}
		if j, ok := lock.find(path); ok {
			f = lock.Files[j]
			f.Pin = PinLock
		}
		if known {
			f.SHA256, f.Pin = m.Files[i].SHA256, m.Files[i].Pin
		}
		files = append(files, f)
	}
	m.Files = files
	return m, m.needed()
}

// stage is a partial folder that becomes a model.
type stage struct {
	dir  string // the partial folder
	tell func(n int64)
}

// fill makes the folder of a model by calling bring for each file.
func (p *Puller) fill(ctx context.Context, m Model, bring func(*stage, File) (File, error)) (Model, string, error) {
	path := filepath.Join(p.Dir, folder(m.Name))
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return m, "", onDisk(err)
	}
	release, err := hold(p.Dir)
	if err != nil {
		return m, "", err
	}
	defer release()
	if here, path, ok, err := p.Here(ctx, m); ok || err != nil {
		return here, path, err
	}
	s := &stage{dir: path + partialSuffix}
	if err := s.begin(m); err != nil {
		return m, "", err
	}
	if err := p.room(m, taken(s.dir)); err != nil {
		return m, "", err
	}
	var done int64
	total := m.Size()
	s.tell = func(n int64) {
		if done += n; p.Progress != nil {
			p.Progress(done, total)
		}
	}
	m.Files = slices.Clone(m.Files)
	for i, f := range m.Files {
		found, err := bring(s, f)
		if err != nil {
			return m, "", err
		}
		found.Pin = f.Pin
		m.Files[i] = found
	}
	if err := s.end(m, path); err != nil {
		return m, "", err
	}
	return m, path, nil
}

// Here reports whether the ordered model is on this machine with every file intact; then it returns its lock file and
// its folder. Another revision, or a damaged model, is Conflict. It sends no request, so an order for a branch has to
// be completed by a client first.
func (p *Puller) Here(ctx context.Context, m Model) (here Model, path string, ok bool, err error) {
	path = filepath.Join(p.Dir, folder(m.Name))
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || m.Revision != "" &&
		!commitForm.MatchString(m.Revision) {
		return m, "", false, nil
	}
	here, err = readLock(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, "", false, trilith.Errorf(
			trilith.Conflict, "model: %s exists and has no lock file; move it away and pull again, with --from to use its files", path)
	}
	if err != nil {
		return m, "", false, err
	}
	if m.Revision != "" && here.Revision != m.Revision {
		return m, "", false, trilith.Errorf(
			trilith.Conflict, "model: revision %s of %s is here; to have %s instead: trilith model remove %s",
			here.Revision, m.Name, m.Revision, m.Name)
	}
	checked, err := Verify(ctx, p.Dir, m.Name, p.Progress)
	if err != nil {
		return m, "", false, err
	}
	for _, c := range checked {
		if i, ordered := m.find(c.Path); c.Problem == "" && ordered {
			c.Problem = differs(m.Files[i], c.File)
		}
		if c.Problem != "" {
			return m, "", false, trilith.Errorf(
				trilith.Conflict, "model: %s of %s is here and %s; to fetch it again: trilith model remove %s", c.Path,
				m.Name, c.Problem, m.Name)
		}
	}
	return here, path, true, nil
}

// room returns an error if the disk is too small.
func (p *Puller) room(m Model, have int64) error {
	ask := p.Free
	if ask == nil {
		ask = disk.Free
	}
	free, err := ask(p.Dir)
	if err != nil {
		if trilith.KindOf(err) == trilith.Unsupported {
			return nil
		}
		return onDisk(err)
	}
	if need := m.Size() - have; need > free {
		return trilith.Errorf(trilith.Exhausted,
			"models: %s needs %s more in %s, and %s are free there; free some space, or choose another folder with TRILITH_MODELS=DIR",
			m.Name, Bytes(need), p.Dir, Bytes(free))
	}
	return nil
}

// Bytes formats a number of bytes for people.
func Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}

// begin continues the partial folder of the same revision, or makes a new one.
func (s *stage) begin(m Model) error {
	revision := filepath.Join(s.dir, ".revision")
	if was, err := os.ReadFile(revision); err != nil || string(was) != m.Repository+"@"+m.Revision {
		if err := os.RemoveAll(s.dir); err != nil {
			return onDisk(err)
		}
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return onDisk(err)
	}
	if err := os.WriteFile(revision, []byte(m.Repository+"@"+m.Revision), 0o600); err != nil {
		return onDisk(err)
	}
	return nil
}

// end turns the partial folder into the model: it removes other files, and syncs the rest to disk before it renames the
// folder.
func (s *stage) end(m Model, path string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return trilith.WrapError(trilith.Internal, "hub.Pull", err)
	}
	var folders []string
	err = filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			folders = append(folders, name)
			return nil
		}
		rel, err := filepath.Rel(s.dir, name)
		if _, ok := m.find(filepath.ToSlash(rel)); err == nil && !ok {
			err = os.Remove(name)
		}
		return err
	})
	if err != nil {
		return onDisk(err)
	}
	if err := write(filepath.Join(s.dir, LockFile), append(data, '\n')); err != nil {
		return onDisk(err)
	}
	for _, name := range folders {
		if err := disk.SyncDir(name); err != nil {
			return onDisk(err)
		}
	}
	if err := os.Rename(s.dir, path); err != nil {
		return onDisk(err)
	}
	return onDisk(disk.SyncDir(filepath.Dir(path)))
}

// write writes a file and syncs it to disk.
func write(name string, data []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// copy copies a file from a local folder.
func (s *stage) copy(ctx context.Context, from string, f File) (File, error) {
	in, err := os.Open(filepath.Join(from, filepath.FromSlash(f.Path)))
	if err != nil {
		return File{}, onDisk(err)
	}
	defer in.Close()
	name := filepath.Join(s.dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return File{}, onDisk(err)
	}
	out, err := os.Create(name)
	if err != nil {
		return File{}, onDisk(err)
	}
	d := newDigest(f.Size)
	err = pour(ctx, both{out, d}, in, s.tell)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return File{}, onDisk(err)
	}
	found := d.file(f.Path)
	if problem := differs(f, found); problem != "" {
		return File{}, trilith.Errorf(
			trilith.Invalid, "model: %s in %s %s as required by %s; copy the file again", f.Path, from,
			problem, f.Pin.says())
	}
	return found, nil
}

// says names the origin of a pin, for messages.
func (p Pin) says() string {
	switch p {
	case PinCatalogue:
		return "the catalogue"
	case PinUser:
		return "--sha256"
	case PinLock:
		return "the lock file beside it"
	}
	return "the hub"
}

// both writes to a file and to the digest of its content.
type both struct {
	file *os.File
	d    *digest
}

func (b both) Write(p []byte) (int, error) {
	n, err := b.file.Write(p)
	_, _ = b.d.Write(p[:n])
	return n, err
}
