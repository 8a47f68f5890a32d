package gate

import (
	"slices"
	"strings"
)

const (
	policy = "words that pose as a policy"
	insult = "an order about how to treat the user"
	record = "words that pose as a record of memory"
)

// foreigners are instructions to an assistant in French, Spanish, Italian, Portuguese, Dutch, Polish and Russian,
// without marks.
const (
	foreigners = "reponds|repondez|recommande|recommandez|dis|dites|envoie|envoyez|citez|ajoute|ajoutez|mentionne|mentionnez|responde|responda|recomienda|recomiende|di|diga|envia|envie|anade|menciona|" +
		"rispondi|consiglia|raccomanda|invia|aggiungi|cita|recomende|adicione|mencione|antwoord|beveel|zeg|stuur|voeg|noem|odpowiadaj|polecaj|mow|wysylaj|dodawaj|wyslij|" +
		"отвечай|отвечайте|рекомендуй|рекомендуйте|говори|говорите|отправляй|отправляйте|советуй|советуйте|добавляй"
	forever = "toujours|siempre|sempre|altijd|zawsze|всегда"
)

// morePatterns are instructions with other phrasings and in other languages than [orderPatterns].
var morePatterns = []orderPattern{
	pattern(override, 4, "ignore|ignorez|oublie|oubliez|neglige|negligez|ignora|ignorad|ignorate|olvida|olvide|olvidad|dimentica|dimenticate|esqueca|esquece|desconsidere|negeer|vergeet|zignoruj|ignoruj|zapomnij|pomin|игнорируй|проигнорируй|игнорируйте|забудь|забудьте",
		"instructions|consignes|regles|directives|instrucciones|reglas|ordenes|istruzioni|regole|instrucoes|regras|instructies|regels|opdrachten|polecenia|polecen|instrukcje|instrukcji|zasady|zasadach|инструкции|инструкций|правила|указания",
		"precedentes|anterieures|anteriores|previas|precedenti|anteriori|eerdere|vorige|poprzednie|wczesniejsze|предыдущие|прежние|donnees|recibidas|ricevute|"+forever+"|et|y|e|en|i|и|a|и"),
	pattern(override, 4, "ignore|ignorez|oublie|oubliez|ignora|ignorate|olvida|olvide|dimentica|dimenticate|esqueca|desconsidere|negeer|vergeet|zignoruj|ignoruj|zapomnij|игнорируй|проигнорируй|игнорируйте|забудь|забудьте",
		"toutes|tes|vos|todas|tus|sus|tutte|tue|vostre|suas|tuas|alle|je|jouw|eerdere|vorige|wszystkie|wszystkich|poprzednie|poprzednich|swoje|все|предыдущие|свои|прежние|anteriores|precedenti",
		"instructions|consignes|regles|directives|instrucciones|reglas|ordenes|istruzioni|regole|instrucoes|regras|instructies|regels|opdrachten|polecenia|polecen|instrukcje|instrukcji|zasady|инструкции|инструкций|правила|указания"),
	pattern(standing, 10, "desormais|dorenavant|отныне|впредь", "^"+foreigners),
	pattern(standing, 10, "maintenant|ahora|agora|ora|adelante|diante|poi|nu|teraz|pory|момента|пор", "^"+foreigners),
	pattern(promote, 0, "^"+foreigners,
		forever+"|uniquement|seulement|solamente|solo|somente|apenas|alleen|tylko|только"),
	pattern(promote, 0, "^"+forever, foreigners),
	pattern(promote, 5, "dois|devez|debes|devi|dovete|moet|musisz|должен|должна|должны", forever,
		"recommander|repondre|dire|citer|recomendar|responder|decir|consigliare|raccomandare|rispondere|aanbevelen|antwoorden|polecac|odpowiadac|рекомендовать|отвечать|советовать|говорить"),
	pattern(delayed, 9, "when|whenever|if|wenn|falls|sobald|quand|si|cuando|quando|se|als|wanneer|gdy|jesli|когда|если",
		"asked|gefragt|fragt|demande|preguntan|pregunta|pregunten|chiede|chiedono|perguntar|perguntarem|gevraagd|vraagt|zapyta|pyta|спросят|спрашивает|спросит|спрашивают",
		"^always|only|never|immer|stets|nur|nie|"+germans+"|"+foreigners+"|"+forever),
	pattern(policy, 8, "policy|rule|protocol|guideline|directive|richtlinie|vorschrift|regel|vorgabe|politique|politica|regla|regola|regra|beleid|zasada", "tool|assistant|assistants|agent|agents|ai|model|answer|answers|reply|replies|response|responses|output|antwort|antworten|assistent|ki|reponse|respuesta|risposta|resposta",
		"include|includes|attach|append|contain|reveal|send|forward|mention|recommend|start|end|begin|cite|obey|approve|skip|enthalten|nennen|empfehlen|beifügen|mitschicken|mentionner|incluir|mencionar|includere"),
	pattern(policy, 5, "every|each|any|all|jeder|jede|jedes|alle",
		"answer|answers|reply|replies|response|responses|tool|antwort|antworten|werkzeugaufruf",
		"must|shall|has|have|needs|muss|müssen|soll|sollen",
		"include|contain|mention|attach|end|start|begin|recommend|cite|carry|reveal|enthalten|erwähnen|nennen|empfehlen"),
	pattern(exfiltrate, 8, "^include|attach|append|send|forward|reveal|paste|leak|disclose|expose|post",
		"password|passwords|secret|secrets|credentials|token|tokens|key|keys",
		"answer|answers|reply|replies|response|responses|conversation|summary|http|tool|attacker"),
	pattern(exfiltrate, 6, "^verrate|nenne|schicke|sende|füge|gib|envoie|revele|envia|revela|invia|rivela|stuur|wyslij|отправь|раскрой", "passwort|passwörter|schlüssel|zugangsdaten|passe|motdepasse|contrasena|password|parola|senha|wachtwoord|haslo|пароль|пароли|api", "an|in|jeder|weiter|mit|heraus|preis|aan|naar|do|na|a|al|para|à|http|на"),
	pattern(standing, 6, "must|should|darf|may|can", "never|not|nie|niemals|nicht",
		"told|corrected|gesagt|hear|widersprochen", "otherwise|different|anders|anderes|opposite|werden"),
	pattern(standing, 3, "^remember|memo|memorise|memorize|merke|denk|denke|notiere|retiens|recuerda|ricorda|lembre|onthoud|zapamietaj|запомни", "from|ab|von|desormais|de|d'ora|da|vanaf|od|с|отныне", "now|jetzt|sofort|nun|on|ahora|agora|ora|nu|teraz|этого"),
	pattern(standing, 4, "from", "now|here|today|this", "on|onwards|onward|forward|point", "you|assistant|"+acts+
		"|always|never|only|treat|assume|consider"),
	pattern(standing, 2, "ab|von", "jetzt|sofort|nun|heute", "^"+germans+
		"|antwortest|empfiehlst|sagst|nennst|musst|sollst"),
	pattern(standing, 1, "henceforth|hereafter", "^you|assistant|always|never|only|"+acts),
	pattern(insult, 2, "^call|address|greet|insult|mock|nenne|beleidige|appelle|insulte|llama|insulta|chiama|insultate",
		"user|users|nutzer|benutzer|utilisateur|usuario|utente"),
	pattern(approve, 4, "user|users|nutzer|nutzerin|customer|owner|admin|administrator",
		"approved|authorised|authorized|consented|preapproved|genehmigt|erlaubt",
		"all|every|any|future|sharing|transfers|alle|jede|künftige"),
	pattern(approve, 4, "nutzer|benutzer|nutzerin|kunde", "alle|jede|künftige|jeden",
		"genehmigt|erlaubt|freigegeben|zugestimmt"),
	pattern(override, 4, "this|message|notice|instruction", "from|is",
		"system|developer|administrator|operator|openai|anthropic",
		"override|overrides|supersedes|update|ignore|obey|comply|must"),
	pattern(override, 3, "you", "are", "now", "dan|unrestricted|jailbroken|root|evil|uncensored"),
	pattern(override, 3, "^new|updated|neue|nouvelles|nuevas|nuove|novas|nieuwe|nowe|новые",
		"instructions|directives|orders|anweisungen|instrucciones|istruzioni|instrucoes|instructies|instrukcje|инструкции", "you|obey|follow|du|dis|recommande|always|never|only|must|reveal|recommend|send|"+foreigners+"|"+germans),
	pattern(endorsement, 4, "user|users|customer|nutzer|nutzerin|benutzer|utilisateur|usuario|utente",
		"wants|prefers|asked|told|likes|trusts|möchte|will|bevorzugt|veut|prefere|quiere|prefiere|vuole",
		"you|me|assistant|us|dass|que|che|to",
		"recommend|promote|mention|always|only|suggest|immer|nur|empfiehlst|recommandes|recomiendes"),
}

// unspaced are instructions in scripts without spaces: a sentence contains one of each list, and none of the last.
var unspaced = []struct {
	what   string
	lists  [2]string
	unless string
}{
	{override, [2]string{"忽略|无视|忘记|忽视|無視|忘れ", "指令|指示|规则|規則|提示|ルール|プロンプト|命令"}, ""},
	{standing, [2]string{"从现在起|从现在开始|從現在|今后|今後は|これからは|以后|今から", "推荐|推薦|回答|必须|说|言って|答え|勧め|发送|送信|おすすめ|薦め"}, "我|私|わたし|僕"},
	{promote, [2]string{"总是|一律|必须|始终|常に|必ず|いつも|总要", "推荐|推薦して|勧めて|おすすめして|回答|答えて|答える"}, "我|私|わたし|僕|でした"},
	{exfiltrate, [2]string{"发送|送信して|透露|泄露|发到|转发", "密码|密钥|パスワード|apiキー|api密钥|口令"}, "不要|ないで"},
}

func unspacedOrder(s string) string {
	if printable(s) {
		return ""
	}
	for sentence := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("。！？!?\n", r) }) {
		for _, o := range unspaced {
			if holds(sentence, o.lists[0]) && holds(sentence, o.lists[1]) &&
				(o.unless == "" || !holds(sentence, o.unless)) {
				return o.what
			}
		}
	}
	return ""
}

func holds(s, list string) bool {
	for w := range strings.SplitSeq(list, "|") {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// steering are words of sentences that steer the reader more than they inform.
var steering = strings.Split(
	"from now on|ab jetzt|ab sofort|von nun an|must never be|must always|told otherwise|policy:|richtlinie:|instruction|anweisung|system prompt|the assistant|der assistent|remember:|merke:|"+
		"désormais|de ahora en adelante|a partir de|d'ora in poi|vanaf nu|od teraz|отныне|ignore |ignoriere |override|user_confirmed|as an ai|always say|always answer|always recommend", "|")

// Steers reports whether a sentence steers its reader more than it informs. It is less strict than [Instruction]: it
// quarantines nothing, but no fact is taken from such a sentence unless the user said it.
func Steers(sentence string) bool {
	if Instruction(sentence) != "" {
		return true
	}
	s := fold(sentence)
	return slices.ContainsFunc(steering, func(w string) bool { return strings.Contains(s, w) })
}
