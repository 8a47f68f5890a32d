package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
)

// smallDisk returns a folder on a disk of its own with so many bytes. Only root may make one: where it may not, the
// test is skipped and says so, or fails if TRILITH_REQUIRE names tmpfs.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", bytes)); err != nil {
		if slices.Contains(strings.Split(os.Getenv("TRILITH_REQUIRE"), ","), "tmpfs") {
			t.Fatalf("TRILITH_REQUIRE names tmpfs, but none can be mounted: %v", err)
		}
		t.Skipf("NOT TESTED: a full disk needs a tmpfs, and this user may not mount one (%v); run as root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all that is free of a disk; the function that it returns gives it back.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for page := make([]byte, 4096); err == nil; {
		_, err = f.Write(page)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// ballast returns how much of a disk fill has taken.
func ballast(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// on returns a shell with its memory in a folder.
func on(t *testing.T, dir string) *shell {
	t.Helper()
	s := newShell(t)
	s.env["TRILITH_STORE"] = "sqlite:" + filepath.Join(dir, "trilith.db")
	return s
}

// remembered stores a note over HTTP and returns its id and the status.
func remembered(t *testing.T, c *service, n int) (trilith.ID, int) {
	t.Helper()
	var res struct {
		Memories []struct{ ID trilith.ID }
	}
	status := c.call(t, "/api/v1/memories", fmt.Sprintf(`{"text": "note %d %s"}`, n, strings.Repeat("roof ", 1000)),
		&res)
	if status != 200 && status != 201 {
		return "", status
	}
	return res.Memories[0].ID, status
}

// Writes acknowledged on a disk that fills are there, reading and doctor go on, and writing goes on once there is room.
func TestFullDiskServe(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 6<<20)
	s := on(t, dir)
	c, stop := s.serve(t)
	var kept []trilith.ID
	put := func(n int) int {
		id, status := remembered(t, c, n)
		if id != "" {
			kept = append(kept, id)
		}
		return status
	}
	n := 0
	for ; n < 20; n++ {
		if status := put(n); status >= 300 {
			t.Fatalf("status %d while there is room", status)
		}
	}
	free := fill(t, dir)
	status := 0
	for ; n < 2000 && status < 300; n++ {
		status = put(n)
	}
	if status != 507 {
		t.Errorf("a write on a full disk is answered %d, want 507", status)
	}
	for range 3 {
		if status := put(n); status != 507 && status >= 300 {
			t.Errorf("another write on a full disk is answered %d, want 507", status)
		}
	}
	for _, path := range []string{"/api/v1/memories?limit=1", "/api/v1/admin?view=doctor", "/readyz", "/api/v1/memories/" +
		string(kept[0])} {
		if status := c.call(t, path, "", nil); status != 200 {
			t.Errorf("GET %s on a full disk = %d, want 200", path, status)
		}
	}
	free()
	if status := put(n); status >= 300 {
		t.Errorf("a write when there is room again is answered %d", status)
	}
	if code := stop(); code != 0 {
		t.Errorf("serve ended with %d", code)
	}
	c, _ = s.serve(t)
	for _, id := range kept {
		if status := c.call(t, "/api/v1/memories/"+string(id), "", nil); status != 200 {
			t.Errorf("a memory that was acknowledged is answered with %d", status)
		}
	}
}

// Commands on a full disk do what needs no room, and say of the rest what is missing.
func TestFullDiskCommands(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 6<<20)
	s := on(t, dir)
	for i := range 5 {
		s.ok(t, "remember", fmt.Sprintf("The roof %d is red.", i), "--tag", "roof")
	}
	free := fill(t, dir)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"list"}, 0, "roof 3 is red"},
		{[]string{"recall", "roof"}, 0, "roof 3 is red"},
		{[]string{"export"}, 0, "roof 3 is red"},
		{[]string{"doctor"}, 1, "free space on the disk"},
		{[]string{"remember", "The door is blue."}, 75, ""},
	} {
		out, errs, code := s.run(t.Context(), c.args...)
		if code != c.code || !strings.Contains(out, c.want) || !strings.Contains(errs, "full") {
			t.Errorf("trilith %s on a full disk: exit %d: %s%s; want %d, %q, and that the disk is full", c.args[0], code,
				out, errs, c.code, c.want)
		}
	}
	out, errs, code := s.run(t.Context(), "erase", "--filter", `{"tags": {"contains": "roof"}}`, "--yes")
	if code != 0 && (code != 75 || !strings.Contains(errs, "full")) {
		t.Errorf("trilith erase on a full disk: exit %d: %s%s", code, out, errs)
	}
	if code != 0 {
		if list := s.ok(t, "list"); strings.Count(list, "The roof") != 5 {
			t.Errorf("after an erasure that failed there are left: %s", list)
		}
	}
	free()
	if code != 0 {
		s.ok(t, "erase", "--filter", `{"tags": {"contains": "roof"}}`, "--yes")
	}
	if list := s.ok(t, "list"); strings.Contains(list, "The roof") {
		t.Errorf("what was erased is listed: %s", list)
	}
	lines, err := compose.Ledger(filepath.Join(dir, "trilith.db")).Lines()
	if err != nil || len(lines) != 1 || len(lines[0].Erased.IDs) != 5 {
		t.Errorf("the ledger holds %+v, %v; want the five that were erased", lines, err)
	}
}

// However little room is left for what opening a memory writes, it is opened, if only for reading.
func TestFullDiskOpens(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 6<<20)
	s := on(t, dir)
	s.ok(t, "remember", "The roof is red.")
	for room := 0; room <= 192<<10; room += 8 << 10 {
		free := fill(t, dir)
		if err := os.Truncate(filepath.Join(dir, "ballast"), ballast(t, dir)-int64(room)); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"list"}, {"recall", "What colour is the roof?"}, {"export"}} {
			if out, errs, code := s.run(t.Context(), args...); code != 0 || !strings.Contains(out, "The roof is red.") {
				t.Errorf("trilith %s with %d bytes free: exit %d: %s%s", args[0], room, code, out, errs)
			}
		}
		if out, errs, _ := s.run(t.Context(), "doctor"); !strings.Contains(out, "BAD  space") {
			t.Errorf("trilith doctor with %d bytes free: %s%s", room, out, errs)
		}
		free()
	}
}

// A backup that does not fit says so and leaves nothing behind.
func TestFullDiskBackup(t *testing.T) {
	t.Parallel()
	s, dir := newShell(t), smallDisk(t, 256<<10)
	for i := range 3 {
		s.ok(t, "remember", fmt.Sprintf("The roof %d is red. %s", i, strings.Repeat("red ", 20000)))
	}
	_, errs, code := s.run(t.Context(), "backup", filepath.Join(dir, "copy.db"))
	if code != 75 || !strings.Contains(errs, "full") {
		t.Errorf("trilith backup into a full disk: exit %d: %s; want 75, and that the disk is full", code, errs)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("a backup that failed leaves %v, %v", left, err)
	}
}

// An import stops where the disk is full, says so, and goes on with the rest once there is room.
func TestFullDiskImport(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 40<<20)
	s := on(t, dir)
	s.ok(t, "remember", "The first one.")
	var notes strings.Builder
	const many = 400
	for i := range many {
		fmt.Fprintf(&notes, "# Roof %d\n\n%s\n\n", i, strings.Repeat(fmt.Sprint("roof ", i, " "), 500))
	}
	file := filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(file, []byte(notes.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(dir, "half")
	if err := os.WriteFile(half, make([]byte, 38<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	_, errs, code := s.run(t.Context(), "import", file)
	if code != 75 || !strings.Contains(errs, "full") {
		t.Errorf("trilith import into a full disk: exit %d: %s; want 75, and that the disk is full", code, errs)
	}
	s.ok(t, "list", "--limit", "1")
	if err := os.Remove(half); err != nil {
		t.Fatal(err)
	}
	s.ok(t, "import", file)
	list := s.ok(t, "export")
	for i := range many {
		if !strings.Contains(list, fmt.Sprint("roof ", i, " ")) {
			t.Fatalf("after the import went on the part %d is missing", i)
		}
	}
}

// An erasure that could not be recorded beside the store is not acknowledged.
func TestFullDiskLedger(t *testing.T) {
	t.Parallel()
	s, dir := newShell(t), smallDisk(t, 256<<10)
	path := filepath.Join(t.TempDir(), "trilith.db")
	s.env["TRILITH_STORE"] = "sqlite:" + path
	s.ok(t, "remember", "The roof is red.", "--tag", "roof")
	if err := os.Symlink(filepath.Join(dir, "noted"), path+".erased"); err != nil {
		t.Fatal(err)
	}
	fill(t, dir)
	out, errs, code := s.run(t.Context(), "erase", "--filter", `{"tags": {"contains": "roof"}}`, "--yes")
	if code != 75 || !strings.Contains(errs, "could not be recorded") || strings.Contains(out, "erased") {
		t.Errorf("an erasure that could not be recorded: exit %d: %s%s; want 75, and that it could not be recorded",
			code, out, errs)
	}
}
