package textproc

import (
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// Pasted returns where the part of a text begins that somebody else may have said: a conversation with two or more
// heads of turns, a quoted or forwarded mail, or messages as JSON. It is the length of the text if there is none. The
// end of such a part is not detected, so it extends to the end of the text. A single "Note: …" does not count.
func Pasted(text string) int {
	start := len(text)
	if !strings.ContainsAny(text, ":：") && !strings.Contains(text, "---") {
		return start
	}
	for _, at := range [...]int{turnsIn(text), mailIn(text), messagesIn(text)} {
		if at >= 0 {
			start = min(start, at)
		}
	}
	return start
}

// Names of the participants of a conversation with a machine, in the languages of most such conversations.
const parties = `user|human|assistant|me|you|ai|ki|bot|chatbot|chat ?gpt|gpt(?:-?\d\w*)?|claude|gemini|copilot|siri|alexa|agent|support|customer|client|system|llm|model|` +
	`nutzer(?:in)?|benutzer(?:in)?|anwender(?:in)?|assistent(?:in)?|ich|du|kunde|kundin|mensch|utilisateur|utilisatrice|moi|vous|assistante|usuario|usuaria|asistente|yo|tú|` +
	`utente|assistente|io|tu|usuário|eu|você|gebruiker|ik|użytkownik|asystent|ja|пользователь|ассистент|я|бот|用户|用戶|助手|我|ユーザー|アシスタント`

var (
	// partyHead is such a name before a colon, at the beginning of a line or after the end of a sentence.
	partyHead = lazyre.New(`(?i)(?:^|\n|[.!?。！？…"”)]\s+|\s[-–—|/]+\s+)[ \t>*_#\-\[(]*((?:` + parties +
		`)(?: (?:said|says|wrote|sagte|schrieb|a dit|dijo))?)[*_\])]*\s?[:：]`)
	// clockHead is a time with a name, as messengers export them.
	clockHead = lazyre.New(
		`(?m)^[ \t>*_]*(?:\[[^\]\n]{0,24}\d{1,2}[:.]\d{2}[^\]\n]{0,12}\]|(?:\d[\d./-]{5,10},? )?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?)[ \t]*(?:[-–—][ \t]*)?[*_]*([^\n:]{1,40})[*_]*:`)
	// lineHead is any name before a colon at the beginning of a line.
	lineHead = lazyre.New(`(?m)^[ \t>*_-]*(\p{Lu}[\pL'’.-]*(?: \p{Lu}[\pL'’.-]*){0,2})[*_]*:[*_]*[ \t]+(\S.*)$`)
	// stampHead is a line with only a name and a time.
	stampHead = lazyre.New(
		`(?m)^[ \t]*\p{Lu}[\pL'’. -]{1,40}[ ,—–-]+\[?\d{1,2}:\d{2}(?: ?[AaPp][Mm])?\]?[ \t]*$`)

	personal = lazyre.New(
		`(?i)(?:^|[^\pL])(?:I|I'm|I've|my|me|we|our|you|your|ich|mein\w*|mir|mich|wir|uns\w*|du|dein\w*|Sie|Ihr\w*|je|j'ai|mon|ma|vous|yo|mi|tú|io|mio|eu|meu)(?:[^\pL]|$)|\?$|^(?i:hi|hello|hey|hallo|yes|no|ja|nein|ok|okay|thanks|danke)\b`)

	mailLine = lazyre.New(
		`(?im)^[ \t>]*(?:on [^\n]{4,120} wrote|am [^\n]{4,120} schrieb[^\n:]{0,80}|le [^\n]{4,120} a écrit ?|el [^\n]{4,120} escribió|il [^\n]{4,120} ha scritto|op [^\n]{4,120} schreef[^\n:]{0,80}):[ \t]*$|^[ \t>]*-{3,} ?(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|mensaje original)|^[^\n:]{1,80} (?:wrote|schrieb|writes|schreibt):[ \t]*\n[ \t]*>`)
	mailHeader = lazyre.New(
		`(?im)^[ \t>*_]*(?:from|to|cc|sent|date|subject|reply-to|von|an|gesendet|datum|betreff|de|à|objet|envoyé|para|asunto|enviado)[*_]*:[ \t]`)
	jsonRole = lazyre.New(`["']?(?:role|speaker|author|from)["']\s*:\s*["']`)
)

// pastedLabels are words before a colon that name no speaker.
var pastedLabels = wordfile.Set(
	"note notes ps todo to-do task tasks risk risks decision deadline milestone budget cost costs constraint " +
		"problem issue idea goal goals plan question answer reason result update summary warning important example " +
		"examples fact facts step first second third name address phone email mail date time place location subject " +
		"price total status title topic agenda ingredients monday tuesday wednesday thursday friday saturday sunday " +
		"today tomorrow morning evening breakfast lunch dinner remember reminder action next pros cons likes " +
		"dislikes hobbies allergies notiz notizen hinweis aufgabe aufgaben risiko risiken entscheidung frist termin " +
		"meilenstein kosten problem idee ziel ziele frage antwort grund ergebnis wichtig beispiel fakt schritt " +
		"adresse telefon datum zeit ort betreff preis summe thema montag dienstag mittwoch donnerstag freitag " +
		"samstag sonntag heute morgen zutaten vorgabe nächster")

// turnsIn returns where the first of two or more turns begins; -1 if there are none.
func turnsIn(text string) int {
	if heads := partyHead.FindAllStringSubmatchIndex(text, 3); len(heads) > 1 {
		return heads[0][2]
	}
	for _, head := range [...]lazyre.Regexp{clockHead, stampHead} {
		if heads := head.FindAllStringIndex(text, 2); len(heads) > 1 {
			return heads[0][0]
		}
	}
	first, heads, spoken, seen, again := -1, 0, 0, map[string]bool{}, false
	for _, m := range lineHead.FindAllStringSubmatchIndex(text, 50) {
		name := strings.ToLower(text[m[2]:m[3]])
		word, _, _ := strings.Cut(name, " ")
		if pastedLabels[word] {
			continue
		}
		if first < 0 {
			first = m[0]
		}
		heads++
		if personal.MatchString(text[m[4]:m[5]]) {
			spoken++
		}
		again = again || seen[name]
		seen[name] = true
	}
	if party := partyHead.FindStringSubmatchIndex(text); party != nil && heads > 0 &&
		!seen[strings.ToLower(text[party[2]:party[3]])] {
		return min(first, party[2])
	}
	if heads > 1 && (again && len(seen) > 1 || spoken > 1 && len(seen) > 1) {
		return first
	}
	return -1
}

func mailIn(text string) int {
	at := -1
	if m := mailLine.FindStringIndex(text); m != nil {
		at = m[0]
	}
	if heads := mailHeader.FindAllStringIndex(text, 2); len(heads) > 1 && (at < 0 || heads[0][0] < at) {
		at = heads[0][0]
	}
	return at
}

func messagesIn(text string) int {
	if heads := jsonRole.FindAllStringIndex(text, 2); len(heads) > 1 {
		return heads[0][0]
	}
	return -1
}
