// Package owner lets several processes use a file that only one of them has opened: the first to claim the file owns
// it, and the others connect to it over a socket.
//
// The claim is a lock of the operating system, so two owners are impossible, and a claim ends with its process, however
// that dies. All data is in a folder next to the file, which only the user who runs the owner can enter: the lock,
// which contains the address of the socket and the number of the process, and the socket. The holder of the lock
// replaces a socket that an earlier owner left.
//
// A second lock is the successor's: its holder is the next owner, and no other process takes the file meanwhile. So a
// process that must become the owner need not compete for the file when its owner releases it.
//
// A connection begins with a greeting: each side sends its terms, and if they differ the owner names the differences
// and refuses. Afterwards both send lines, whose content this package does not know. Between them the owner sends empty
// ones, its heartbeats, so that a client can distinguish an owner that hangs from a busy one.
package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// maxAddress is how long the path of a socket may be on every system.
const maxAddress = 100

// Claim is the right to be the one owner of a file. It ends with Release or with the process.
type Claim struct {
	lock *os.File
	ln   *net.UnixListener
}

// Successor is the right to be the next owner of a file. It ends with Release or with the process.
type Successor struct {
	folder string
	lock   *os.File
}

// Release lets others be the successor. A file that was taken stays taken.
func (h *Successor) Release() error { return h.lock.Close() }

// Take makes this process the owner of the file at path. It returns Conflict if the file has an owner or a successor,
// and another kind if it cannot have one; see [Succeed].
func Take(path string) (*Claim, error) {
	h, err := Succeed(path)
	if err != nil {
		return nil, err
	}
	c, err := h.Take()
	return c, errors.Join(err, h.Release())
}

// Succeed makes this process the successor of the file at path, which need not exist yet. It returns Conflict if the
// file has another successor, and another kind if it cannot have one: on systems and in folders without locks or
// sockets.
func Succeed(path string) (*Successor, error) {
	folder, err := folderOf(path)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(folder); err != nil {
		return nil, trilith.WrapError(trilith.Unsupported, "owner.Succeed", err)
	}
	lock, err := open(filepath.Join(folder, "heir"))
	if err != nil {
		return nil, err
	}
	return &Successor{folder, lock}, nil
}

// Take makes this process the owner. From then on others can connect; they are answered when Serve is called. It
// answers Conflict while the file has an owner.
func (h *Successor) Take() (*Claim, error) {
	lock, err := open(lockIn(h.folder))
	if err != nil {
		return nil, err
	}
	ln, err := listen(h.folder)
	if err == nil {
		text := fmt.Sprintf("%s\n%d\n", ln.Addr(), os.Getpid()) // Serve adds its version
		if err = os.WriteFile(lock.Name(), []byte(text), 0o600); err == nil {
			return &Claim{lock: lock, ln: ln}, nil
		}
		_ = ln.Close()
	}
	_ = lock.Close()
	return nil, trilith.WrapError(trilith.Unsupported, "owner.Take", err)
}

// temporary begins the names of the folders for sockets that do not fit next to their file.
const temporary = "trilith-owner-"

// listen creates the socket: in the folder, or in a separate folder if the path would be too long. Both are private, so
// no other user can connect before the mode of the socket is set. The caller holds the lock.
func listen(folder string) (*net.UnixListener, error) {
	removeSocket(folder)
	address := filepath.Join(folder, "socket")
	if len(address) > maxAddress {
		elsewhere, err := os.MkdirTemp("", temporary)
		if err != nil {
			return nil, err
		}
		address = filepath.Join(elsewhere, "socket")
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: address, Net: "unix"})
	if err == nil {
		if err = os.Chmod(address, 0o600); err == nil {
			return ln, nil
		}
		_ = ln.Close()
	}
	leave(filepath.Dir(address))
	return nil, err
}

// removeSocket removes the socket of an owner that was killed.
func removeSocket(folder string) {
	address, _, _ := addressIn(folder) // none: it died before it wrote one
	for _, left := range []string{address, filepath.Join(folder, "socket")} {
		if info, err := os.Lstat(left); err == nil && info.Mode()&fs.ModeSocket != 0 {
			_ = os.Remove(left) // if not, listening says why
			leave(filepath.Dir(left))
		}
	}
}

// addressIn returns the address of the present or the last owner, and the number of its process.
func addressIn(folder string) (address, pid string, err error) {
	text, err := os.ReadFile(lockIn(folder))
	if err != nil {
		return "", "", err
	}
	lines := strings.SplitN(string(text), "\n", 3)
	if len(lines) < 3 {
		return "", "", fs.ErrNotExist // the owner is about to write it
	}
	return lines[0], lines[1], nil
}

// Release ends the claim; the next process that wants the file owns it.
func (c *Claim) Release() error {
	address := c.ln.Addr().String()
	_ = c.ln.Close() // removes the socket; Serve may have done it
	leave(filepath.Dir(address))
	return c.lock.Close() // and with it the lock
}

// leave removes the folder of a socket if it was made only for the socket.
func leave(folder string) {
	if strings.HasPrefix(filepath.Base(folder), temporary) {
		_ = os.Remove(folder) // only if it is empty
	}
}

// Named names another process that owns the file at path, with its version if it has told it; "" if there is none.
func Named(path string) string {
	folder, err := folderOf(path)
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(lockIn(folder))
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) < 3 || lines[1] == strconv.Itoa(os.Getpid()) {
		return ""
	}
	if lock, err := open(lockIn(folder)); err == nil {
		_ = lock.Close() // its owner has ended
		return ""
	}
	return strings.TrimSpace("process " + lines[1] + " " + lines[2])
}

// folderOf is the folder of the claim on a file: one file has one, by whatever links it is reached.
func folderOf(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", trilith.WrapError(trilith.Invalid, "owner", err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	return path + ".owner", nil
}

func lockIn(folder string) string { return filepath.Join(folder, "lock") }

// open opens a lock file and takes its lock.
func open(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, trilith.WrapError(trilith.Unsupported, "owner.Take", err)
	}
	if err := acquire(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
