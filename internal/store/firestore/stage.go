package firestore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
)

const (
	inline     = 100 << 10 // a larger body is split into chunks
	chunkBytes = 700 << 10 // of a chunk; with their encoding three of them fill a request
	chunksEach = 3
	bodiesEach = 1 << 20 // of the bodies that one commit carries
	// of the documents in one commit; the rest of a request is for claims, audit and jobs
	commitBytes = 5 << 19
	stale       = time.Hour
	sideBySide  = 4 // parallel calls of one caller
)

// staging is the data that is written before a commit: bodies that are too large for it, under names that are used
// once. A marker document records that they wait for the commit, which deletes the marker. So the data of a process
// that died in between is found and removed.
type staging struct {
	marker string // path of the marker; "" if nothing was staged
	chunks []string
}

// stage writes bodies, largest first, until the rest fits into one commit. All fields are of the tenant's documents.
func (db *database) stage(ctx context.Context, tenant string, all []fields) (st staging, err error) {
	total, room := 0, commitBytes
	for _, f := range all {
		n := len(f.octets(fieldBody))
		total += n
		room -= sizeOf(f) - n*4/3
	}
	room = min(bodiesEach, room*3/4)
	bySize := slices.SortedFunc(slices.Values(all), func(a, b fields) int {
		return cmp.Compare(len(b.octets(fieldBody)), len(a.octets(fieldBody)))
	})
	type part struct {
		path string
		data []byte
	}
	var parts []part
	var names []string
	for _, f := range bySize {
		body := f.octets(fieldBody)
		if len(body) <= inline && total <= room || len(body) == 0 {
			break
		}
		total -= len(body)
		blob, n := randomName(), 0
		for some := range slices.Chunk(body, chunkBytes) {
			parts = append(parts, part{db.chunk(tenant, blob, n), some})
			n++
		}
		delete(f, fieldBody)
		f[fieldBlob], f[fieldChunks] = text(blob), number(int64(n))
		names = append(names, blob+"~"+strconv.Itoa(n))
	}
	if len(parts) == 0 {
		return st, nil
	}
	st.marker = join(db.root, stagedIn, randomName())
	mark := fields{fieldAt: number(db.now().UnixMicro()), "tenant": text(tenant), "blobs": texts(names)}
	if err := db.c.commitAgain(ctx, []write{db.put(st.marker, mark, nil)}); err != nil {
		return st, err
	}
	var running errgroup.Group
	running.SetLimit(sideBySide)
	var ws []write
	size := 0
	flush := func() {
		some := ws
		ws, size = nil, 0
		running.Go(func() error { return db.c.commitAgain(ctx, some) })
	}
	for _, p := range parts {
		if size+len(p.data) > chunksEach*chunkBytes || len(ws) == 400 {
			flush()
		}
		ws = append(ws, db.put(p.path, fields{fieldBody: octets(p.data)}, nil))
		size += len(p.data)
		st.chunks = append(st.chunks, p.path)
	}
	flush()
	return st, running.Wait()
}

func randomName() string {
	var b [12]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// unstage removes the staged data of a commit that was not made and will not be.
func (db *database) unstage(ctx context.Context, st staging) {
	if st.marker == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	_ = db.remove(ctx, st.chunks) // otherwise the sweep finds them by the marker
	_ = db.c.commitAgain(ctx, []write{db.drop(st.marker)})
}

// remove deletes documents by path.
func (db *database) remove(ctx context.Context, paths []string) error {
	for some := range slices.Chunk(paths, 400) {
		ws := make([]write, len(some))
		for i, p := range some {
			ws[i] = db.drop(p)
		}
		if err := db.c.commitAgain(ctx, ws); err != nil {
			return err
		}
	}
	return nil
}

// upkeep does maintenance that no caller requests.
type upkeep struct{ *database }

// Purge is documented at [role.Upkeep]: it removes the staged data of commits that were never made.
func (u *upkeep) Purge(ctx context.Context) error {
	if err := u.ready(ctx); err != nil {
		return err
	}
	before := u.now().Add(-stale).UnixMicro()
	for {
		q := of(stagedIn, false).where(fieldAt, "LESS_THAN", number(before)).by(fieldAt, ascending).limit(100)
		marks, err := u.c.run(ctx, u.root, q)
		if err != nil || len(marks) == 0 {
			return failed("firestore.Purge", err)
		}
		for i := range marks {
			if err := u.sweep(ctx, marks[i]); err != nil {
				return failed("firestore.Purge", err)
			}
		}
	}
}

// sweep deletes the marker first: a commit that arrives late finds it missing, and fails.
func (u *upkeep) sweep(ctx context.Context, mark *document) error {
	path := u.c.path(mark.Name)
	_, err := u.c.commit(ctx, []write{{Delete: mark.Name, Current: unchanged(mark)}})
	if f := asFailure(err); f != nil && f.moved() {
		return nil // its commit was made
	}
	if err != nil {
		return err
	}
	var chunks []string
	if list := mark.Fields["blobs"].List; list != nil {
		for _, v := range list.Values {
			if v.Text == nil {
				continue
			}
			blob, count, _ := strings.Cut(*v.Text, "~")
			n, _ := strconv.Atoi(count)
			chunks = append(chunks, u.chunksOf(mark.Fields.text("tenant"),
				fields{fieldBlob: text(blob), fieldChunks: number(int64(n))})...)
		}
	}
	if err := u.remove(ctx, chunks); err != nil { // restore the marker, so that the next sweep continues
		_ = u.c.commitAgain(context.WithoutCancel(ctx), []write{u.put(path, mark.Fields, nil)})
		return err
	}
	return nil
}

// errReplaced says that the chunks of a document were gone when they were read: the document was replaced.
var errReplaced = trilith.Errorf(trilith.Unavailable, "the value was replaced while it was read; repeat the request")

// chunksAtOnce is how many chunks one call reads: some megabytes.
const chunksAtOnce = 12

// bodies reads the chunks of a tenant's documents.
func (db *database) bodies(ctx context.Context, tenant string, docs []*document) error {
	for _, d := range docs {
		paths := db.chunksOf(tenant, d.Fields)
		if len(paths) == 0 {
			continue
		}
		var body []byte
		for some := range slices.Chunk(paths, chunksAtOnce) {
			got, err := db.c.get(ctx, some)
			if err != nil {
				return err
			}
			for _, p := range some {
				if got[p] == nil {
					return errReplaced
				}
				body = append(body, got[p].Fields.octets(fieldBody)...)
			}
		}
		d.Fields[fieldBody] = octets(body)
	}
	return nil
}

// chunksOf returns the paths of a document's chunks.
func (db *database) chunksOf(tenant string, f fields) []string {
	blob := f.text(fieldBlob)
	if blob == "" {
		return nil
	}
	out := make([]string, f.number(fieldChunks))
	for i := range out {
		out[i] = db.chunk(tenant, blob, i)
	}
	return out
}

func (db *database) chunk(tenant, blob string, n int) string {
	return join(db.tenant(tenant), chunksIn, fmt.Sprintf("%s~%d", blob, n))
}

// again repeats a read of documents whose chunks were replaced in between.
func again(read func() error) (err error) {
	for range 5 {
		if err = read(); err != errReplaced {
			return err
		}
	}
	return err
}
