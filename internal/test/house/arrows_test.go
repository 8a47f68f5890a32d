package house_test

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// maxUp is the largest share of a package's calls, in percent, that may run up.
const maxUp = 20

// TestCallsRunDown: a package reads from top to bottom. Inside a file a call runs up if the called function is declared
// before the caller. Between files it runs up if it goes against the order of files in which the fewest calls do, as a
// greedy search finds it. A call counts once for each pair of functions or of files; methods count where their name
// is that of one method of the package. Packages with few calls are not held to a share.
func TestCallsRunDown(t *testing.T) {
	t.Parallel()
	packages := map[string][]goFile{}
	for _, f := range moduleFiles(t) {
		if !f.test && !strings.HasPrefix(f.folder, "internal/test/") && !ast.IsGenerated(f.syntax) {
			packages[f.folder] = append(packages[f.folder], f)
		}
	}
	for folder, files := range packages {
		inside, insideUp, between := calls(files)
		up := insideUp + upward(between)
		if all := inside + len(between); all > 20 && 100*up > maxUp*all {
			t.Errorf("%s: %d of %d calls run up: declare functions below those that call them, and keep files apart that need each "+
				"other", folder, up, all)
		}
	}
}

type calledFile struct{ from, to string }

// calls returns how many pairs of functions of one file call each other, how many of them run up, and the pairs of
// files.
func calls(files []goFile) (inside, up int, between map[calledFile]bool) {
	functions, methods := map[string]*ast.FuncDecl{}, map[string][]*ast.FuncDecl{}
	home := map[*ast.FuncDecl]string{}
	for _, f := range files {
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				home[fn] = f.path
				if fn.Recv == nil {
					functions[fn.Name.Name] = fn
				} else {
					methods[fn.Name.Name] = append(methods[fn.Name.Name], fn)
				}
			}
		}
	}
	between = map[calledFile]bool{}
	for caller, file := range home {
		if caller.Body == nil {
			continue
		}
		called := map[*ast.FuncDecl]bool{}
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if to := functions[n.Name]; to != nil {
					called[to] = true
				}
			case *ast.SelectorExpr:
				if m := methods[n.Sel.Name]; len(m) == 1 {
					called[m[0]] = true
				}
				ast.Inspect(n.X, visit)
				return false
			}
			return true
		}
		ast.Inspect(caller.Body, visit)
		delete(called, caller)
		for to := range called {
			switch {
			case home[to] != file:
				between[calledFile{file, home[to]}] = true
			default:
				inside++
				if to.Pos() < caller.Pos() {
					up++
				}
			}
		}
	}
	return inside, up, between
}

// upward returns how many calls between files go against the order that the search finds: a file that calls none of the
// rest goes last, one that none of the rest calls goes first, else the one that calls most and is called least.
func upward(between map[calledFile]bool) int {
	calls, called := map[string]map[string]bool{}, map[string]map[string]bool{}
	for c := range between {
		for _, name := range []string{c.from, c.to} {
			if calls[name] == nil {
				calls[name], called[name] = map[string]bool{}, map[string]bool{}
			}
		}
		calls[c.from][c.to], called[c.to][c.from] = true, true
	}
	place, first, last := map[string]int{}, 0, len(calls)
	for len(calls) > 0 {
		names := slices.Sorted(maps.Keys(calls))
		next := slices.MaxFunc(names, func(a, b string) int {
			return rank(calls[a], called[a]) - rank(calls[b], called[b])
		})
		if i := slices.IndexFunc(names, func(name string) bool { return len(calls[name]) == 0 }); i >= 0 {
			next = names[i]
			place[next] = last
			last--
		} else {
			place[next] = first
			first++
		}
		for to := range calls[next] {
			delete(called[to], next)
		}
		for from := range called[next] {
			delete(calls[from], next)
		}
		delete(calls, next)
		delete(called, next)
	}
	up := 0
	for c := range between {
		if place[c.from] > place[c.to] {
			up++
		}
	}
	return up
}

// rank is highest for a file that nothing calls.
func rank(calls, called map[string]bool) int {
	if len(called) == 0 {
		return 1 << 30
	}
	return len(calls) - len(called)
}
