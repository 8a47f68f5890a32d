package house_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated pages of the documentation anew")

// TestPackagesPage holds docs/packages.md to the import table and to the first sentence of each package comment.
func TestPackagesPage(t *testing.T) {
	t.Parallel()
	comments := map[string]string{}
	for _, f := range moduleFiles(t) {
		if !f.test && f.syntax.Doc != nil {
			comments[f.folder] = f.syntax.Doc.Text()
		}
	}
	tools, _ := fs.Glob(house, "tools/*/*.go")
	for _, name := range tools {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil,
			parser.PackageClauseOnly|parser.ParseComments)
		if err == nil && f.Doc != nil {
			comments[filepath.ToSlash(filepath.Dir(name))] = f.Doc.Text()
		}
	}
	folders := map[string][]string{} // by family
	for _, p := range listPackages(t, "linux") {
		folders[rowOf(p.folder)] = append(folders[rowOf(p.folder)], p.folder)
	}
	var b strings.Builder
	b.WriteString("# Packages\n\nThis page is generated from `internal/test/house/imports_test.go` and the package comments:\n" +
		"`go test ./internal/test/house -run TestPackagesPage -update`. Families stand from the bottom to the top. A package may import\n" +
		"the root, packages of its own family, and those of the families that its family names.\n")
	for _, f := range families {
		may := "nothing else of ours"
		if len(f.may) > 0 {
			may = strings.Join(f.may, ", ")
		}
		fmt.Fprintf(&b, "\n## %s\n\nMay import: %s. Why: %s.\n\n| package | what it is |\n|---|---|\n",
			strings.ToUpper(f.name[:1])+f.name[1:], may, f.why)
		for _, p := range folders[f.name] {
			name := "`" + p + "`"
			if p == "." {
				name = "the root"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", name, synopsis(p, comments[p]))
		}
	}
	golden(t, filepath.Join("docs", "packages.md"), b.String())
}

// synopsis is the first sentence of a package comment without what the name says anyway.
func synopsis(folder, comment string) string {
	if comment == "" {
		return "tests only"
	}
	text := new(doc.Package).Synopsis(comment)
	text = strings.TrimPrefix(text, "Package "+filepath.Base(folder)+" ")
	return strings.ReplaceAll(text, "|", "\\|")
}

// golden compares a page with what it should say, or writes it with -update.
func golden(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join(root, name), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, name); got != want {
		t.Errorf("%s differs from the code: run go test ./internal/test/house -run %s -update", name, t.Name())
	}
}

// TestPagesNameWhatExists: each file that the pages about the code name is there, and holds the function that is
// beside it.
func TestPagesNameWhatExists(t *testing.T) {
	t.Parallel()
	file := regexp.MustCompile("`((?:internal|cmd|client)/[a-z0-9_/]+(?:\\.go)?|[a-z_]+\\.go)`")
	row := regexp.MustCompile("(?m)^\\|.*\\| `([a-z0-9_/]+\\.go)` \\| `([A-Za-z]+)` \\|$")
	suite := regexp.MustCompile("`([a-z]+test)\\.([A-Z][A-Za-z]*)`")
	for _, name := range []string{"life-of-a-request.md", "where-to-change.md", "adding-a-driver.md"} {
		text := read(t, filepath.Join("docs", name))
		for _, m := range file.FindAllStringSubmatch(text, -1) {
			if _, err := fs.Stat(house, m[1]); err != nil && m[1] != "internal/NAME" {
				t.Errorf("docs/%s names %s: %v", name, m[1], err)
			}
		}
		for _, m := range row.FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile(`(?m)^func (\([^)]+\) )?` + m[2] + `\(`).MatchString(read(t, m[1])) {
				t.Errorf("docs/%s: %s has no function %s", name, m[1], m[2])
			}
		}
		for _, m := range suite.FindAllStringSubmatch(text, -1) {
			found := slices.ContainsFunc(moduleFiles(t), func(f goFile) bool {
				return f.folder == "internal/test/"+m[1] && slices.ContainsFunc(f.syntax.Decls, func(d ast.Decl) bool {
					fn, ok := d.(*ast.FuncDecl)
					return ok && fn.Recv == nil && fn.Name.Name == m[2]
				})
			})
			if !found {
				t.Errorf("docs/%s: there is no %s.%s", name, m[1], m[2])
			}
		}
	}
}
