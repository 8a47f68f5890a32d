package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Operator has the operations of the person who runs a memory. A memory under test offers it beside [Memory], by itself
// or with [Through].
type Operator interface {
	Work(ctx context.Context) error
	Settle(ctx context.Context) error
	Reindex(ctx context.Context, progress func(done, total int)) (trilith.ReindexResult, error)
	Audit(ctx context.Context, s trilith.Scope, after int64, limit int) ([]trilith.AuditEntry, error)
	Reextract(ctx context.Context, s trilith.Scope, r trilith.ReextractRequest) (trilith.Reextraction, error)
	Restore(ctx context.Context, s trilith.Scope, items []trilith.ExportItem) (stored, skipped int, err error)
}

// Through returns a memory that is talked to through m and operated by o: a client, and the engine behind it.
func Through(m Memory, o Operator) Memory {
	return struct {
		Memory
		Operator
	}{m, o}
}

// Backuper is a memory that can copy itself. The returned function ends the memory, replaces it by the copy and opens
// it. For a memory that is none, a backup is an export.
type Backuper interface {
	Backup(ctx context.Context) (restore func(ctx context.Context) (Memory, error), err error)
}

// operate runs the commands on a memory as a whole.
func (p *player) operate(ctx context.Context, st step) error {
	if st.command == "export" {
		return p.export(ctx, scope(st))
	}
	o, ok := p.memory.(Operator)
	if !ok {
		return mistake("%s: the memory has no operator", st.command)
	}
	switch st.command {
	case "jobs":
		return rest(ctx, o)
	case "reindex":
		_, err := o.Reindex(ctx, nil)
		return err
	case "reextract":
		if _, err := o.Reextract(ctx, scope(st), trilith.ReextractRequest{}); err != nil {
			return err
		}
		return rest(ctx, o)
	case "audit":
		var err error
		p.last.entries, err = o.Audit(ctx, scope(st), 0, trilith.MaxPageSize)
		return err
	case "move":
		items, err := p.items(ctx)
		if err != nil {
			return err
		}
		return p.begin(ctx, items)
	case "backup":
		return p.copy(ctx)
	}
	if p.backup == nil { // restore
		return mistake("there is no backup to restore")
	}
	var err error
	p.memory, err = p.backup(ctx)
	return err
}

// rest waits until everything that follows from what was written is done.
func rest(ctx context.Context, o Operator) error {
	if err := o.Work(ctx); err != nil {
		return err
	}
	return o.Settle(ctx)
}

// copy makes a backup.
func (p *player) copy(ctx context.Context) (err error) {
	if b, ok := p.memory.(Backuper); ok {
		p.backup, err = b.Backup(ctx)
		return err
	}
	items, err := p.items(ctx)
	p.backup = func(ctx context.Context) (Memory, error) {
		since, err := p.items(ctx)
		if err != nil {
			return nil, err
		}
		if err := p.begin(ctx, items); err != nil {
			return nil, err
		}
		for tenant, its := range since { // what was erased since is known beside every backup
			its = slices.DeleteFunc(its, func(it trilith.ExportItem) bool { return it.Erased == nil })
			if _, _, err := p.memory.(Operator).Restore(ctx, trilith.Scope{Tenant: tenant, Actor: "story"},
				its); err != nil {
				return nil, err
			}
		}
		return p.memory, nil
	}
	return err
}

// items exports every tenant that the story speaks of, as files would carry them.
func (p *player) items(ctx context.Context) (map[string][]trilith.ExportItem, error) {
	out := map[string][]trilith.ExportItem{}
	for _, st := range p.story.steps {
		tenant := scope(st).Tenant
		if out[tenant] != nil {
			continue
		}
		if err := p.export(ctx, trilith.Scope{Tenant: tenant, Actor: "story"}); err != nil {
			return nil, err
		}
		for d := json.NewDecoder(strings.NewReader(p.last.text)); d.More(); {
			var it trilith.ExportItem
			if err := d.Decode(&it); err != nil {
				return nil, err
			}
			out[tenant] = append(out[tenant], it)
		}
		p.last = answer{}
	}
	return out, nil
}

// begin goes on in a fresh memory that holds the items.
func (p *player) begin(ctx context.Context, items map[string][]trilith.ExportItem) error {
	p.memory = p.open()
	o, ok := p.memory.(Operator)
	if !ok {
		return mistake("the memory has no operator")
	}
	for tenant, its := range items {
		for chunk := range slices.Chunk(its, role.MaxBatch) {
			if _, _, err := o.Restore(ctx, trilith.Scope{Tenant: tenant, Actor: "story"}, chunk); err != nil {
				return err
			}
		}
	}
	return rest(ctx, o)
}

// export writes what a scope holds as one line an item.
func (p *player) export(ctx context.Context, s trilith.Scope) error {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	for item, err := range p.memory.Export(ctx, s) {
		if err != nil {
			return err
		}
		if err := lines.Encode(item); err != nil {
			return err
		}
		if item.Memory != nil {
			p.last.memories = append(p.last.memories, *item.Memory)
		}
	}
	p.last.text = b.String()
	return nil
}
