package scenario

import "strings"

// doomed is a kind of memory on its way to be deleted. Its twin is written and shared in the same way and stays: where
// the one must not be found the other has to be, or the step would prove nothing.
type doomed struct {
	kind        string
	write, twin string // lines that store the two and call them gone and kept
	text, other string // words of the two
	query       string // finds both
	entity      string // whose facts they are; empty: no facts
	target      string // how forget and erase name it; "gone" if empty
	files       string // of the story
}

var doomedKinds = []doomed{
	{kind: "episode", text: "diagnosis letter", other: "piano invoice", query: "What lies in the green folder?",
		write: `remember user=ana session=s at=2025-03-01 id=gone as=gone 'The diagnosis letter lies in the green folder.'`,
		twin:  `remember user=ana session=s at=2025-03-01 id=kept as=kept 'The piano invoice lies in the green folder.'`},
	{kind: "note", text: "diagnosis letter", other: "piano invoice", query: "What lies in the green folder?",
		write: `note user=ana at=2025-03-01 id=gone as=gone 'The diagnosis letter lies in the green folder.'`,
		twin:  `note user=ana at=2025-03-01 id=kept as=kept 'The piano invoice lies in the green folder.'`},
	{kind: "entry", text: "diagnosis letter", other: "piano invoice", query: "What lies in the green folder?",
		write: `entry user=ana at=2025-03-01 id=gone as=gone title=Health 'The diagnosis letter lies in the green folder.'`,
		twin:  `entry user=ana at=2025-03-01 id=kept as=kept title=Music 'The piano invoice lies in the green folder.'`},
	{kind: "passage", text: "diagnosis letter", other: "piano invoice", query: "What lies in the green folder?",
		write: `document user=ana at=2025-03-01 id=gone as=gone health.md`,
		twin:  `document user=ana at=2025-03-01 id=kept as=kept music.md`,
		files: "-- health.md --\nThe diagnosis letter lies in the green folder.\n-- music.md --\nThe piano invoice lies in the green folder.\n"},
	{kind: "fact", text: "is allergic to walnuts", other: "lives in Oslo",
		query: "Does Ana live in Oslo, is she allergic to walnuts?", entity: "name:Ana",
		write: `assimilate user=ana at=2025-03-01 id=gone as=gone name:Ana 'I am allergic to walnuts.'`,
		twin:  `assimilate user=ana at=2025-03-01 id=kept as=kept name:Ana 'I live in Oslo.'`},
	{kind: "words", text: "allergic to walnuts", other: "lives in Oslo",
		query: "Does Ana live in Oslo, is she allergic to walnuts?", entity: "name:Ana",
		write: `assimilate user=ana at=2025-03-01 id=gone as=gone words=words name:Ana 'I am allergic to walnuts.'`,
		twin:  `assimilate user=ana at=2025-03-01 id=kept as=kept name:Ana 'I live in Oslo.'`, target: "words"},
}

var ways = []string{"forget", "erase"} // of deleting

// deletions are the thirteen steps for every kind of memory and both ways of deleting: it is written, found, deleted
// and gone; sent again, and gone; all background jobs are run, and it is gone; absent from facts, graph, vectors, text
// index, lists and summaries, from exports and from backups; the deletion is in the log; and where it was shared to
// before it is gone too.
func deletions() []made {
	var out []made
	for _, d := range doomedKinds {
		for _, way := range ways {
			out = append(out, made{"deletion/" + d.kind + "/" + way, d.story(way)})
		}
	}
	return out
}

func (d doomed) story(way string) string {
	var b strings.Builder
	line := func(parts ...string) { b.WriteString(strings.Join(parts, " ") + "\n") }
	target := d.target
	if target == "" {
		target = "gone"
	}
	line(d.write)
	line(d.twin)
	line("share as=shared user=ben gone")
	line("share user=ben kept")
	line("jobs")
	d.expect(line, way, "has")
	if way == "erase" { // no ledger knows forgotten memories: an older backup brings them back, as it should
		line("backup")
	}
	line(way, target)
	if way == "forget" {
		line("backup")
	}
	line("audit") // before the memory moves: its log stays where it was
	line("expect audited share shared")
	line("expect audited", way)
	for _, then := range []string{"", "again gone", "jobs", "reindex", "again gone", "move", "again gone", "jobs",
		"restore", "again gone", "jobs"} {
		if line(then); then == "" || !strings.HasPrefix(then, "again") {
			d.expect(line, way, "never")
		}
	}
	return b.String() + d.files
}

// expect looks for the two wherever one could be found: all of it has the twin, and has the other or never has it.
func (d doomed) expect(line func(...string), way, what string) {
	check := func(command ...string) {
		line(command...)
		line("expect has", quoted(d.other))
		if what == "has" {
			line("expect has", quoted(d.text))
		} else {
			line("expect never", quoted(d.text), "but", quoted(d.other))
		}
	}
	for _, scope := range []string{"user=ana", "user=ben", "tenant=" + Tenant} {
		for _, arms := range []string{"", "arms=lexical", "arms=dense"} {
			check("recall k=50", scope, arms, quoted(d.query))
		}
		check("list state=active", scope)
		line("context", scope, quoted(d.query))
		line("expect contains", quoted(d.other))
		if what == "has" {
			line("expect contains", quoted(d.text))
		} else if d.kind != "fact" { // words stay as they were said
			line("expect never", quoted(d.text))
		}
		if d.entity != "" {
			check("lookup", scope, d.entity)
			check("lookup hops=2 query="+quoted(d.query), scope, d.entity)
			check("facts", scope)
			line("summary query="+quoted(d.query), scope, d.entity)
			line("expect contains", quoted(d.other))
			if what == "never" {
				line("expect never", quoted(d.text))
			}
		}
		if way == "erase" { // an export holds forgotten memories, and that they are forgotten
			check("export", scope)
		}
	}
}

// quoted writes a word of a story.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
