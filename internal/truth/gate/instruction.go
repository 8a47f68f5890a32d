package gate

import (
	"regexp"
	"slices"
	"strings"
)

// Instruction returns the part of the text that reads like an instruction to a model; empty if there is none. It sees
// through the disguises that [fold] and [decoded] undo. An attacker can evade such a test with other words; it catches
// the many copied ones. The trust tier, not this test, accounts for the sender of a text.
func Instruction(text string) string {
	for _, reading := range readings(text) {
		for _, look := range [...]func(string) string{markup, order, unspacedOrder, entry} {
			if what := look(reading); what != "" {
				return what
			}
		}
	}
	return ""
}

// roleTags are names of tags and markers with a meaning in chat templates and tool protocols.
var roleTags = []string{"system", "assistant", "user", "developer", "tool", "tool_call", "tool_calls", "tool_result",
	"function_call", "function_calls", "instructions", "trilith-memory", "cairn-memory"}

// readers are the models that a comment in a page may address.
var readers = []string{"agent", "agents", "ai", "llm", "bot", "model", "copilot"}

// callKeys are JSON members that only a tool call has, like a "name" followed by "arguments".
var callKeys = []string{`"tool_calls"`, `"function_call"`, `"tool_use"`}

func markup(s string) string {
	const maxTag = 32 // bytes of a tag that are read; bounds the time for a hostile text
	named := false
	for i := range len(s) {
		switch s[i] {
		case '(':
			if strings.HasPrefix(s[i:], "(id ...") || strings.HasPrefix(s[i:], "(id:...") {
				return record
			}
		case '_':
			if strings.HasPrefix(s[i:], "_confirmed)") || strings.HasPrefix(s[i:], "_stated)") {
				return record
			}
		case '<':
			rest := strings.TrimLeft(s[i+1:min(len(s), i+maxTag)], "</| ")
			hidden, isComment := strings.CutPrefix(rest, "!--")
			if isComment { // one that addresses a role
				rest = strings.Replace(strings.TrimLeft(hidden, " "), ":", ">", 1)
			}
			tags := roleTags
			if isComment {
				tags = slices.Concat(roleTags, readers)
			}
			for _, tag := range tags {
				if after, ok := strings.CutPrefix(rest, tag); ok && after != "" &&
					strings.IndexByte("> |/=", after[0]) >= 0 {
					return "a role tag"
				}
			}
			if len(s) > i+2 && s[i+1] == '|' && (isAlnum(s[i+2]) || s[i+2] >= 0x80) ||
				strings.HasPrefix(s[i:], "<start_of_turn>") || strings.HasPrefix(s[i:], "<<sys>>") {
				return "a role tag"
			}
		case '[':
			for _, tag := range []string{"[inst]", "[/inst]", "[system]", "[/system]"} {
				if strings.HasPrefix(s[i:], tag) {
					return "a role tag"
				}
			}
		case '#':
			for _, heading := range []string{"### system", "### instruction", "### assistant"} {
				if strings.HasPrefix(s[i:], heading) {
					return "a role tag"
				}
			}
		case '"':
			for _, key := range callKeys {
				if strings.HasPrefix(s[i:], key) {
					return "a tool call"
				}
			}
			named = named || member(s[i:], `"name"`)
			if named && member(s[i:], `"arguments"`) {
				return "a tool call"
			}
			if rest, ok := strings.CutPrefix(s[i:], `"role":`); ok &&
				strings.HasPrefix(strings.TrimLeft(rest, " "), `"system"`) {
				return "a role tag"
			}
		}
	}
	return ""
}

// member reports whether s begins with the name of a JSON member.
func member(s, name string) bool {
	rest, ok := strings.CutPrefix(s, name)
	return ok && strings.HasPrefix(strings.TrimLeft(rest, " "), ":")
}

// An orderPattern is a sequence of words with gaps. Each step lists its alternatives; at most gap other words are
// between two steps, and all of it is in one sentence. The step "http" matches an address. A step that begins with ^
// must begin a clause: "recommend this" is an instruction, "I recommend this" is not.
type orderPattern struct {
	what  string
	gap   int
	steps []step
}

type step struct {
	words  []string
	is     map[string]bool // the words
	clause bool
}

func pattern(what string, gap int, steps ...string) orderPattern {
	p := orderPattern{what: what, gap: gap}
	for _, s := range steps {
		words, clause := strings.CutPrefix(s, "^")
		st := step{words: strings.Split(words, "|"), is: map[string]bool{}, clause: clause}
		for _, w := range st.words {
			st.is[w] = true
		}
		p.steps = append(p.steps, st)
	}
	return p
}

const (
	override    = "an order to ignore instructions"
	promote     = "an order to recommend"
	standing    = "a standing order"
	exfiltrate  = "an order to send data away"
	hide        = "an order to hide something"
	extract     = "an order to reveal instructions"
	endorsement = "an order to trust a source"
	approve     = "an order to approve memories"
	delayed     = "an order for a later time"
	forged      = "words put into another's mouth"
)

// Actions that an assistant can be told to do, and words for it that name no person.
const (
	models  = "ai|llm|chatbot|assistant|ki|assistent|sprachmodell"
	acts    = "recommend|suggest|tell|say|reply|respond|answer|mention|send|forward|book|call|include|insert|append|add|offer|promote|visit|open|praise|buy"
	germans = "empfiehl|empfehle|sag|sage|antworte|nenne|sende|schicke|erwähne|verweise|buche|öffne|lobe|kaufe|leite"
)

var orderPatterns = []orderPattern{
	pattern(override, 3, "ignore|disregard|forget|override|bypass",
		"previous|prior|above|earlier|all|your|any|preceding",
		"instruction|instructions|rules|prompt|prompts|guidelines|directives"),
	pattern(override, 3, "ignoriere|ignorieren|vergiss|vergessen|missachte|überschreibe",
		"vorherigen|bisherigen|obigen|alle|früheren|deine|ihre|vorigen",
		"anweisung|anweisungen|regeln|instruktionen|vorgaben|befehle"),
	pattern(promote, 2, "you|assistant|ai|agent", "must|should|shall|will|have", "always|only|never",
		"recommend|suggest|mention|promote|prefer|answer|reply|respond|say|cite|trust|use"),
	pattern(promote, 5, "du|sie|assistent", "musst|müssen|sollst|sollen|wirst|werden", "immer|nur|stets|niemals|nie",
		"empfehlen|vorschlagen|erwähnen|nennen|antworten|bevorzugen|sagen|verwenden|vertrauen"),
	pattern(promote, 2, "^always|only", "recommend|suggest|promote|endorse|advertise"),
	pattern(promote, 5, "^empfiehl|empfehle|nenne|bewirb", "immer|stets|nur|ausschließlich"),
	pattern(delayed, 8, "when|whenever|once|if|after|time", "user|users",
		"asks|ask|mentions|mention|wants|requests|says|types|books|talks", "^"+acts),
	pattern(delayed, 8, "wenn|sobald|falls|nachdem", "nutzer|nutzerin|benutzer|benutzerin|anwender",
		"fragt|erwähnt|will|möchte|sagt|bucht", "^"+germans),
	pattern(forged, 0, "^system|assistant|developer", "^you|ignore|disregard|override"),
	pattern(standing, 8, "^cite|recommend|mention|promote|link", "http", "future|always|every|whenever"),
	pattern(standing, 4, "from", "now", "on", "when|whenever|if|every",
		"asked|asks|user|users|someone|anyone|they|question"),
	pattern(standing, 4, "in", "future", "conversations|sessions|chats|answers",
		"always|never|recommend|prefer|mention"),
	pattern(standing, 5, "ab|von", "jetzt|sofort|nun|künftig", "wenn|falls|sobald|immer",
		"gefragt|fragt|nutzer|benutzer|jemand|frage"),
	pattern(exfiltrate, 12, "remember|always|must|please|never|then|now|silently|secretly",
		"send|post|forward|upload|submit|transmit|leak|exfiltrate|copy", "http"),
	pattern(exfiltrate, 12, "merke|denke|denk|immer|bitte|musst|heimlich|dann|stets",
		"senden|sende|schicken|schicke|sendest|schickst|übertragen|hochladen|weiterleiten", "http"),
	pattern(exfiltrate, 12, "merke|denke|denk|immer|bitte|musst|heimlich|dann|stets", "http",
		"senden|schicken|übertragen|hochladen|weiterleiten|weiterzuleiten"),
	pattern(hide, 3, "do|don't|never|without",
		"tell|telling|inform|informing|reveal|mention|mentioning|show|notify|notifying", "user|users"),
	pattern(hide, 5, "ohne|nicht|niemals|nie", "nutzer|nutzern|benutzer|benutzern|anwender",
		"sagen|informieren|mitteilen|verraten|erwähnen"),
	pattern(extract, 3, "reveal|print|output|repeat|show|leak", "system", "prompt|instructions|message"),
	pattern(approve, 3, "mark|set|treat|flag|markiere|behandle",
		"all|every|everything|these|memories|facts|alle|alles|fakten", "as|als",
		"verified|confirmed|approved|trusted|bestätigt|geprüft|freigegeben"),
	pattern(endorsement, 6, "remember|treat|consider|regard", "as", "trusted|authoritative|reliable|preferred",
		"source|site|website|company|domain|provider|expert|authority"),
	pattern(endorsement, 6, "^remember", "is|are", "trusted|authoritative|preferred",
		"source|site|website|company|provider|authority"),
	pattern(endorsement, 8, "merke|merk|speichere|betrachte|behandle", "als",
		"vertrauenswürdige|zuverlässige|bevorzugte|verlässliche", "quelle|seite|website|firma|anbieter"),

	// addressed to the model
	pattern(standing, 2, "^note|message|memo|reminder|hinweis|notiz|nachricht", "to|for|an|für", "ai|llm|llms|chatbot|chatbots|bots|ki|sprachmodell|sprachmodelle|automated"),
	pattern(standing, 1, "hinweis", "für|an", "ki|sprachmodell|sprachmodelle|chatbots"),
	pattern(standing, 3, "if", "you|you're", "ai|llm|chatbot|bot", "reading|processing|parsing|seeing|summarising|summarizing|assistant|model"),
	pattern(standing, 3, "falls|wenn", "du", "ki|sprachmodell|chatbot", "bist"),
	pattern(standing, 5, models, "shall|should|must|has|needs",
		"treat|approve|trust|obey|ignore|bypass|grant|disclose|reveal|remember|store|delete|erase|quietly|secretly|silently"),
	pattern(standing, 5, "models|llms|chatbots|assistants", "must|should|shall", "treat|approve|trust|obey|ignore|bypass|grant|disclose|reveal"),
	pattern(standing, 1, "instruction|instructions|guidance|anweisung|anweisungen", "for|to|für|an", "ai|llm|llms|chatbots|ki|sprachmodelle",
		"assistants|systems|agents|models|bots|readers|reading|visiting|systeme|assistenten"),
	pattern(standing, 2, "henceforth|fortan|künftig", "you|du", "reply|answer|respond|say|recommend|antwortest|sagst|empfiehlst"),
	pattern(standing, 7, models, "soll|muss|darf|sollte",
		"freigeben|ignorieren|vertrauen|behandeln|genehmigen|verraten|preisgeben|speichern|merken|bevorzugen"),
	pattern(delayed, 8, "when|whenever|if|once", "asked|questioned", "^"+acts+"|state|claim|give"),
	pattern(delayed, 8, "when|whenever|once", "mentioned|raised|discussed", "^answer|reply|respond|say|state|claim",
		"that|with|only"),
	pattern(standing, 2, "from", "now", "on", "sign|answer|reply|respond|end|start|begin|append|cite", "every|each|all"),
	pattern(standing, 1, "today|now|on|sofort", "your|deine", "role|persona|identity|rolle", "is|ist", "to|zu|es"),
	pattern(standing, 3, "ab", "sofort|jetzt|heute", "beantwortest|antwortest|empfiehlst|verlinkst", "du"),
	pattern(delayed, 8, "wenn|falls|sobald", "gefragt", "wird|werden", "^"+germans+"|gib|behaupte"),
	pattern(standing, 2, "antworte|reagiere", "ab|künftig|fortan|zukünftig", "immer|nur|stets|jetzt|nie|niemals"),
	pattern(standing, 2, "important|essential|crucial|mandatory", "that", "you", "never|always|only",
		"mention|recommend|answer|reply|respond|suggest|cite|reveal|disclose"),
	pattern(standing, 2, "save|store|keep|record|remember|treat|speichere|merke", "this|that|das|dies", "as|als",
		"permanent|standing|fixed|dauerhafte|feste|ständige", "rule|instruction|instructions|order|regel|anweisung"),

	pattern(standing, 0, "hey|dear|hello|hi|liebe|lieber|hallo", models),
	pattern(standing, 6, "ai|llm|llms|model|models|agent|agents|assistants|ki", "reading|processing|handling|summarising|summarizing|parsing",
		"this", "must|should|shall|has|have"),
	pattern(standing, 1, "before|after|vor|nach|bevor", "answering|replying|responding|antworten|antwortest",
		"always|never|first|immer|nie|zuerst"),

	// what a text says of "the user", whom only a model has
	pattern(forged, 2, "^pretend", "user|owner", "has|confirmed|approved|agreed|wants"),
	pattern(forged, 1, "^tell|inform|convince|sag|sage|erkläre", "user|benutzer|nutzer", "that|dass"),
	pattern(forged, 1, "user|benutzer|nutzer", "want|wants|asks|asked|expects|möchte|erwartet", "you|dass", "to|du"),
	pattern(override, 2, "^forget|ignore|disregard|vergiss|ignoriere", "what|everything|was|alles", "user|benutzer|nutzer"),
	pattern(exfiltrate, 4, "must|have|should|musst|sollst", "disclose|reveal|share|preisgeben|herausgeben", "user's|users'"),
	pattern(approve, 3, "user|benutzer|nutzer", "has|hat", "explicitly|expressly|ausdrücklich",
		"consented|agreed|authorised|authorized|approved|zugestimmt|erlaubt|genehmigt"),
	pattern(approve, 5, "^approve|confirm|accept|bestätige|genehmige", "every|all|any|jede|jeden|alle", "without|ohne",
		"asking|confirmation|checking|nachfrage|rückfrage"),

	pattern(approve, 3, "never|don't|not", "ask|asking", "confirmation|approval|permission", "before|when|for",
		"payment|payments|transfer|transfers|sending|paying|booking|buying|deleting"),

	// said with an authority that the text does not have
	pattern(override, 2, "consider|treat|regard|betrachte", "previous|prior|earlier|all|any|bisherige|alle",
		"guidance|instructions|rules|orders|anweisungen|regeln", "void|obsolete|cancelled|invalid|hinfällig|ungültig"),
	pattern(override, 2, "following|this", "overrides", "everything|all|anything", "above|earlier|said"),
	pattern(override, 1, "safety|content|security|usage", "rules|policies|restrictions|filters", "not|don't", "apply"),
	pattern(override, 4, "sicherheitsregeln|sicherheitsvorgaben|inhaltsrichtlinien", "gelten", "nicht"),
	pattern(endorsement, 6, "treat|regard|consider|behandle", "messages|mail|mails|email|emails|requests|orders|anything|everything|nachrichten|alles", "from|von",
		"as|als|like|wie", "owner|admin|administrator|developer|system|besitzer|nutzer"),
	pattern(override, 1, "safety|content|system|your", "rules|restrictions|filters|guidelines|policies|instructions",
		"are|is|were|have", "deprecated|void|lifted|suspended|revoked|disabled|obsolete|removed|been"),
	pattern(override, 2, "you|du", "are|bist", "now|jetzt",
		"maintenance|debug|developer|admin|administrator|root|unrestricted|jailbroken|wartungsmodus|entwicklermodus"),
	pattern(override, 2, "^as|als", "your|dein", "developer|creator|admin|administrator|operator|entwickler|betreiber",
		"i|ich", "authorise|authorize|order|command|instruct|permit|allow|befehle|erlaube|ermächtige|weise"),
	pattern(approve, 6, "^remember|note|store|save|record|merke|speichere", "user|owner|nutzer|benutzer",
		"given|gave|granted|authorised|authorized|consented|erteilt|zugestimmt|erlaubt",
		"permission|access|consent|approval|share|zugriff|erlaubnis|freigabe|weiterzugeben"),

	pattern(standing, 2, "ai|llm|llms|chatbot|ki", "reading|processing|visiting|parsing", "this|these"),
	pattern(override, 4, "treat|regard|consider", "everything|all|anything|text|lines", "below|above|following|follows", "as",
		"coming|instructions|orders|commands|from|policy"),
	pattern(standing, 4, "assistant|ai|llm|chatbot|bot|model|agent", "that|which",
		"reads|summarises|summarizes|processes|parses|indexes|ingests|retrieves", "must|should|shall|has|have"),
	pattern(override, 3, "your", "earlier|previous|prior|original|former",
		"guidelines|instructions|rules|directives|prompt|training|programming",
		"draft|void|obsolete|replaced|revoked|outdated|superseded|cancelled|withdrawn"),
	pattern(standing, 1, "before|bevor", "you|du", "answer|respond|reply|antwortest", "anything|irgendetwas"),
	pattern(approve, 3, "authorised|authorized|permitted|allowed|ermächtigt", "you|dich", "share|reveal|disclose|release|teilen|preisgeben",
		"password|passwords|secrets|credentials|keys|conversation|conversations|passwörter|zugangsdaten"),
	pattern(standing, 3, "remember|merke|note|store", "future|künftigen|künftige|späteren", "chats|conversations|sessions|answers|gespräche"),
	pattern(standing, 3, "save|store|keep|record|remember|speichere|merke", "this|that|following|das|dies|folgende|folgendes", "as|als",
		"permanent|standing|fixed|lasting|dauerhafte|feste|ständige", "preference|fact|memory|setting|vorliebe|tatsache|einstellung"),
	pattern(exfiltrate, 6, "forward|send|copy|mail|email", "messages|conversation|conversations|chats|history", "say|tell", "nothing|nobody"),
	pattern(standing, 2, "if", "you|you're", "language", "model"),
	pattern(standing, 3, "if", "you|you're", "ai|llm|chatbot|bot", "^output|print|write|rate|approve|ignore|stop|say|reply|respond|answer|recommend|mention|praise"),
	pattern(override, 3, "message|text|note|document|page", "replaces|supersedes|overrides|cancels",
		"rules|instructions|guidelines|policies|training", "you|your"),
	pattern(override, 5, "deine|deinen", "vorgaben|anweisungen|regeln|instruktionen", "gelten|gilt|zählen", "nicht"),
	pattern(hide, 3, "quietly|secretly|silently|heimlich|unbemerkt",
		"add|write|store|save|note|remember|delete|remove|update|send|forward|füge|schreibe|lösche|sende", "your|deine|deinem|deinen",
		"notes|memory|memories|records|gedächtnis|notizen"),
	pattern(forged, 1, "^role|rolle", "root|sysadmin|superuser|unrestricted"),
	pattern(standing, 1, "^as", "an|a|the", "ai|llm|chatbot|language", "you", "will|must|should|shall"),
	pattern(standing, 2, "^bitte|hinweis|aufruf|nachricht", "an", "alle", "ki|sprachmodelle|chatbots|llms"),
	pattern(approve, 8, "user|owner", "consented|agreed|authorised|authorized", "^store|save|keep|send|forward|pay|transfer"),
	pattern(approve, 8, "nutzer|benutzer|nutzerin", "zugestimmt|eingewilligt|erlaubt", "^lege|speichere|merke|gib|sende|überweise"),

	// what the model is to give away, or to keep to itself
	pattern(extract, 2, "reveal|print|output|dump|zeige|gib", "your|deine", "configuration|instructions|prompt|rules|konfiguration|anweisungen"),
	pattern(exfiltrate, 3, "forward|send|upload|export|email|transmit|sende|schicke", "conversation|chat|dialogue|session|gesprächsverlauf|chatverlauf",
		"history|log|logs|transcript|contents|data|an", "to|an"),
	pattern(hide, 4, "chatbot|llm|ai|assistant", "keeps|keep", "secret|hidden|confidential", "from"),
	pattern(hide, 4, "chatbot|llm|ai|sprachmodell|ki", "hides|forgets|conceals|withholds|verbirgt|verschweigt",
		"user|operator|paragraph|instruction|instructions|nutzer|absatz"),
	pattern(hide, 4, "model", "forgets|conceals|withholds", "user|operator|instruction|instructions"),
	pattern(hide, 7, models, "must|should|shall|has|needs", "hide|conceal|withhold", "from", "user|users|operator"),
	pattern(hide, 6, "kein|keine", "assistent|ki|chatbot|sprachmodell", "nutzer|benutzer|anwender",
		"erzählen|sagen|verraten|zeigen|berichten"),
	pattern(hide, 7, models, "soll|muss|darf", "nutzer|benutzer|anwender", "verbergen|verschweigen|vorenthalten"),
	pattern(hide, 6, "not|never|don't", "show|tell|give|offer|mention|reveal", "to", "user|users"),
	pattern(hide, 3, "never|not|don't", "mention|reveal|disclose|repeat", "this|these", "instruction|instructions"),
	pattern(hide, 1, "not|never|don't", "reveal|admit|disclose", "that", "this|you"),
	pattern(hide, 1, "^gib", "nie|niemals|nicht", "zu", "dass"),
	pattern(hide, 3, "^erwähne|verrate|nenne|wiederhole", "nie|niemals|nicht", "diese", "anweisung|anweisungen"),
}

// entries begin a text that asks the memory itself to keep something. The colon tells them from a memory card, and from
// how a food is stored.
var entries = regexp.MustCompile(`(?i)(?:^|[\n.!?>]\s*)(?:(?:add|save|store|write|commit) (?:this |it |the following )?(?:to|in|into) ` +
	`(?:long-term |your |the |permanent )*memory|(?:store|save|remember) (?:this|the following) permanently|merke dir (?:das )?dauerhaft|` +
	`schreibe? (?:dir )?in (?:dein|das) gedächtnis|speichere (?:das |dies )?dauerhaft|(?:add|save) (?:this )?to (?:your |the )?memory|` +
	`user (?:preference|profile|memory) (?:update|change|note)|` +
	`(?:update|change|set|edit) (?:the )?user(?:'s)? (?:preferences?|profile|memory|record|settings?))\s*:`)

// entry reports whether a text asks the memory itself to store something.
func entry(s string) string {
	if entries.MatchString(s) {
		return standing
	}
	return ""
}

// patternsAt maps the first words of the patterns to the patterns.
var patternsAt = func() map[string][]*orderPattern {
	at := map[string][]*orderPattern{}
	all := slices.Concat(orderPatterns, morePatterns)
	for i := range all {
		p := &all[i]
		for _, w := range p.steps[0].words {
			at[w] = append(at[w], p)
		}
	}
	return at
}()

func order(s string) string {
	for at := 0; ; {
		word, end := nextWord(s, at)
		if word == "" {
			return ""
		}
		for _, p := range patternsAt[word] {
			if (!p.steps[0].clause || beginsClause(s, end-len(word))) && p.follows(s, end) {
				return p.what
			}
		}
		at = end
	}
}

// follows reports whether the steps after the first are found from at on. Each step takes its first match, which is
// enough for lists of words that do not overlap from step to step.
func (p *orderPattern) follows(s string, at int) bool {
	for _, st := range p.steps[1:] {
		found := false
		for range p.gap + 1 {
			word, end := nextWord(s, at)
			if word == "" || sentenceEnds(s[at:end-len(word)]) {
				return false
			}
			at = end
			found = (st.is[word] || word == "https" && st.words[0] == "http") &&
				(!st.clause || beginsClause(s, end-len(word)))
			if found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func sentenceEnds(between string) bool {
	return strings.Contains(between, ". ") || strings.Contains(between, ".\n") || strings.Contains(between, "\n\n") ||
		strings.ContainsAny(between, "!?")
}

// hurries are words that may come before an imperative.
var hurries = []string{"please", "then", "always", "immediately", "silently", "secretly", "also", "just", "bitte",
	"dann", "immer", "sofort", "heimlich", "auch",
	"desormais", "dorenavant", "toujours", "siempre", "sempre", "altijd", "zawsze", "всегда", "отныне", "впредь", "on",
	"maintenant", "ahora", "adelante", "poi", "nu", "teraz", "agora", "diante", "момента", "jetzt"}

// beginsClause reports whether a clause begins at the offset: after a mark, a line's end, or one of hurries.
func beginsClause(s string, at int) bool {
	before := strings.TrimRight(s[:at], " \t*_\"'")
	if before == "" || strings.IndexByte(".!?:;,-\n(>", before[len(before)-1]) >= 0 {
		return true
	}
	from := len(before)
	for from > 0 && isLetter(before[from-1]) {
		from--
	}
	return slices.Contains(hurries, before[from:])
}

// nextWord returns the first word at or after at and where it ends; empty at the end of s. A word consists of letters
// and digits of any script, and inner apostrophes.
func nextWord(s string, at int) (string, int) {
	for at < len(s) && !isLetter(s[at]) {
		at++
	}
	end := at
	for end < len(s) && (isLetter(s[end]) || s[end] == '\'') {
		end++
	}
	return s[at:end], end
}

// isLetter treats every byte above ASCII as part of a letter: dashes and quotes are rare there compared to umlauts.
func isLetter(c byte) bool { return isAlnum(c) || c >= 0x80 }
