package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith/internal/search/bm25"
)

// Postings are stored in lists: a row of trilith.text_postings has those of one term in one block of textBlock texts,
// packed as by [bm25.AppendPostings], with the offset in the block as the slot. A row for each text and term would make
// searches fifty times as slow and take five times the space; one list for all texts would have to be rewritten for
// each of them.
const textBlock = 1024

// The keys of lists. Words are their own keys: they begin with a letter, a mark or a digit.
const (
	lengthList = ""  // every text, with its length in words
	groupList  = "=" // every text, with its group; identifiers have keys with the same prefix
	turnList   = "<" // turns that follow another turn, with a link to it: see [packLink]
	markList   = "+" // texts with marks, with these, without [lexical.Asks], which links contain
	dayList    = "~" // every text, with its day, counted from 1970 and packed by [zigzag]
)

// ownLists are the lists that do not depend on the words of a text.
var ownLists = []string{lengthList, groupList, turnList, markList, dayList}

func identifierList(identifier string) string { return groupList + identifier }

// speakerList returns the key of the list of texts whose speaker's name has a word with this form.
func speakerList(form string) string { return "@" + form }

// zigzag maps numbers near 0 to small unsigned numbers.
func zigzag(n int32) uint32 { return uint32(n<<1) ^ uint32(n>>31) }

func unzigzag(n uint32) int32 { return int32(n>>1) ^ -int32(n&1) }

// postingEdit is the change of one text in one list.
type postingEdit struct {
	block  int32
	term   string
	place  uint32 // offset in the block
	number uint32 // of the posting
	gone   bool
}

// editOf returns an edit of a term's list at a text.
func editOf(doc int32, term string) postingEdit {
	return postingEdit{block: doc / textBlock, term: term, place: uint32(doc % textBlock)}
}

// editPostings changes lists; the later of two edits of the same text and list counts. The caller has locked the
// tenant.
func editPostings(ctx context.Context, tx pgx.Tx, tenant string, edits []postingEdit) error {
	slices.SortStableFunc(edits, func(a, b postingEdit) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.term, b.term), cmp.Compare(a.place, b.place))
	})
	type key struct {
		block int32
		term  string
	}
	held := map[key][]byte{}
	var b pgx.Batch
	for block := range chunksBy(edits, func(a, b postingEdit) bool { return a.block == b.block }) {
		number := block[0].block
		b.Queue("SELECT term, postings FROM trilith.text_postings WHERE tenant = $1 AND block = $2 AND term = ANY($3)",
			tenant, number, termsOf(block)).
			Query(each(func(rows pgx.Rows) error {
				k := key{block: number}
				var list []byte
				err := rows.Scan(&k.term, &list)
				held[k] = list
				return err
			}))
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	var terms []string
	var blocks []int32
	var lists [][]byte
	empty := map[int32][]string{}
	for list := range chunksBy(edits, func(a, b postingEdit) bool { return a.block == b.block && a.term == b.term }) {
		k := key{list[0].block, list[0].term}
		if edited := edit(held[k], list); len(edited) > 0 {
			terms, blocks, lists = append(terms, k.term), append(blocks, k.block), append(lists, edited)
		} else if held[k] != nil {
			empty[k.block] = append(empty[k.block], k.term)
		}
	}
	b = pgx.Batch{}
	b.Queue(`INSERT INTO trilith.text_postings (tenant, term, block, postings) SELECT $1, l.* FROM unnest($2::text[], $3::integer[], $4::bytea[]) AS l
		ON CONFLICT (tenant, term, block) DO UPDATE SET postings = EXCLUDED.postings`, tenant, terms, blocks, lists)
	for block, terms := range empty {
		b.Queue("DELETE FROM trilith.text_postings WHERE tenant = $1 AND block = $2 AND term = ANY($3)",
			tenant, block, terms)
	}
	return tx.SendBatch(ctx, &b).Close()
}

// edit applies edits, ordered by offset, to a list; the result is empty if nothing is left.
func edit(list []byte, edits []postingEdit) []byte {
	var out []bm25.Posting
	settle := func(before uint32) { // apply the edits of lower offsets
		for len(edits) > 0 && edits[0].place < before {
			e := edits[0]
			for len(edits) > 0 && edits[0].place == e.place {
				e, edits = edits[0], edits[1:]
			}
			if !e.gone {
				out = append(out, bm25.Posting{Slot: e.place, Count: e.number})
			}
		}
	}
	for p := range bm25.Postings(string(list)) {
		settle(p.Slot)
		if len(edits) == 0 || edits[0].place > p.Slot {
			out = append(out, p)
		}
	}
	settle(textBlock)
	return bm25.AppendPostings(nil, out)
}

// termsOf returns the distinct terms of edits, in their order.
func termsOf(edits []postingEdit) []string {
	var out []string
	for _, e := range edits {
		if len(out) == 0 || out[len(out)-1] != e.term {
			out = append(out, e.term)
		}
	}
	return out
}

// chunksBy yields runs of elements that are equal by same.
func chunksBy[T any](vs []T, same func(a, b T) bool) func(yield func([]T) bool) {
	return func(yield func([]T) bool) {
		for len(vs) > 0 {
			n := 1
			for n < len(vs) && same(vs[0], vs[n]) {
				n++
			}
			if !yield(vs[:n]) {
				return
			}
			vs = vs[n:]
		}
	}
}
