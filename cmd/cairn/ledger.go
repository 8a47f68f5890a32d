package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/sqlite"
)

// ledger is the file PATH.erased beside a store: what was erased, as ids and salted hashes, one line an erasure. It is not
// part of a backup, so that restoring an old backup can be made to forget what was erased since.
type ledger string

type ledgerLine struct {
	Tenant string       `json:"tenant"`
	Erased cairn.Erased `json:"erased"`
}

func (l ledger) path() string { return string(l) + ".erased" }

// Append writes one erasure and waits until it is on the disk.
func (l ledger) Append(tenant string, e cairn.Erased) error {
	line, err := json.Marshal(ledgerLine{tenant, e})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// lines reads the ledger; one that does not exist is empty. A torn last line, left by a crash, is passed over: the erasure
// it belongs to was not acknowledged.
func (l ledger) lines() ([]ledgerLine, error) {
	f, err := os.Open(l.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []ledgerLine
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return out, nil
		}
		var v ledgerLine
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, cairn.Errorf(cairn.Internal, "%s: line %d is not readable: %w", l.path(), len(out)+1, err)
		}
		out = append(out, v)
	}
}

// eachErasure calls f with every erasure that a store's truth holds.
func eachErasure(ctx context.Context, store *sqlite.Store, f func(tenant string, e cairn.Erased) error) error {
	tenants, err := store.Tenants(ctx, cairn.AsSystem("restore"))
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		rs, err := store.Records(ctx, cairn.Scope{Tenant: tenant}, cairn.RecordListing{Kind: cairn.RecordReceipt})
		if err != nil {
			return err
		}
		for _, r := range rs {
			var e cairn.Erased
			if err := json.Unmarshal(r.Body, &e); err != nil {
				return err
			}
			if err := f(tenant, e); err != nil {
				return err
			}
		}
	}
	return nil
}
