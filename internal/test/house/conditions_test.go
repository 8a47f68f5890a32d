package house_test

import (
	"go/ast"
	"go/printer"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestConditionsAssignNothing: an if does not assign to a variable of before it that its condition does not look at. Such
// an assignment is a step of its own, and a reader of conditions overlooks it.
func TestConditionsAssignNothing(t *testing.T) {
	t.Parallel()
	for _, f := range moduleFiles(t) {
		if f.test || strings.HasPrefix(f.folder, "internal/test/") {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if s, ok := n.(*ast.IfStmt); ok {
				targets := assigned(s.Init)
				used := func(e ast.Expr) bool { return looksAt(s.Cond, source(e)) }
				if len(targets) > 0 && !slices.ContainsFunc(targets, used) {
					t.Errorf("%s: an if assigns to %s and asks for something else; assign before it", f.position(s.Pos()),
						source(targets[0]))
				}
			}
			return true
		})
	}
}

// assigned returns what a statement assigns to, if it declares nothing.
func assigned(s ast.Stmt) []ast.Expr {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			return s.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{s.X}
	}
	return nil
}

func looksAt(condition ast.Expr, name string) (found bool) {
	ast.Inspect(condition, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && source(e) == name {
			found = true
		}
		return !found
	})
	return found
}

func source(e ast.Expr) string {
	var b strings.Builder
	_ = printer.Fprint(&b, token.NewFileSet(), e)
	return b.String()
}
