package main

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/tools/measure/labelled"
)

// judge is a set as it is asked: the whole set, only one of its roles, or young memories of it.
type judge struct {
	*labelled.Set
	name   string // as it was given, without the folders before it
	source string // the folder of the set: judges of one source ask the same questions
}

// named is the content of an argument: a set or a folder of sets, and how they are asked.
type named struct {
	dir   string
	role  trilith.Role
	young int
}

// judges stores the sets that the arguments name. If it fails, nothing is left behind.
func judges(ctx context.Context, args []string, o labelled.Options) (all []judge, err error) {
	defer func() {
		if err != nil {
			closeAll(all)
			all = nil
		}
	}()
	for _, arg := range args {
		n := parseSet(arg)
		dirs, err := labelled.Sets(n.dir, nil)
		if err != nil {
			return all, err
		}
		o.Role, o.Young = n.role, n.young
		for _, dir := range dirs {
			set, err := labelled.Store(ctx, dir, o)
			if err != nil {
				return all, err
			}
			all = append(all, judge{set, filepath.Base(dir) + arg[len(n.dir):], filepath.Clean(dir)})
		}
	}
	return all, nil
}

func closeAll(all []judge) {
	for _, j := range all {
		j.Close()
	}
}

// parseSet reads PATH[@user|@assistant][@TURNS]. Text after a sign that is neither a role nor a number belongs to the
// path.
func parseSet(arg string) named {
	n := named{dir: arg}
	for {
		at := strings.LastIndexByte(n.dir, '@')
		if at < 1 {
			return n
		}
		what := n.dir[at+1:]
		if turns, err := strconv.Atoi(what); err == nil {
			n.young = turns
		} else if role := trilith.Role(what); role == trilith.RoleUser || role == trilith.RoleAssistant {
			n.role = role
		} else {
			return n
		}
		n.dir = n.dir[:at]
	}
}
