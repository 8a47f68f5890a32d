package transfer

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
)

// Bounds of a run.
const (
	// DefaultWorkers is the number of parallel requests: enough to share the cost of a durable write among them.
	DefaultWorkers = 16
	// KeptBadLines is how many bad lines a report lists; it only counts the rest.
	KeptBadLines = 100

	// exported items of one Restore, or facts of one ImportFacts: half of a store's batch, because sources add records
	batchItems = 500
	batchBytes = 4 << 20 // of their text
)

// Target receives the items: the engine, or a client of one. Its methods are safe for concurrent use.
type Target interface {
	Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error)
	// Restore stores exported items as they are; skipped counts those that exist already or were erased.
	Restore(ctx context.Context, s trilith.Scope, items []trilith.ExportItem) (stored, skipped int, err error)
	// ImportFacts stores facts of another application, and that application's later changes of them.
	ImportFacts(ctx context.Context, s trilith.Scope, facts []trilith.ForeignFact) (trilith.ImportedFacts, error)
	// PutMedia stores a file for a model to read.
	PutMedia(ctx context.Context, s trilith.Scope, m trilith.NewMedia) (trilith.StoredMedia, error)
	Registry
}

// Options say how to run.
type Options struct {
	Scope   trilith.Scope      // destination; a value set here replaces that of the file
	Strict  bool               // the first bad line ends the run
	Extract trilith.Extraction // derive facts from requests; empty: do not
	Profile string             // extraction profile; empty: that of the project or tenant
	Author  string             // the speaker of documents: a name, or "me" for the user of Scope; empty: unknown
	// Fallback is the profile for a project or a tenant that chooses none; empty: the profile that a file names for its
	// folder, unless Scope names another project.
	Fallback string
	Local    bool // folders that the files name are of this machine, and looked at
	// check the fate of requests and store nothing; exported items and foreign facts are counted only
	DryRun   bool
	Workers  int              // DefaultWorkers if 0
	Progress func(Progress)   // told after each request, by one caller at a time; may be nil
	Now      func() time.Time // time.Now if nil
}

// Progress counts the items done so far.
type Progress struct {
	Stored, Duplicates, Rejected, BadLines int
}

// Report is the outcome of a file.
type Report struct {
	Stored       int            `json:"stored"`             // memories that are new; of an export: items
	Updated      int            `json:"updated,omitempty"`  // facts that have changed since they were imported
	Duplicates   int            `json:"duplicates"`         // there already
	Rejected     map[string]int `json:"rejected,omitempty"` // by the words of trilith's reasons, duplicates left out
	Omitted      map[string]int `json:"omitted,omitempty"`  // left out on purpose, by name
	BadLines     []LineError    `json:"bad_lines,omitempty"`
	BadLineCount int            `json:"bad_line_count"`
	Sources      int            `json:"sources"`           // requests that stored something, and exported sources sent
	Vectors      int            `json:"vectors,omitempty"` // embeddings that were kept
	Seconds      float64        `json:"seconds"`
}

// Run sends items to the target, several requests at a time; those of one session, and all exported items, keep their
// order. An item that cannot be stored ([trilith.OfItem]) or read is reported and left out, unless Strict; a request
// is divided until that item is by itself. Any other error ends the run; everything that the report counts by then is
// stored, and another run continues from there, because items with an external id are stored once.
func Run(ctx context.Context, t Target, items iter.Seq2[Item, error], o Options) (Report, error) {
	if o.Workers <= 0 {
		o.Workers = DefaultWorkers
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &runner{target: t, o: o, seed: maphash.MakeSeed(), projects: map[string]string{}}
	start := o.Now()
	g, gctx := errgroup.WithContext(ctx)
	queues := make([]chan []Item, o.Workers)
	for i := range queues {
		queues[i] = make(chan []Item, 1)
		g.Go(func() error {
			for batch := range queues[i] {
				if err := r.send(gctx, batch); err != nil {
					return err
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		defer func() {
			for _, queue := range queues {
				close(queue)
			}
		}()
		return r.deal(gctx, items, queues)
	})
	err := g.Wait()
	if err == nil {
		err = ctx.Err()
	}
	r.report.Seconds = o.Now().Sub(start).Seconds()
	return r.report, err
}

type runner struct {
	target   Target
	o        Options
	seed     maphash.Seed
	projects map[string]string // by folder

	mu     sync.Mutex
	report Report
}

// inTurn is the shared key of requests that have to be stored in order: those of a session, and those with one id,
// where the first is stored and the others are its duplicates.
type inTurn struct {
	scope trilith.Scope
	id    string
}

// deal hands the items out to the queues: requests by their session and id, exported items in batches to the first.
func (r *runner) deal(ctx context.Context, items iter.Seq2[Item, error], queues []chan []Item) error {
	var batch []Item
	size, next := 0, 0
	put := func(queue int, b []Item) error {
		select {
		case queues[queue] <- b:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		b := batch
		batch, size = nil, 0
		return put(0, b)
	}
	for item, err := range items {
		if bad, ok := errors.AsType[*LineError](err); ok {
			err = r.bad(*bad)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		r.omit(item.Omitted)
		switch {
		case item.Export != nil || item.Fact != nil:
			batch = append(batch, item)
			size += textBytes(item)
			if len(batch) == batchItems || size >= batchBytes {
				err = flush()
			}
		case item.Media != nil:
			item.Scope = merge(r.o.Scope, item.Scope)
			err = put(next, []Item{item})
			next = (next + 1) % len(queues)
		case item.Request != nil:
			if item.Scope.Project, err = r.projectOf(ctx, &item); err != nil {
				return err
			}
			if own := item.Scope.Project; r.o.Fallback != "" || merge(r.o.Scope, item.Scope).Project != own {
				item.Request.Fallback = r.o.Fallback
			}
			item.Scope = merge(r.o.Scope, item.Scope)
			together := inTurn{scope: item.Scope}
			if item.Scope.Session == "" {
				together.id = item.Request.ExternalID
			}
			queue := next
			if item.Scope.Session == "" && together.id == "" {
				next = (next + 1) % len(queues)
			} else {
				queue = int(maphash.Comparable(r.seed, together) % uint64(len(queues)))
			}
			err = put(queue, []Item{item})
		}
		if err != nil {
			return err
		}
	}
	return flush()
}

// projectOf returns the project of an item: that of its folder, unless the destination or the file names one.
func (r *runner) projectOf(ctx context.Context, item *Item) (string, error) {
	if item.Folder == "" || r.o.Scope.Project != "" {
		return item.Scope.Project, nil
	}
	if known := r.projects[item.Folder]; known != "" {
		return known, nil
	}
	f := Folder{Root: item.Folder}
	if r.o.Local {
		f = FolderOf(item.Folder)
	}
	project, err := ProjectOf(ctx, r.target, r.o.Scope, f, r.o.DryRun)
	r.projects[item.Folder] = project
	return project, err
}

// textBytes returns the size of an item's text in a batch.
func textBytes(item Item) int {
	switch {
	case item.Fact != nil:
		return len(item.Fact.Memory.Text)
	case item.Export.Memory != nil:
		return len(item.Export.Memory.Text)
	case item.Export.Media != nil:
		return len(item.Export.Media.Data)
	}
	return 0
}

func (r *runner) send(ctx context.Context, batch []Item) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if batch[0].Request != nil {
		return r.remember(ctx, batch[0])
	}
	if batch[0].Fact != nil {
		return r.importFacts(ctx, batch)
	}
	if batch[0].Media != nil {
		return r.putMedia(ctx, batch[0])
	}
	exports := make([]trilith.ExportItem, len(batch))
	sources := 0
	for i, item := range batch {
		exports[i] = *item.Export
		if exports[i].Source != nil {
			sources++
		}
	}
	if r.o.DryRun {
		r.add(func() { r.report.Stored += len(batch) })
		return nil
	}
	stored, skipped, err := r.target.Restore(ctx, r.o.Scope, exports)
	if trilith.OfItem(err) && len(batch) > 1 {
		// One item spoils the batch, so the items are sent one by one.
		for i := range batch {
			if err := r.send(ctx, batch[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return r.refused(batch[0], err)
	}
	r.add(func() {
		r.report.Stored += stored
		r.report.Duplicates += skipped
		r.report.Sources += sources
	})
	return nil
}

func (r *runner) remember(ctx context.Context, item Item) error {
	req := *item.Request
	req.Extract, req.Profile, req.DryRun = r.o.Extract, r.o.Profile, r.o.DryRun
	if req.Document != nil && r.o.Author == "me" {
		req.Role = trilith.RoleUser
	} else if req.Document != nil {
		req.Speaker = r.o.Author
	}
	res, err := r.target.Remember(ctx, item.Scope, req)
	if refused, ok := errors.AsType[*trilith.Refused](err); ok {
		res.Rejected, err = refused.Rejected, nil
	}
	if trilith.OfItem(err) {
		// One message spoils the request, so it is divided until that message is by itself.
		if first, second, ok := halves(item, err); ok {
			if err := r.remember(ctx, first); err != nil {
				return err
			}
			return r.remember(ctx, second)
		}
		return r.bad(LineError{Path: item.Path, Line: item.Line, Err: named(req, err)})
	}
	if err != nil {
		return r.refused(item, err)
	}
	r.add(func() {
		r.report.Stored += len(res.Memories)
		r.report.Vectors += res.Vectors
		if req.Vector != nil && len(res.Memories) > res.Vectors && !req.DryRun {
			count(&r.report.Omitted, embedAgain, 1)
		}
		if res.SourceID != "" {
			r.report.Sources++
		}
		for _, rej := range res.Rejected {
			if rej.Reason == trilith.ReasonDuplicate {
				r.report.Duplicates++
				continue
			}
			count(&r.report.Rejected, rej.Reason, 1)
		}
	})
	return nil
}

// omit counts the parts left out on purpose.
func (r *runner) omit(omitted map[string]int) {
	if len(omitted) == 0 {
		return
	}
	r.add(func() {
		for what, n := range omitted {
			count(&r.report.Omitted, what, n)
		}
	})
}

func count(m *map[string]int, what string, n int) {
	if *m == nil {
		*m = make(map[string]int)
	}
	(*m)[what] += n
}

// refused turns an error of the item into a bad line; any other ends the run.
func (r *runner) refused(item Item, err error) error {
	if !trilith.OfItem(err) {
		return trilith.WrapError(trilith.Internal, "transfer.Run", err)
	}
	return r.bad(LineError{Path: item.Path, Line: item.Line, Err: err})
}

func (r *runner) bad(e LineError) error {
	r.add(func() {
		r.report.BadLineCount++
		if len(r.report.BadLines) < KeptBadLines {
			r.report.BadLines = append(r.report.BadLines, e)
		}
	})
	if r.o.Strict {
		return &e
	}
	return nil
}

// add changes the report and tells of it.
func (r *runner) add(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	p := Progress{Stored: r.report.Stored, Duplicates: r.report.Duplicates, BadLines: r.report.BadLineCount}
	for n := range maps.Values(r.report.Rejected) {
		p.Rejected += n
	}
	if r.o.Progress != nil {
		r.o.Progress(p)
	}
}

// merge replaces values of own by those that to sets.
func merge(to, own trilith.Scope) trilith.Scope {
	for _, f := range []struct {
		to  *string
		own string
	}{{&to.Project, own.Project}, {&to.Domain, own.Domain}, {&to.User, own.User},
		{&to.Agent, own.Agent}, {&to.Session, own.Session}, {&to.Channel, own.Channel}} {
		if *f.to == "" {
			*f.to = f.own
		}
	}
	return to
}
