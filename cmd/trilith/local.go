package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/schollz/progressbar/v3"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/hub"
)

type localCmd struct {
	List   localListCmd   `cmd:"" help:"List the models that are known by name and those that are here."`
	Pull   localPullCmd   `cmd:"" help:"Fetch a model from a hub, or out of a folder, and check every file of it."`
	Verify localVerifyCmd `cmd:"" help:"Hash the files of a model again."`
	Remove localRemoveCmd `cmd:"" help:"Delete a model from this machine."`
}

type localListCmd struct{}

// Run shows the catalogue and the models in the folder, without a request.
func (c *localListCmd) Run(a *app) error {
	models, err := hub.List(a.Models)
	return a.told(map[string]any{"dir": a.Models, "items": models}, err, func() {
		a.out.table([]string{"NAME", "STATE", "DIMS", "SIZE", "LICENCE", "WHERE"}, rows(models, func(m *hub.Listed) []string {
			size, where, dims := "?", m.Repository, "-"
			if m.Dims > 0 {
				dims = strconv.Itoa(m.Dims)
			}
			if n := m.Size(); n > 0 {
				size = hub.Bytes(n)
			}
			if m.State != hub.Absent {
				size, where = hub.Bytes(m.Bytes), m.Path
			}
			return []string{m.Name, string(m.State), dims, size, cmp.Or(m.License, "unknown"), where}
		}))
	})
}

type localPullCmd struct {
	Name     string `arg:"" help:"A name of trilith model list, or OWNER/NAME of any repository."`
	From     string `help:"Folder on this machine that somebody brought the model in; nothing is asked over the network." placeholder:"DIR" type:"existingdir" path:""`
	Hub      string `help:"Address of the hub or of a mirror of it; https, or http on this machine." default:"${hub}" placeholder:"URL"`
	Revision string `help:"Commit, branch or tag; the catalogue's, or main." placeholder:"REV"`
	SHA256   string `help:"Expected SHA-256 of the weights, model.safetensors." name:"sha256" placeholder:"HEX"`
}

// pulled is the result of a pull.
type pulled struct {
	hub.Model
	Path string `json:"path"`
}

// Run prints the order before the first request, and again when the hub has completed it.
func (c *localPullCmd) Run(ctx context.Context, a *app) error {
	order, err := hub.Order(c.Name, c.Revision, c.SHA256)
	if err != nil {
		return err
	}
	b := a.bar(order.Name, order.Size(), progressbar.OptionShowBytes(true))
	p := &hub.Puller{Dir: a.Models, Progress: b.set}
	m, path, here, err := p.Here(ctx, order)
	if err == nil && !here {
		m, path, err = c.pull(ctx, a, p, order)
	}
	b.finish()
	if err != nil {
		return err
	}
	return a.out.result(pulled{m, path}, func() {
		if here {
			a.out.linef("%s is here already, every hash right: %s", m.Name, path)
			return
		}
		a.out.linef("%s is in %s, every hash right", m.Name, path)
	})
}

func (c *localPullCmd) pull(ctx context.Context, a *app, p *hub.Puller, order hub.Model) (hub.Model, string, error) {
	say := a.out.w
	if a.JSON {
		say = a.stderr // the answer is the document
	}
	if c.From != "" {
		fmt.Fprintf(say, "Copying %s (%s) from %s to %s\n", order.Name, order.Repository, c.From, a.Models)
		m, path, err := p.Carry(ctx, c.From, order)
		if err == nil {
			believed(say, m, hub.PinCopy, "what was copied")
		}
		return m, path, err
	}
	client, err := hub.NewClient(hub.Options{Address: c.Hub, Token: a.hubToken})
	if err != nil {
		return order, "", err
	}
	if !order.Complete() {
		fmt.Fprintf(say, "Asking %s what %s is made of at revision %s; size not known before, licence: %s\n",
			client.Address(), order.Repository, cmp.Or(order.Revision, "main"), cmp.Or(order.License, "unknown"))
	}
	m, err := client.Complete(ctx, order)
	if err != nil {
		return order, "", err
	}
	fmt.Fprintf(say, "Fetching %s (%s at revision %s) from %s to %s: %d files, %s, licence: %s\n",
		m.Name, m.Repository, m.Revision, client.Address(), a.Models, len(m.Files), hub.Bytes(m.Size()),
		cmp.Or(m.License, "unknown"))
	believed(say, m, hub.PinHub, "what the hub says")
	return p.Pull(ctx, client, m)
}

// believed says for which files only their origin vouches.
func believed(say io.Writer, m hub.Model, pin hub.Pin, what string) {
	n := 0
	for _, f := range m.Files {
		if f.Pin == pin {
			n++
		}
	}
	switch {
	case n == 0:
		fmt.Fprintf(say, "All %d hashes were known before\n", len(m.Files))
	case m.Pinned():
		fmt.Fprintf(say, "The hash of the weights was known before. For %d of %d files there was none: %s is believed this once, noted in %s and checked from now on\n", n, len(m.Files), what, hub.LockFile)
	default:
		fmt.Fprintf(say, "No hash of the weights was known before: for %d of %d files %s is believed this once, noted in %s and checked from now on. If you know the hash of the weights, give it with --sha256\n", n, len(m.Files), what, hub.LockFile)
	}
}

type localVerifyCmd struct {
	Name string `arg:"" help:"Name of the model."`
}

// Run fails if a file is not as expected.
func (c *localVerifyCmd) Run(ctx context.Context, a *app) error {
	b := a.bar("hashing "+c.Name, 1, progressbar.OptionShowBytes(true))
	checked, err := hub.Verify(ctx, a.Models, c.Name, b.set)
	b.finish()
	if err != nil {
		return err
	}
	bad := 0
	rows := make([][]string, len(checked))
	for i, f := range checked {
		rows[i] = []string{f.Path, hub.Bytes(f.Size), string(f.Pin), a.out.good("right")}
		if f.Problem != "" {
			bad++
			rows[i][3] = a.out.bad(f.Problem)
		}
	}
	err = a.out.result(map[string]any{"name": c.Name, "ok": bad == 0, "files": checked}, func() {
		a.out.table([]string{"FILE", "SIZE", "SAID BY", "HASH"}, rows)
	})
	if err == nil && bad > 0 {
		err = trilith.Errorf(trilith.Conflict,
			"model: %d of %d files of %s are damaged; run trilith model remove %s and pull it again", bad,
			len(checked), c.Name, c.Name)
	}
	return err
}

type localRemoveCmd struct {
	Name string `arg:"" help:"Name of the model."`
}

// Run asks nothing: a model can be had again.
func (c *localRemoveCmd) Run(a *app) error {
	freed, err := hub.Remove(a.Models, c.Name)
	return a.told(map[string]any{"name": c.Name, "freed": freed}, err, func() {
		a.out.linef("%s is removed from %s, %s are free again", c.Name, a.Models, hub.Bytes(freed))
	})
}
