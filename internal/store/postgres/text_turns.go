package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/bm25"
	"github.com/trilith-memory/trilith/internal/search/lexical"
)

// The order of turns in a session is stored as links: the list turnList says which turn comes before a turn. Turns of
// people and turns of the assistant have separate orders, by number and then by id. A text that is added, removed or
// moved changes its own link and that of the next turn, and a writer of texts holds the tenant's lock.

// turnPosition is a position in a sequence, in the form of the columns of trilith.texts.
type turnPosition struct {
	project, domain, user, agent, session, channel string
	assistant                                      bool
	seq                                            int64
	id                                             string
}

// turnPositionOf returns the position of a memory; in says whether it is in a sequence.
func turnPositionOf(f *trilith.Facets) (p turnPosition, in bool) {
	s := &f.Scope
	return turnPosition{text(s.Project), text(s.Domain), text(s.User), text(s.Agent), text(s.Session), text(s.Channel),
		f.Role == trilith.RoleAssistant, int64(f.Seq), text(string(f.ID))}, f.Kind == trilith.KindEpisode && s.Session != ""
}

// turnLink describes the previous turn.
type turnLink struct {
	before         int32 // number of the text
	answers, apart bool
}

// besideTurns selects the turns at and around positions, in order: up to two that do not come after the position, and
// one that does. Under row-level security only comparisons of numbers and equality may use an index, so ids are
// compared only among rows with the same number. LIMIT prevents other kinds of join.
const besideTurns = `SELECT p.n, b.doc, b.speaker, b.asks, b.behind, b.seq
	FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::bigint[], $10::text[])
		WITH ORDINALITY AS p (project, domain, user_id, agent, session, channel, assistant, seq, id, n)
	CROSS JOIN LATERAL (
		(SELECT false AS behind, ` + turnColumns + ` AND t.seq <= p.seq AND (t.seq < p.seq OR t.id <= p.id) ORDER BY t.seq DESC, t.id DESC LIMIT 2)
		UNION ALL
		(SELECT true, ` + turnColumns + ` AND t.seq >= p.seq AND (t.seq > p.seq OR t.id > p.id) ORDER BY t.seq, t.id LIMIT 1)
	) AS b
	ORDER BY p.n, b.seq, b.id`

const turnColumns = `t.doc, t.speaker, t.asks, t.seq, t.id FROM trilith.texts AS t WHERE t.tenant = $1 AND t.session = p.session AND t.project = p.project
			AND t.domain = p.domain AND t.user_id = p.user_id AND t.agent = p.agent AND t.channel = p.channel AND t.kind = 'episode'
			AND (t.role = 'assistant') = p.assistant`

// queueLinks queues the query for the turns around positions where texts were added or removed, and adds the edits of
// turnList. It has to be queued after the changes of trilith.texts.
func queueLinks(b *pgx.Batch, tenant string, places map[turnPosition]bool, edits *[]postingEdit) {
	if len(places) == 0 {
		return
	}
	var columns [7][]string // the columns of the positions
	var assistant []bool
	var seqs []int64
	for p := range places {
		for i, v := range [...]string{p.project, p.domain, p.user, p.agent, p.session, p.channel, p.id} {
			columns[i] = append(columns[i], v)
		}
		assistant, seqs = append(assistant, p.assistant), append(seqs, p.seq)
	}
	type turn struct {
		place   int64
		doc     int32
		speaker string
		asks    bool
		behind  bool
		seq     int
	}
	b.Queue(besideTurns, tenant, columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], assistant,
		seqs, columns[6]).
		Query(func(rows pgx.Rows) error {
			var turns []turn
			err := collect(rows, func(rows pgx.Rows) error {
				var t turn
				err := rows.Scan(&t.place, &t.doc, &t.speaker, &t.asks, &t.behind, &t.seq)
				turns = append(turns, t)
				return err
			})
			for around := range chunksBy(turns, func(a, b turn) bool { return a.place == b.place }) {
				if len(around) == 1 || around[1].behind { // otherwise there may be more before the first
					e := editOf(around[0].doc, turnList)
					e.gone = true
					*edits = append(*edits, e)
				}
				for i := 1; i < len(around); i++ {
					t, before := around[i], around[i-1]
					e := editOf(t.doc, turnList)
					e.number = packLink(t.doc,
						turnLink{before.doc, before.asks && t.speaker != "" && t.speaker != before.speaker,
							lexical.Apart(before.seq, t.seq)})
					*edits = append(*edits, e)
				}
			}
			return err
		})
}

// packLink packs a link into the number of a posting in turnList: the distance of the document numbers, which is
// usually small, and how doc follows the turn.
func packLink(doc int32, l turnLink) uint32 {
	n := zigzag(doc-l.before) << 2
	if l.answers {
		n |= 1
	}
	if l.apart {
		n |= 2
	}
	return n
}

// neighbours reads turnList.
func (g *gathered) neighbours() *bm25.Neighbours {
	t := &bm25.Neighbours{}
	t.Fit(g.slots())
	answered, apart := slotSet(t.Answers), slotSet(t.Apart)
	for _, p := range g.lists[turnList] {
		link := unpackLink(g.docOf(p.Slot), p.Count)
		before, ok := g.slotOf(link.before)
		if !ok {
			continue
		}
		t.Join(before+1, p.Slot+1)
		if link.answers {
			answered.add(p.Slot)
		}
		if link.apart {
			apart.add(p.Slot)
		}
	}
	return t
}

func unpackLink(doc int32, n uint32) turnLink {
	return turnLink{doc - unzigzag(n>>2), n&1 != 0, n&2 != 0}
}
