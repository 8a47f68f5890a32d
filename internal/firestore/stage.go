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

	"github.com/cairn-memory/cairn"
)

const (
	inline     = 100 << 10 // a larger body lies in chunks
	chunkBytes = 700 << 10 // of a chunk; with its encoding three of them make a request
	chunksEach = 3
	bodiesEach = 1 << 20 // of the bodies that one commit carries itself …
	// … where the rest of it leaves room: this is for documents, what is left for claims, audit and jobs.
	commitBytes = 5 << 19
	stale       = time.Hour
	sideBySide  = 4 // calls of one caller at a time
)

// staging is what a commit lays down before it: the bodies that are too large to go in it, under names that are only
// used once. A document, which goes with the commit that names them, says that they wait for it. So what a process
// left that died in between is found and removed.
type staging struct {
	marker string // path of the document; "" if nothing was laid down
	chunks []string
}

// stage lays down bodies until what is left fits into one commit, largest first. All fields are of the tenant's
// documents.
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

func (db *database) chunk(tenant, blob string, n int) string {
	return join(db.tenant(tenant), chunksIn, fmt.Sprintf("%s~%d", blob, n))
}

// chunksOf returns the paths of what a document has in chunks.
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

// unstage removes what was laid down for a commit that has not been carried out and never will be.
func (db *database) unstage(ctx context.Context, st staging) {
	if st.marker == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	_ = db.remove(ctx, st.chunks) // else the sweep finds them by the marker
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

// upkeep looks after what no caller asks for.
type upkeep struct{ *database }

// Purge is documented at [cairn.Purger]: it removes what was laid down for commits that never came.
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

// sweep takes the mark away first: a commit that still comes finds that it is gone, and is refused.
func (u *upkeep) sweep(ctx context.Context, mark *document) error {
	path := u.c.path(mark.Name)
	_, err := u.c.commit(ctx, []write{{Delete: mark.Name, Current: unchanged(mark)}})
	if f := asFailure(err); f != nil && f.moved() {
		return nil // its commit came
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
	if err := u.remove(ctx, chunks); err != nil { // the mark comes back, so that the next sweep goes on
		_ = u.c.commitAgain(context.WithoutCancel(ctx), []write{u.put(path, mark.Fields, nil)})
		return err
	}
	return nil
}

// errReplaced says that what a document named was gone when it was read: somebody has replaced the document.
var errReplaced = cairn.Errorf(cairn.Unavailable, "the value was replaced while it was read; repeat the request")

// chunksAtOnce is how many chunks one call reads: some megabytes.
const chunksAtOnce = 12

// bodies reads what documents of a tenant have in chunks.
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

// again repeats a read of documents whose chunks were replaced meanwhile.
func again(read func() error) (err error) {
	for range 5 {
		if err = read(); err != errReplaced {
			return err
		}
	}
	return err
}
