package embedded

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/packed"
)

// The rest of a memory is what filters look at and no column holds. In memory and in snapshots it is packed tightly: of the
// texts only those that are there, ids as their 16 bytes. Who acts, the content of a fact and what its evidence quotes are not
// filtered by and not in it.

func restTexts(f *cairn.Facets) []*string {
	return []*string{&f.Type, (*string)(&f.SourceID), (*string)(&f.SharedFrom), (*string)(&f.Trust), (*string)(&f.SupersededBy),
		&f.Category, &f.Title, &f.ExternalID}
}

func restTextsOfFact(x *cairn.Fact) []*string {
	return []*string{&x.Verb, &x.FactID, &x.Node.Type, &x.Node.Name, (*string)(&x.Node.EntityRef), &x.RelationshipKey, (*string)(&x.Type),
		(*string)(&x.Polarity), (*string)(&x.Certainty), (*string)(&x.AuthorRole), (*string)(&x.Priority), &x.Rule,
		(*string)(&x.Verification.Status), &x.Verification.By, &x.Verification.Note}
}

func financialTexts(m *cairn.Financial) []*string {
	return []*string{&m.Amount, &m.Currency, &m.Category, &m.Type, &m.Quantity, &m.Unit, &m.Rate, &m.Check}
}

// appendRest writes the rest of facets. It fails with Invalid if JSON cannot hold the metadata.
func appendRest(b []byte, f *cairn.Facets) ([]byte, error) {
	var metadata []byte
	if len(f.Metadata) > 0 {
		var err error
		if metadata, err = json.Marshal(f.Metadata); err != nil {
			return nil, cairn.Errorf(cairn.Invalid, "metadata: cannot be stored: %w", err)
		}
	}
	b = appendPresent(b, restTexts(f))
	b = packed.AppendInt(b, int64(f.Seq))
	b = appendTime(b, f.EventTime)
	b = packed.AppendInt(b, f.RecordedAt.UnixMicro()-f.EventTime.UnixMicro())
	b = appendOptionalTime(b, f.ValidUntil)
	b = appendOptionalTime(b, f.SupersededAt)
	b = appendTexts(packed.AppendUint(b, uint64(len(f.Tags))), f.Tags...)
	b = packed.AppendText(b, string(metadata))
	if b = appendBool(b, f.Fact != nil); f.Fact != nil {
		b = appendRestOfFact(b, f.Fact)
	}
	return b, nil
}

// readRest reads what appendRest wrote into f; metadata only if they are wanted, because reading them costs more than all
// the others. Texts are parts of the reader's data.
func readRest(r *packed.Reader, f *cairn.Facets, metadata bool) {
	readPresent(r, restTexts(f))
	f.Seq = int(r.Int())
	f.EventTime = timeFrom(r)
	f.RecordedAt = time.UnixMicro(f.EventTime.UnixMicro() + r.Int()).UTC()
	f.ValidUntil, f.SupersededAt = optionalTimeFrom(r), optionalTimeFrom(r)
	if n := r.Count(1); n > 0 {
		f.Tags = make([]string, n)
		for i := range f.Tags {
			f.Tags[i] = r.Text()
		}
	}
	if text := r.Text(); metadata && text != "" && json.Unmarshal([]byte(text), &f.Metadata) != nil {
		r.Fail()
	}
	if boolFrom(r) {
		f.Fact = restOfFactFrom(r)
	}
}

func appendRestOfFact(b []byte, x *cairn.Fact) []byte {
	b = appendPresent(b, restTextsOfFact(x))
	b = packed.AppendUint(b, math.Float64bits(x.Confidence))
	b = packed.AppendInt(b, x.LegacyID)
	b = appendBool(appendBool(b, x.RequiresAction), x.SingleValued)
	b = appendOptionalTime(b, x.ActionDeadline)
	b = appendOptionalTime(b, x.Verification.At)
	b = packed.AppendUint(b, uint64(len(x.Evidence)))
	for i := range x.Evidence {
		e := &x.Evidence[i]
		b = appendShort(b, string(e.EpisodeID))
		b = packed.AppendUint(b, uint64(len(e.Premises)))
		for _, p := range e.Premises {
			b = appendShort(b, string(p.EpisodeID))
		}
	}
	if b = appendBool(b, x.Financial != nil); x.Financial != nil {
		b = appendPresent(b, financialTexts(x.Financial))
	}
	return b
}

func restOfFactFrom(r *packed.Reader) *cairn.Fact {
	x := &cairn.Fact{}
	readPresent(r, restTextsOfFact(x))
	x.Confidence = math.Float64frombits(r.Uint())
	x.LegacyID = r.Int()
	x.RequiresAction, x.SingleValued = boolFrom(r), boolFrom(r)
	x.ActionDeadline, x.Verification.At = optionalTimeFrom(r), optionalTimeFrom(r)
	if n := r.Count(2); n > 0 {
		x.Evidence = make([]cairn.Evidence, n)
		for i := range x.Evidence {
			e := &x.Evidence[i]
			e.EpisodeID = cairn.ID(shortFrom(r))
			for range r.Count(1) {
				e.Premises = append(e.Premises, cairn.Premise{EpisodeID: cairn.ID(shortFrom(r))})
			}
		}
	}
	if boolFrom(r) {
		x.Financial = &cairn.Financial{}
		readPresent(r, financialTexts(x.Financial))
	}
	return x
}

// appendPresent writes which of the texts, 64 at most, are not empty, and those.
func appendPresent(b []byte, texts []*string) []byte {
	present := uint64(0)
	for i, t := range texts {
		if *t != "" {
			present |= 1 << i
		}
	}
	b = packed.AppendUint(b, present)
	for _, t := range texts {
		if *t != "" {
			b = appendShort(b, *t)
		}
	}
	return b
}

func readPresent(r *packed.Reader, texts []*string) {
	present := r.Uint()
	for i, t := range texts {
		if present>>i&1 == 1 {
			*t = shortFrom(r)
		}
	}
}

// restSize is how much memory is taken at a time for rests; one that is longer gets its own.
const restSize = 1 << 20

// rests are the packed rests of many memories, one after the other and each behind its length, in a few large pieces
// without a pointer in them. A rest is named by its piece and its place there; what was named never moves or changes.
type rests struct {
	pieces  [][]byte
	dropped int // bytes that nobody names any more
}

// addRest keeps a rest and returns its name, which is not 0.
func addRest[T string | []byte](a *rests, rest T) uint64 {
	n := len(rest) + 10 // with its length
	if last := len(a.pieces) - 1; last < 0 || cap(a.pieces[last])-len(a.pieces[last]) < n {
		a.pieces = append(a.pieces, make([]byte, 0, max(n, min(restSize, 4096<<min(len(a.pieces), 20)))))
	}
	last := len(a.pieces) - 1
	at := len(a.pieces[last])
	a.pieces[last] = append(packed.AppendUint(a.pieces[last], uint64(len(rest))), rest...)
	return uint64(last)<<32 | uint64(at) + 1
}

// get returns a rest, to be read only.
func (a *rests) get(name uint64) []byte {
	piece := a.pieces[name>>32][uint32(name)-1:]
	n, size := binary.Uvarint(piece)
	return piece[size : size+int(n)]
}

// drop counts a rest among those that nobody names.
func (a *rests) drop(name uint64) { a.dropped += len(a.get(name)) }

// bytes returns how many bytes the rests take.
func (a *rests) bytes() (n int) {
	for _, p := range a.pieces {
		n += len(p)
	}
	return n
}
