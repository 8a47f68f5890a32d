package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// The set subagent has one tool with two actions, and each of them under its own name, for programs that give a helper
// agent access to their memory and read French texts in its answers. Their conversations are found as exchanges: a
// person's turn and its answer are one hit.
const (
	actionSearch = "search"
	actionIndex  = "index"

	typeFact    = "fact"
	typeSummary = "summary"

	exchangeCut = 200 // characters shown of each side of an exchange
	factCut     = 300 // characters shown of other hits
)

type (
	searchAction struct {
		Query string `json:"query" doc:"What you want to know, in words"`
		Limit int    `json:"limit,omitempty" doc:"Hits at most" minimum:"1" maximum:"20" default:"5"`
	}
	indexAction struct {
		Content string `json:"content" doc:"What to remember, in full sentences"`
		Type    string `json:"type,omitempty" doc:"What it is" enum:"summary,fact" default:"fact"`
		Key     string `json:"key,omitempty" doc:"Content that comes later under the same key takes its place"`
	}
	memoryAction struct {
		Action  string `json:"action" doc:"What to do" enum:"search,index"`
		Query   string `json:"query,omitempty" doc:"search: what you want to know"`
		Limit   int    `json:"limit,omitempty" doc:"search: hits at most" minimum:"1" maximum:"20" default:"5"`
		Content string `json:"content,omitempty" doc:"index: what to remember"`
		Type    string `json:"type,omitempty" doc:"index: what it is" enum:"summary,fact" default:"fact"`
		Key     string `json:"key,omitempty" doc:"index: later content under the same key takes its place"`
	}

	// acted is an answer. It also contains errors: the programs read no others.
	acted struct {
		Success bool   `json:"success"`
		Text    string `json:"text"`
		Data    any    `json:"data,omitempty" schema:"-"`
		// Scale is that of the scores in Data.
		Scale trilith.Scale `json:"scale,omitempty" schema:"-"`
		Error string        `json:"error,omitempty"`
		coverage
	}
	foundData struct {
		Score   float64    `json:"score"`
		Type    string     `json:"type"` // exchange, fact or summary
		ID      trilith.ID `json:"id"`
		Channel string     `json:"channel,omitempty"`
		Time    string     `json:"timestamp"`
		User    string     `json:"user_message,omitempty"`
		Agent   string     `json:"assistant_message,omitempty"`
		Content string     `json:"content,omitempty"`
		Key     string     `json:"key,omitempty"`
	}
)

func (a acted) text() any { return a.Text }

func (b *builder) addSubagent() {
	const when = " Utilise cet outil quand l'utilisateur fait référence à une conversation passée ou à un sujet déjà discuté," +
		" ou quand tu manques de contexte."
	search, index := "Recherche dans les conversations passées et les connaissances."+when, "Indexe un texte dans les connaissances."
	add(b, tool{name: "memory", title: "Memory", description: "Recherche dans la mémoire à long terme, ou y indexe un texte." + when,
		writes: true, readers: true},
		func(ctx context.Context, who caller, in memoryAction) (acted, error) {
			switch in.Action {
			case actionSearch:
				return b.searchFor(ctx, who, searchAction{in.Query, in.Limit}), nil
			case actionIndex:
				return b.index(ctx, who, indexAction{in.Content, in.Type, in.Key}), nil
			}
			return acted{Text: "Action inconnue: " + in.Action, Error: "unknown_action"}, nil
		})
	add(b, tool{name: "memory__search", title: "Search memory", description: search},
		func(ctx context.Context, who caller, in searchAction) (acted, error) {
			return b.searchFor(ctx, who, in), nil
		})
	add(b, tool{name: "memory__index", title: "Remember", description: index, writes: true},
		func(ctx context.Context, who caller, in indexAction) (acted, error) {
			return b.index(ctx, who, in), nil
		})
	add(b, tool{name: "search", title: "Search memory", description: search},
		func(ctx context.Context, who caller, in searchAction) (searchOutput, error) {
			return b.search(ctx, who, searchInput{Query: in.Query, Limit: in.Limit})
		})
	type content struct {
		Content string `json:"content" doc:"What to remember, in full sentences"`
	}
	add(b, tool{name: "index", title: "Remember", description: index, writes: true},
		func(ctx context.Context, who caller, in content) (keptOutput, error) {
			out, err := b.append(ctx, who, appendInput{Content: statements{texts: []string{in.Content}}})
			return out.keptOutput, err
		})
}

func (b *builder) searchFor(ctx context.Context, who caller, in searchAction) acted {
	limit, err := between("limit", in.Limit, 1, defaultResults, maxResults)
	if err != nil {
		return b.failed(ctx, err)
	}
	r := trilith.RecallRequest{Query: in.Query, K: 2 * limit, // both sides of an exchange may be found
		Scale: trilith.ScaleCosine, MinScore: trilith.DefaultMinFused}
	if b.Engine.Generation().Threshold {
		r.MinScore = trilith.NoiseCosine
	}
	found, err := b.Engine.Recall(ctx, who.scope, r)
	found.Coverage, err = engine.Partly(found.Coverage, err)
	if err != nil {
		return b.failed(ctx, err)
	}
	hits := []foundData{}
	seen := map[trilith.ID]bool{}
	for i := range found.Hits {
		m := &found.Hits[i].Memory
		if seen[m.ID] || len(hits) == limit {
			continue
		}
		hit := foundData{Score: hundredths(found.Hits[i].Score), ID: m.ID, Channel: m.Scope.Channel,
			Time: m.EventTime.Format(time.RFC3339)}
		if m.Kind == trilith.KindEpisode {
			other, err := b.otherSide(ctx, who, m)
			if err != nil {
				return b.failed(ctx, err)
			}
			hit.Type = "exchange"
			for _, side := range []*trilith.Memory{m, other} {
				if side == nil {
					continue
				}
				seen[side.ID] = true
				if side.Role == trilith.RoleAssistant {
					hit.Agent = side.Text
				} else {
					hit.User = side.Text
				}
			}
		} else {
			hit.Type, hit.Content = typeOf(m), m.Text
			if m.Entry != nil && m.Entry.Content != "" {
				hit.Content, hit.Key = m.Entry.Content, m.ExternalID
			}
		}
		hits = append(hits, hit)
	}
	text := inFrench(hits)
	if found.Partial {
		text += "\n\nLa réponse est incomplète : une partie de la recherche a échoué."
	}
	return acted{Success: true, Text: text, Data: hits, Scale: found.Scale, coverage: coverage(found.Coverage)}
}

// otherSide returns the answer to a person's turn, or the turn that was answered; nil if there is none.
func (b *builder) otherSide(ctx context.Context, who caller, m *trilith.Memory) (*trilith.Memory, error) {
	seq, role := m.Seq+1, trilith.RoleAssistant
	if m.Role == trilith.RoleAssistant {
		seq, role = m.Seq-1, trilith.RoleUser
	}
	if m.Scope.Session == "" {
		return nil, nil
	}
	page, err := b.Engine.List(ctx, who.scope, trilith.ListRequest{Limit: 10, Filter: trilith.AllOf(
		trilith.Where("session", trilith.OpEq, m.Scope.Session), trilith.Where("kind", trilith.OpEq,
			string(trilith.KindEpisode)),
		trilith.Where("seq", trilith.OpEq, seq))})
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(page.Items, func(o trilith.Memory) bool { return o.Role == role && o.Scope == m.Scope })
	if at < 0 {
		return nil, nil
	}
	return &page.Items[at], nil
}

func typeOf(m *trilith.Memory) string {
	if m.IsSummary() || m.Entry != nil && m.Entry.Category == typeSummary {
		return typeSummary
	}
	return typeFact
}

func inFrench(hits []foundData) string {
	if len(hits) == 0 {
		return "Aucun résultat pertinent trouvé dans la mémoire."
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d résultat(s) trouvé(s) :", len(hits))
	for i, h := range hits {
		if h.Type != "exchange" {
			fmt.Fprintf(&out, "\n\n%d. [Score: %.2f] %s (%s): %s", i+1, h.Score, h.Type, h.Time, cutTo(h.Content, factCut))
			continue
		}
		where := h.Time
		if h.Channel != "" {
			where = h.Channel + ", " + h.Time
		}
		fmt.Fprintf(&out, "\n\n%d. [Score: %.2f] Conversation (%s):", i+1, h.Score, where)
		if h.User != "" {
			out.WriteString("\n   User: " + cutTo(h.User, exchangeCut))
		}
		if h.Agent != "" {
			out.WriteString("\n   Agent: " + cutTo(h.Agent, exchangeCut))
		}
	}
	return out.String()
}

// cutTo returns the first characters of a text.
func cutTo(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}

func (b *builder) index(ctx context.Context, who caller, in indexAction) acted {
	if in.Type == "" {
		in.Type = typeFact
	}
	err := who.mayWrite()
	switch {
	case err != nil:
	case in.Type != typeFact && in.Type != typeSummary:
		err = trilith.Errorf(trilith.Invalid, "type: %.32q is neither fact nor summary", in.Type)
	case in.Key != "":
		_, err = b.Engine.PutEntry(ctx, who.scope, in.Key, trilith.PutRequest{Imported: true,
			Entry: trilith.Entry{Category: in.Type, Title: in.Key, Content: in.Content}})
	default:
		_, err = b.remember(ctx, who, who.scope,
			trilith.RememberRequest{Note: &trilith.Note{Type: in.Type, Content: in.Content}})
	}
	if err != nil {
		return b.failed(ctx, err)
	}
	return acted{Success: true, Text: "Contenu indexé dans la collection knowledge (type: " + in.Type + ")"}
}

func (b *builder) failed(ctx context.Context, err error) acted {
	return acted{Text: "Erreur mémoire: " + b.message(ctx, "memory", err), Error: trilith.KindOf(err).String()}
}

// guidance tells a model when to search, in the languages of such programs.
var guidance = map[string]string{
	"fr": "Mémoire long terme :\n" +
		"- Si l'utilisateur fait référence à une conversation passée ou un sujet déjà discuté, utilise memory__search\n" +
		"- Si tu manques de contexte sur un sujet qui a potentiellement été abordé avant, utilise memory__search\n" +
		"- En cas de doute, demande à l'utilisateur s'il veut que tu cherches dans ta mémoire",
	"en": "Long-term memory:\n" +
		"- If the user refers to an earlier conversation or to a subject discussed before, use memory__search\n" +
		"- If you lack context about a subject that may have come up before, use memory__search\n" +
		"- When in doubt, ask the user whether you should search your memory",
	"de": "Langzeitgedächtnis:\n" +
		"- Bezieht sich der Nutzer auf ein früheres Gespräch oder ein schon besprochenes Thema, nutze memory__search\n" +
		"- Fehlt dir Kontext zu einem Thema, das früher vorgekommen sein kann, nutze memory__search\n" +
		"- Im Zweifel frage den Nutzer, ob du in deinem Gedächtnis suchen sollst",
}

// addGuidance adds the prompt of the set.
func (b *builder) addGuidance() {
	b.srv.AddPrompt(&mcp.Prompt{Name: "memory_guidance", Title: "When to search",
		Description: "Words for a system prompt that say when to search the memory.",
		Arguments:   []*mcp.PromptArgument{{Name: "language", Description: "fr, en or de; fr if absent"}}},
		b.prompt("language", func(_ context.Context, _ caller, language string) (string, error) {
			if language == "" {
				language = "fr"
			}
			text, ok := guidance[language]
			if !ok {
				return "", trilith.Errorf(trilith.Invalid, "language: %.16q is not one of fr, en and de", language)
			}
			return text, nil
		}))
}
