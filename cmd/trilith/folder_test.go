package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hook calls the hook as Claude Code does, and returns what the model is shown.
func (s *shell) hook(t *testing.T, event map[string]any, args ...string) string {
	t.Helper()
	body, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), s.waits, append([]string{"hook", "claude-code"}, args...),
		func(name string) string { return s.env[name] }, bytes.NewReader(body), &out, &errs)
	if code != 0 || errs.Len() > 0 {
		t.Fatalf("hook %v: exit %d, %s", event, code, &errs)
	}
	return out.String()
}

// transcript writes a session, and returns its file. A turn is the folder that it was said in, and what was said.
func (s *shell) transcript(t *testing.T, session string, turns ...[2]string) string {
	t.Helper()
	var b strings.Builder
	for i, turn := range turns {
		record := map[string]any{"type": "user", "uuid": fmt.Sprint(session, i), "sessionId": session, "cwd": turn[0],
			"timestamp": fmt.Sprintf("2026-01-05T10:00:%02dZ", i),
			"message":   map[string]string{"role": "user", "content": turn[1]}}
		if turn[0] == "" {
			delete(record, "cwd")
		}
		line, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	path := filepath.Join(s.home, session+".jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// said has a session end in a folder.
func (s *shell) said(t *testing.T, session, folder string, turns ...[2]string) {
	t.Helper()
	s.hook(t, map[string]any{"hook_event_name": "SessionEnd", "session_id": session, "cwd": folder,
		"transcript_path": s.transcript(t, session, turns...)})
}

// asked is what a prompt in a folder is answered with.
func (s *shell) asked(t *testing.T, folder, prompt string, args ...string) string {
	t.Helper()
	return s.hook(t, map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "later", "cwd": folder,
		"transcript_path": filepath.Join(s.home, "later.jsonl"), "prompt": prompt}, args...)
}

// folder makes a folder, under git if there is a configuration for it.
func (s *shell) folder(t *testing.T, path, config string) string {
	t.Helper()
	path = filepath.Join(s.home, filepath.FromSlash(path))
	under := path
	if config != "" {
		under = filepath.Join(path, ".git")
	}
	if err := os.MkdirAll(under, 0o700); err != nil {
		t.Fatal(err)
	}
	if config != "" {
		if err := os.WriteFile(filepath.Join(under, "config"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// projectsOf are the projects of what is stored, each once.
func (s *shell) projectsOf(t *testing.T) []string {
	t.Helper()
	var page struct {
		Items []struct {
			Scope struct{ Project, User string }
		}
	}
	if err := json.Unmarshal([]byte(s.ok(t, "list", "--json", "--limit", "1000")), &page); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range page.Items {
		out = append(out, m.Scope.Project)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func remote(url string) string {
	return "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = " + url + "\n"
}

const pays = "The Halvorsen contract pays 95 euros an hour."

// TestFolders: a folder is known by its repository, whatever its name: what was said in one of two folders of one name
// is not shown in the other, and every way to a folder leads to its one project.
func TestFolders(t *testing.T) {
	t.Parallel()
	const ask = "What does the Halvorsen contract pay an hour?"
	for _, c := range []struct {
		why, first, second string
		same               bool
		make               func(t *testing.T, s *shell) (first, second string)
	}{
		{why: "two repositories of one name", make: func(t *testing.T, s *shell) (string, string) {
			return s.folder(t, "a/app", remote("git@git.test:a/app.git")), s.folder(t, "b/app", remote("git@git.test:b/app.git"))
		}},
		{why: "two repositories of one name without a remote", make: func(t *testing.T, s *shell) (string, string) {
			return s.folder(t, "a/app", "[core]\n"), s.folder(t, "b/app", "[core]\n")
		}},
		{why: "two folders of one name", make: func(t *testing.T, s *shell) (string, string) {
			return s.folder(t, "a/app", ""), s.folder(t, "b/app", "")
		}},
		{why: "two folders that are gone", make: func(*testing.T, *shell) (string, string) {
			return "/nowhere/a/app", "/nowhere/b/app"
		}},
		{why: "two clones of one repository", same: true, make: func(t *testing.T, s *shell) (string, string) {
			return s.folder(t, "a/app", remote("git@git.test:a/app.git")),
				s.folder(t, "b/copy", remote("https://ana@git.test/a/app"))
		}},
		{why: "a folder in a repository", same: true, make: func(t *testing.T, s *shell) (string, string) {
			root := s.folder(t, "a/app", "[core]\n")
			return root, s.folder(t, "a/app/services/billing", "")
		}},
		{why: "a worktree beside its repository", same: true, make: func(t *testing.T, s *shell) (string, string) {
			root := s.folder(t, "a/app", "[core]\n")
			tree := s.folder(t, "a/app-fix", "")
			own := s.folder(t, "a/app/.git/worktrees/app-fix", "")
			for path, text := range map[string]string{filepath.Join(tree, ".git"): "gitdir: " + own + "\n",
				filepath.Join(own, "commondir"): "../..\n"} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			return root, tree
		}},
		{why: "another spelling of one folder", same: true, make: func(t *testing.T, s *shell) (string, string) {
			root := s.folder(t, "a/app", "")
			other := filepath.Join(s.home, "a", "App") // what a disk that does not tell case apart answers
			if err := os.Symlink(root, other); err != nil {
				t.Fatal(err)
			}
			return root, other
		}},
		{why: "another spelling of a folder of a system that does not tell case apart", same: true,
			make: func(*testing.T, *shell) (string, string) { return `C:\Users\Ana\app`, `c:\users\ana\App` }},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			first, second := c.make(t, s)
			s.said(t, "s1", first, [2]string{first, pays})
			if shown := s.asked(t, first, ask); !strings.Contains(shown, "95 euros") {
				t.Errorf("the folder itself is shown %q", shown)
			}
			if shown := s.asked(t, second, ask); strings.Contains(shown, "95 euros") != c.same {
				t.Errorf("the second folder is shown %q", shown)
			}
			s.said(t, "s2", second, [2]string{second, "The build runs on two machines."})
			if n := len(s.projectsOf(t)); (n == 1) != c.same {
				t.Errorf("projects: %q", s.projectsOf(t))
			}
			if shown := s.asked(t, second, "Where does the build run?"); !strings.Contains(shown, "two machines") {
				t.Errorf("the second folder is shown %q of its own", shown)
			}
			if got := s.projectsOf(t); !slices.Contains(got, "app") {
				t.Errorf("projects: %q, want the first to have the name of its folder", got)
			}
		})
	}
}

// TestFoldersOfTranscripts: the folder in which a session began is its project, wherever the agent goes; and transcripts
// that are imported, or sent to a server, are of the projects that the hook knows.
func TestFoldersOfTranscripts(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	shop, billing := s.folder(t, "shop", ""), s.folder(t, "shop/services/billing", "")
	turns := [][2]string{{"", "Which port should the billing service use?"}, {shop, "Ask the operators."},
		{billing, "Billing listens on port 8841."}, {"", "And refunds on port 8842."}}
	path := s.transcript(t, "s7", turns...)
	s.ok(t, "import", path)
	if got := s.projectsOf(t); !slices.Equal(got, []string{"shop"}) {
		t.Errorf("import: projects %q, want one, shop", got)
	}
	if got := s.asked(t, shop, "Which port does billing listen on?"); !strings.Contains(got, "8841") {
		t.Errorf("after the import the hook shows %q", got)
	}
	s.said(t, "s8", billing, turns[1:]...) // the agent was in a subfolder when the session ended
	if got := s.projectsOf(t); !slices.Equal(got, []string{"shop"}) {
		t.Errorf("hook: projects %q, want one, shop", got)
	}
	other := s.transcript(t, "s9", [2]string{"/elsewhere/shop", "The till is in the hall."})
	s.ok(t, "import", other, "--dry-run")
	if n := len(s.projectsOf(t)); n != 1 {
		t.Errorf("%d projects after a dry run", n)
	}
	s.ok(t, "import", other)
	s.ok(t, "import", other)
	if n := len(s.projectsOf(t)); n != 2 {
		t.Errorf("projects: %q, want that of another folder too", s.projectsOf(t))
	}
	start := s.hook(t, map[string]any{"hook_event_name": "SessionStart", "session_id": "s10", "cwd": "/elsewhere/shop"})
	if !strings.Contains(start, s.projectsOf(t)[1]) {
		t.Errorf("the start of a session does not name its project: %q", start)
	}
}

// TestFoldersOfOldMemories: what a memory holds under the name of a folder is that folder's, and there it is found.
func TestFoldersOfOldMemories(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.ok(t, "remember", "--project", "webshop", "Refunds go through the till in hall nine.")
	shop := s.folder(t, "webshop", "[core]\n")
	for range 2 {
		if got := s.asked(t, shop, "Where do refunds go through?"); !strings.Contains(got, "hall nine") {
			t.Errorf("the hook shows %q", got)
		}
		s.said(t, "s1", shop, [2]string{shop, "The logo is green."})
	}
	if got := s.projectsOf(t); !slices.Equal(got, []string{"webshop"}) {
		t.Errorf("projects: %q", got)
	}
	if got := s.asked(t, s.folder(t, "other/webshop", "[core]\n"), "Where do refunds go through?"); got != "" {
		t.Errorf("another folder is shown %q", got)
	}
}

// TestPersonOfTheMachine: what somebody says of themselves in one folder is known in all, and what is said of a project
// stays there. Somebody whom --user names has a memory of their own.
func TestPersonOfTheMachine(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.env["USER"] = "tuva"
	shop, blog := s.folder(t, "webshop", ""), s.folder(t, "blog", "")
	s.said(t, "s1", shop, [2]string{shop, "My name is Tuva and I live in Molde."}, [2]string{shop, pays})
	s.ok(t, "call", "reextract")
	const ask = "What is my name and where do I live?"
	if got := s.asked(t, blog, ask); !strings.Contains(got, "Molde") {
		t.Errorf("another folder is shown %q", got)
	}
	if got := s.asked(t, blog, "What does the Halvorsen contract pay an hour?"); strings.Contains(got, "95") {
		t.Errorf("another folder is shown of the project: %q", got)
	}
	for _, folder := range []string{shop, blog} {
		if got := s.asked(t, folder, ask, "--user", "ben"); strings.Contains(got, "Molde") {
			t.Errorf("another person is shown %q", got)
		}
	}
	if got := s.ok(t, "lookup", "user_id:tuva"); !strings.Contains(got, "Molde") {
		t.Errorf("lookup: %s", got)
	}
}
