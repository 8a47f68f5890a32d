package extract

import "slices"

const (
	iHave    = `(?:I|we)(?:'ve| have)? {adv}(?:had to )?`
	wasDone  = `(?:is|are|was|were|has been|have been|'s|'s been|got|gets) {adv}`
	subjectX = `(?:the|our|my|this|that) {short} `
	habenIch = `(?:(?:ich|wir) (?:habe|haben|hab)|(?:habe|haben|hab) (?:ich|wir))(?: uns| mir| mich)? `
	frontedX = `^(?:(?:und|aber|also|ja|nein|leider|übrigens|ach),? )?(?:der |die |das |den |unser |unsere |unseren |mein |meine |meinen )?{short} (?:habe|haben|hab) (?:ich|wir) (?:[^,;.!?]{0,40} )?`
	germanX  = `(?:der|die|das|unser|unsere|mein|meine|dieser|diese|dieses) {short} `
	untilEnd = `(?:[.,;!]|$|\s[-–—(]|\s(?:and|but|so|because|since|after|when|for|in|on|at|by|to|last|this|yesterday|today|again|completely|recently|already|now|earlier|over|during|before|while|as|with|almost|about|some|just|only|\d+|an?|one|two|three|four|five|six|several|many|ages|und|aber|weil|nach|seit|wegen)\b)`
	lastWord = `(?:[.,;!]|$|\s[-–—(]|\s(?:und|aber|weil|worden|lassen|da|denn|seit)\b)`
	givenUp  = `(?:verkauft|verschenkt|geschenkt|überlassen|abgegeben|weggegeben|gespendet|verschrottet|entsorgt|zurückgegeben|abgeschafft|weggeworfen)`
	calledIt = `(?:abgesagt|storniert|gecancelt|gestrichen|abgeblasen|verworfen|aufgegeben|abgebrochen|gekündigt|beendet|hingeschmissen|hingeworfen|geschmissen)`
)

// Verbs of doing in their past forms, with their base forms. The passive and the perfect use the same forms.
var doneForms = map[string]string{"sent": "send", "paid": "pay", "bought": "buy", "wrote": "write", "written": "write",
	"got": "get", "found": "find", "brought": "bring",
	"told": "tell", "spoke": "speak", "spoken": "speak", "did": "do", "made": "make", "took": "take", "taken": "take",
	"met": "meet", "picked": "pick", "handed": "hand",
	"set": "set", "chose": "choose", "hung": "hang", "built": "build", "gave": "give", "given": "give",
	"returned": "return", "cancelled": "cancel", "canceled": "cancel",
	"angerufen": "anrufen", "gebracht": "bringen", "geschrieben": "schreiben", "gesprochen": "sprechen",
	"getroffen": "treffen", "genommen": "nehmen", "überwiesen": "überweisen",
	"abgegeben": "abgeben", "eingereicht": "einreichen", "abgeholt": "abholen", "mitgebracht": "mitbringen",
	"vorbereitet": "vorbereiten", "abgeschickt": "abschicken",
	"gebucht": "buchen", "gekauft": "kaufen", "geschickt": "schicken", "gesendet": "senden", "gezahlt": "zahlen",
	"gemeldet": "melden", "geholt": "holen",
	"geprüft": "prüfen", "gedruckt": "drucken", "geändert": "ändern", "gebaut": "bauen", "gestrichen": "streichen",
	"geputzt": "putzen", "gemäht": "mähen", "geschnitten": "schneiden"}

const (
	englishDone = `(?P<y>ordered|booked|scheduled|called|emailed|sent|bought|paid|submitted|renewed|cancelled|canceled|hired|filed|arranged|confirmed|invited|reserved|signed|shipped|delivered|` +
		`installed|repaired|fixed|updated|prepared|drafted|finished|completed|measured|picked up|handed in|returned|collected|registered|printed|published|deployed|uploaded|checked|contacted|` +
		`notified|organi[sz]ed|reviewed|wrote|written|cleaned|brought|moved|removed|set up|created|done|did|sorted(?: out)?|painted|replaced|changed|mailed|posted|planted|built|found|got|` +
		`talked to|spoken to|spoke to|watered|mowed|washed|packed|translated|tested|ticked off|dealt with|taken care of)`
	germanDoneWord = `(?P<y>bestellt|gebucht|angerufen|geschickt|abgeschickt|verschickt|gesendet|gekauft|bezahlt|gezahlt|überwiesen|abgegeben|eingereicht|verlängert|erneuert|gekündigt|gemeldet|angemeldet|` +
		`abgemeldet|organisiert|reserviert|bestätigt|unterschrieben|geliefert|eingebaut|repariert|aktualisiert|vorbereitet|entworfen|erledigt|abgeschlossen|fertiggestellt|geholt|abgeholt|` +
		`zurückgegeben|besorgt|gedruckt|veröffentlicht|hochgeladen|geprüft|kontaktiert|informiert|vereinbart|geschrieben|geputzt|gestrichen|gebracht|mitgebracht|erstellt|gemacht|gesprochen|gefunden|ausgefüllt|umgetauscht|ersetzt|gewechselt|geschnitten|gemäht|abgehakt|eingezahlt|fertig|geschafft)`
)

// overRules find ended things: given up, sold, called off, done. The subject of each is the speaker or something of the
// speaker's, and its verb governs what ends; see [hit.owned].
var overRules = []rule{
	{id: "en.over.1", triggers: "job notice resignation resigned retired redundant fired sacked laid let unemployed", pattern: `(?:` + iHave + `(?:(?:quit|left|lost|resigned from|gave up|given up) my (?:day )?job|handed in my (?:notice|resignation)|resigned|retired)|I(?:'m|'ve been| am| was| got| have been) {adv}(?:made redundant|laid off|let go|fired|sacked|dismissed|unemployed|retired))(?: (?:at|with|from|by|as an?) (?P<x>[\pL\pN].{0,60}?))?` + untilEnd, meets: jobVerbs, change: endsJob},
	{id: "en.over.2", triggers: "left quit resigned walked dropped", pattern: iHave + `(?:left|quit|resigned from|walked out of|dropped out of) {short}` + leavingEnd, meets: leftVerbs, change: endsLeft},
	{id: "en.over.3", triggers: "sold rid away donated scrapped traded returned rehomed re-homed", pattern: iHave + `(?:sold|got rid of|gotten rid of|gave away|given away|donated|scrapped|traded in|returned|re-?homed) {thing}`, meets: thingVerbs, change: endsThing},
	{id: "en.over.4", triggers: "sold stolen scrapped totalled destroyed gone", pattern: subjectX + wasDone + `(?:sold|stolen|scrapped|totalled|destroyed|gone)` + untilEnd, meets: thingVerbs, change: ends},
	{id: "en.over.5", triggers: "died passed dead put ran", pattern: subjectX + `(?:has |have |had )?{adv}(?:died|passed away|is dead|was put (?:down|to sleep)|had to be put (?:down|to sleep)|ran away)` + untilEnd, meets: belovedVerbs, change: endsLife},
	{id: "en.over.6", triggers: "put", pattern: `(?:I|we) (?:had to put|have had to put|put) {short} (?:down|to sleep)` + untilEnd, meets: belovedVerbs, change: endsLife},
	{id: "en.over.7", triggers: "broke broken split separated divorced divorce together ways quits couple", pattern: `(?:{Who} and I|I and {name}|we)(?:'ve| have|'re| are)? {adv}(?:broken? up|split up|split|separated|divorced|got divorced|getting (?:a )?divorced?|filed for divorce|gone separate ways|called it quits|parted ways|no longer a couple|no longer together|not together any ?more|not a couple any ?more)` + untilEnd, meets: partnerVerbs, change: endsBond},
	{id: "en.over.8", triggers: "broke broken split separated dumped divorced left", pattern: `I(?:'ve| have|'m| am)? {adv}(?:broken? up with|split up with|split with|separated from|dumped|divorced|left) {thing}`, meets: partnerVerbs, change: endsBond},
	{id: "en.over.9", triggers: "quit stopped stop dropped give gave given cut abandoned ditched done", pattern: iHave + `(?:quit|stopped|stop|give up|dropped|gave up on|gave up|given up on|given up|cut out|abandoned|ditched) {thing}`, change: endsDoing},
	{id: "en.over.10", triggers: "cancelled canceled called off scrapped dropped abandoned happening needed necessary through ahead over",
		pattern: subjectX + `(?:` + wasDone +
			`(?:cancelled|canceled|called off|scrapped|dropped|abandoned|off the table|off|over|no longer (?:happening|planned|needed|necessary|on)|not (?:happening|needed|going ahead|taking place)|history)|fell through|has fallen through|isn't happening|isn't going ahead|isn't taking place|isn't needed|won't happen|won't be happening|won't take place)` + untilEnd, meets: plannedVerbs, change: endsPlan},
	{id: "en.over.11", triggers: "more anymore longer", pattern: `(?:I|we)(?P<y> don't| do not|'m not| am not| aren't| are not|'re not| won't| can't| cannot) (?P<x>[\pL].{1,60}?)(?: any ?more| any longer)` + untilEnd, change: endsDoing, whole: true},
	{id: "en.over.12", triggers: "longer", pattern: `(?:I|we)(?P<y>'m| am|'re| are)? no longer {thing}`, change: endsDoing},
	{id: "en.over.13", triggers: "not longer won't aren't decided against", pattern: `(?:(?:I'm|we're|I am|we are) (?:now |definitely |actually |really )?(?:not|no longer)|(?:I|we) (?:won't be|won't|will not be|will not|aren't|(?:have |had )?decided not to|(?:have |had )?decided against)|(?:I've|we've) decided (?:not to|against))(?: going to)? {thing}`, meets: plannedVerbs, change: endsRefused},
	{id: "en.over.14", triggers: "minds mind", pattern: iHave + `changed (?:my|our) minds? (?:about|on) {thing}`, change: endsPlan},
	{id: "en.over.15", triggers: "cancelled canceled called shelved scrapped backed pulled unsubscribed dropped abandoned ditched", pattern: iHave + `(?:cancelled|canceled|called off|shelved|scrapped|dropped|abandoned|ditched|backed out of|pulled out of|unsubscribed from) {thing}`,
		meets: append(slices.Clone(plannedVerbs), "uses"), change: endsPlan},
	{id: "en.over.16", triggers: "moved", pattern: iHave + `moved (?:away from|out of) {place}` + untilEnd, meets: homeVerbs, change: endsHome},
	{id: "en.over.19", triggers: "left", pattern: iHave + `left {place} (?:for good|for ever|forever|behind)` + untilEnd, meets: homeVerbs, change: endsHome},
	{id: "en.over.21", triggers: "again", pattern: `I (?:can |may )?{adv}(?:eat|have|drink|tolerate)(?:ing)? (?P<x>[^,.;!?]{2,40}?) again`, meets: bearableVerbs, change: ends},
	{id: "en.over.22", triggers: "outgrew outgrown over lost", pattern: `I(?:'ve| have|'m| am)? {adv}(?:outgrew|outgrown|grown out of|grew out of|got(?:ten)? over|lost|cured of) my (?P<x>[^,.;!?]{2,40}?)` + untilEnd, meets: bearableVerbs, change: endsAilment},
	{id: "en.over.23", triggers: "gone disappeared over cured", pattern: `my (?P<x>[\pL -]{2,30}? allergy|allergy to [\pL -]{2,30}?|[\pL]+ intolerance) (?:is|has) {adv}(?:gone|disappeared|over|cured|been cured)` + untilEnd, meets: bearableVerbs, change: endsAilment},
	{id: "en.over.24", triggers: "off", pattern: `(?:I|we)(?:'m|'ve| am| have)? {adv}(?:off|came off|come off|gone off|been taken off|was taken off) (?:the |my )?{short}` + untilEnd, meets: treatedVerbs, change: endsTreated},
	{id: "en.over.25", triggers: "gave given passed", pattern: iHave + `(?:gave|given|passed) (?:my |our |the )(?P<x>[^,.;!?]{2,40}?) (?:away|(?:on )?to (?:my|our|a|the|some|(?-i:\p{Lu})))`, meets: thingVerbs, change: endsThing},
	{id: "en.over.33", triggers: "seeing going visiting", pattern: iHave + `(?:stopped|quit|given up|gave up) (?:seeing|going to|visiting) {short}` + untilEnd,
		meets: append(slices.Clone(partnerVerbs), "consults"), change: ends},
	{id: "en.over.45", triggers: "passed aced completed finished ran", pattern: iHave + `(?:passed|aced|completed|finished|ran) (?:my |the |our )?(?P<x>[^,.;!?]{3,40}?)` + untilEnd, meets: []string{"wants", "plans", "learns"}, change: endsReady},
	{id: "en.over.17", triggers: "ordered booked scheduled called emailed sent bought paid submitted renewed cancelled canceled hired filed arranged confirmed invited reserved signed shipped delivered installed repaired fixed updated prepared drafted finished completed measured picked handed returned collected registered printed published deployed uploaded checked contacted notified organised organized reviewed wrote written cleaned brought moved removed set created done did sorted painted replaced changed mailed posted planted built found got talked spoken spoke watered mowed washed packed translated tested ticked dealt taken", pattern: iHave + englishDone + ` {thing}`, meets: openVerbs, change: endsDone},
	{id: "en.over.18", triggers: "ordered booked paid sent submitted renewed filed signed repaired fixed done finished complete completed sorted settled handed delivered ready cleaned painted replaced taken dealt",
		pattern: subjectX + wasDone +
			`(?P<y>ordered|booked|paid|sent|submitted|renewed|filed|signed|repaired|fixed|done|finished|completed?|sorted|settled|handed in|delivered|cleaned|painted|replaced|taken care of|dealt with)` + untilEnd, meets: openVerbs, change: endsDone},

	{id: "de.over.1", triggers: "gekündigt entlassen rente arbeitslos kündigung", pattern: `(?:` + habenIch + `(?:(?:gestern|heute|endlich|jetzt|leider|letzte\w* \pL+|(?:im|zum) \S+) )*(?:(?:bei (?:der |dem )?(?P<x>[\pL\pN][^,;.!?]{1,40}?) )?(?:meinen Job |meine Stelle )?gekündigt|meine Kündigung eingereicht|meinen Job verloren)|(?:mir wurde|ich wurde|ich bin|bin ich|wurde ich) {adv}(?:bei (?:der |dem )?(?P<y>[\pL\pN][^,;.!?]{1,40}?) )?(?:gekündigt|entlassen|gefeuert|arbeitslos|in Rente|in den Ruhestand gegangen))` + lastWord, meets: jobVerbs, change: endsJob},
	{id: "de.over.2", triggers: "verkauft verschenkt geschenkt überlassen abgegeben weggegeben gespendet verschrottet entsorgt zurückgegeben abgeschafft weggeworfen", pattern: habenIch + `{things} ` + givenUp + lastWord,
		meets: thingVerbs, change: endsThing},
	{id: "de.over.3", triggers: "verkauft verschenkt geschenkt überlassen abgegeben weggegeben gespendet verschrottet entsorgt zurückgegeben abgeschafft weggeworfen", pattern: frontedX + givenUp + lastWord,
		meets: thingVerbs, change: endsThing},
	{id: "de.over.4", triggers: "verkauft gestohlen geklaut verschrottet weg", pattern: germanX + `(?:ist|sind|wurde|wurden) {adv}(?:verkauft|gestohlen|geklaut|verschrottet|weg)` + lastWord, meets: thingVerbs, change: ends},
	{id: "de.over.5", triggers: "gestorben verstorben tot eingeschläfert entlaufen weggelaufen", pattern: germanX + `(?:ist|wurde|musste) {adv}(?:[^,;.!?]{0,40}? )?(?:gestorben|verstorben|tot|eingeschläfert(?: werden)?|entlaufen|weggelaufen)` + lastWord, meets: belovedVerbs, change: endsLife},
	{id: "de.over.7", triggers: "einschläfern", pattern: `(?:wir mussten|ich musste|mussten wir|musste ich|wir haben|ich habe) {things} einschläfern`, meets: belovedVerbs, change: endsLife},
	{id: "de.over.8", triggers: "getrennt zusammen geschieden auseinander", pattern: `(?:{Who} und ich|ich und {name}|wir) (?:haben uns {adv}(?:[^,;.!?]{0,30}? )?getrennt|sind {adv}(?:nicht mehr zusammen|kein Paar mehr|getrennt|geschieden|auseinander))` + lastWord, meets: partnerVerbs, change: endsBond, whole: true},
	{id: "de.over.9", triggers: "getrennt schluss", pattern: `(?:ich habe mich|habe ich mich|ich hab mich|ich habe|habe ich) (?:[^,;.!?]{0,30}? )?(?:von|mit) (?:meiner |meinem )?(?P<x>[\pL][^,;.!?]{1,30}?) (?:getrennt|Schluss gemacht)` + lastWord, meets: partnerVerbs, change: endsBond},
	{id: "de.over.11", triggers: "abgesagt storniert gecancelt gestrichen abgeblasen verworfen aufgegeben abgebrochen gekündigt beendet hingeschmissen hingeworfen geschmissen", pattern: habenIch + `{things} ` + calledIt + lastWord, change: ends},
	{id: "de.over.12", triggers: "abgesagt storniert gecancelt gestrichen abgeblasen verworfen aufgegeben abgebrochen gekündigt beendet hingeschmissen hingeworfen geschmissen", pattern: frontedX + calledIt + lastWord, change: ends},
	{id: "de.over.13", triggers: "abgesagt storniert gecancelt gestrichen abgeblasen verworfen aus statt tisch geplatzt hinfällig vorbei",
		pattern: germanX + `(?:(?:ist|sind|wurde|wurden) {adv}(?:[^,;.!?]{0,30}? )?(?:abgesagt|storniert|gecancelt|gestrichen|abgeblasen|verworfen|geplatzt|hinfällig|vom Tisch|vorbei)|(?:fällt|fallen) {adv}(?:[^,;.!?]{0,20}? )?aus|(?:findet|finden) {adv}(?:doch )?nicht (?:mehr )?statt)` + lastWord, meets: plannedVerbs, whole: true, change: endsPlan},
	{id: "de.over.14", triggers: "verlassen", pattern: habenIch + `{things} verlassen` + lastWord, meets: leftVerbs, change: endsLeft},
	{id: "de.over.15", triggers: "aufgehört", pattern: habenIch + `(?:[^,;.!?]{0,30}? )?(?:mit|bei|in) (?:dem |der |den |meinem |meiner )?(?P<x>[\pL][^,;.!?]{1,40}?) aufgehört` + lastWord, change: ends},
	{id: "de.over.17", triggers: "mehr", pattern: `(?:ich|wir) (?P<y>[\pL]+) (?P<x>(?:[^,;.!?]{0,40}? )?(?:nicht mehr|keine?n? [^,;.!?]{2,40}? mehr)(?: [^,;.!?]{2,40}?)?)(?:[.,;!]|$|\s(?:und|weil|aber|da|seit)\b)`, whole: true, change: endsNoMore},
	{id: "de.over.18", triggers: "doch", pattern: `(?:ich|wir) (?P<y>[\pL]+) (?P<x>(?:[^,;.!?]{0,60}? )?doch (?:nicht|keine?n?)(?: [^,;.!?]{1,60}?)?)(?:[.,;!]|$|\s(?:und|weil|aber|da)\b)`, meets: plannedVerbs, whole: true, change: endsNoMore},
	{id: "de.over.19", triggers: "doch mehr", pattern: `^(?:(?:und|aber|also|nein),? )?(?P<x>[\pL][^,;.!?]{1,50}?) (?P<y>[\pL]+) (?:ich|wir) (?:[^,;.!?]{0,30}? )?(?:doch nicht|nicht mehr)(?: [^,;.!?]{1,40}?)?(?:[.,;!]|$|\s(?:und|weil|aber|da)\b)`, whole: true, change: endsNoMore},
	{id: "de.over.20", triggers: "gegen", pattern: `(?:wir haben uns|ich habe mich|haben wir uns|habe ich mich) (?:[^,;.!?]{0,20}? )?gegen (?:der |die |das |den |dem )?(?P<x>[\pL][^,;.!?]{1,50}?) entschieden`, meets: plannedVerbs, change: endsPlan},
	{id: "de.over.22", triggers: "bestellt gebucht angerufen geschickt abgeschickt verschickt gesendet gekauft bezahlt gezahlt überwiesen abgegeben eingereicht verlängert erneuert gekündigt gemeldet angemeldet abgemeldet organisiert reserviert bestätigt unterschrieben geliefert eingebaut repariert aktualisiert vorbereitet entworfen erledigt abgeschlossen fertiggestellt geholt abgeholt zurückgegeben besorgt gedruckt veröffentlicht hochgeladen geprüft kontaktiert informiert vereinbart geschrieben geputzt gestrichen gebracht mitgebracht erstellt gemacht gesprochen gefunden ausgefüllt umgetauscht ersetzt gewechselt geschnitten gemäht abgehakt eingezahlt",
		pattern: habenIch + `{things} ` + germanDoneWord + lastWord, meets: openVerbs, change: endsDone},
	{id: "de.over.23", triggers: "bestellt gebucht angerufen geschickt abgeschickt verschickt gesendet gekauft bezahlt gezahlt überwiesen abgegeben eingereicht verlängert erneuert gekündigt gemeldet angemeldet abgemeldet organisiert reserviert bestätigt unterschrieben geliefert eingebaut repariert aktualisiert vorbereitet entworfen erledigt abgeschlossen fertiggestellt geholt abgeholt zurückgegeben besorgt gedruckt veröffentlicht hochgeladen geprüft kontaktiert informiert vereinbart geschrieben geputzt gestrichen gebracht mitgebracht erstellt gemacht gesprochen gefunden ausgefüllt umgetauscht ersetzt gewechselt geschnitten gemäht abgehakt eingezahlt",
		pattern: frontedX + germanDoneWord + lastWord, meets: openVerbs, change: endsDone},
	{id: "de.over.24", triggers: "bestellt gebucht angerufen geschickt abgeschickt verschickt gesendet gekauft bezahlt gezahlt überwiesen abgegeben eingereicht verlängert erneuert gekündigt gemeldet angemeldet abgemeldet organisiert reserviert bestätigt unterschrieben geliefert eingebaut repariert aktualisiert vorbereitet entworfen erledigt abgeschlossen fertiggestellt geholt abgeholt zurückgegeben besorgt gedruckt veröffentlicht hochgeladen geprüft kontaktiert informiert vereinbart geschrieben geputzt gestrichen gebracht mitgebracht erstellt gemacht gesprochen gefunden ausgefüllt umgetauscht ersetzt gewechselt geschnitten gemäht abgehakt eingezahlt fertig geschafft",
		pattern: germanX + `(?:ist|sind|wurde|wurden) {adv}(?:[^,;.!?]{0,20}? )?` + germanDoneWord + lastWord,
		meets:   openVerbs, change: endsDone},
	{id: "de.over.25", triggers: "wieder", pattern: `(?:ich (?:esse|trinke|vertrage|darf|kann)|(?:esse|trinke|vertrage|darf|kann) ich) (?:[^,;.!?]{0,20}? )?wieder (?P<x>[^,;.!?]{2,40}?)(?: essen| trinken)?(?:[.,;!]|$|\s(?:und|aber)\b)`, meets: bearableVerbs, change: ends},
	{id: "de.over.26", triggers: "*allergie *unverträglichkeit *intoleranz", pattern: `meine (?:(?P<x>[\pL]+?)s?-?(?:allergie|unverträglichkeit|intoleranz)|(?:Allergie|Unverträglichkeit) gegen (?P<y>[\pL -]{2,30}?)) (?:ist|hat sich) {adv}(?:weg|verschwunden|vorbei|geheilt|erledigt|ausgeheilt)` + lastWord, meets: bearableVerbs, change: endsAilment},
	{id: "de.over.30", triggers: "abgesetzt", pattern: habenIch + `{things} abgesetzt` + lastWord, meets: treatedVerbs, change: ends},
	{id: "de.over.31", triggers: "abgesetzt", pattern: frontedX + `abgesetzt` + lastWord, meets: treatedVerbs, change: ends},
	{id: "de.over.34", triggers: "los", pattern: `(?:meine |die )(?P<x>[\pL]+?)s?-?(?:allergie|unverträglichkeit|intoleranz) bin ich {adv}los` + lastWord, meets: bearableVerbs, change: endsAilment},
	{id: "de.over.35", triggers: "aufgehört", pattern: `(?:mit|bei) (?:dem |der |den |meinem |meiner )?(?P<x>[\pL][^,;.!?]{1,40}?) (?:habe|haben|hab) (?:ich|wir) (?:[^,;.!?]{0,30} )?aufgehört` + lastWord, change: ends},
	{id: "de.over.39", triggers: "weggezogen fortgezogen ausgezogen", pattern: `(?:ich bin|bin ich|wir sind|sind wir) (?:[^,.;!?]{0,30}? )?aus {place} (?:weggezogen|fortgezogen|ausgezogen)`, meets: homeVerbs, change: endsHome},
}

// leftVerbs are those of facts that somebody ends by leaving; leavingEnd is what may follow there, and not the hour or
// the place at which somebody goes home.
var leftVerbs = []string{"works_at", "works_as", "works_in", "studies", "studies_in", "member_of"}

const leavingEnd = `(?:[.,;!]|$|\s[-–—(]|\s(?:but|so|because|since|when|as|last|yesterday|completely|recently|already|after \pL+ (?:\pL+ )?(?:years?|months?)|in (?:\d{4}|(?:January|February|March|April|May|June|July|August|September|October|November|December))|for good|for (?-i:\p{Lu})|(?:this|a) (?:week|month|year|spring|summer|autumn|fall|winter)|(?:\d+|two|three|four|five|six|several|some|many) (?:weeks|months|years) ago)\b)`
