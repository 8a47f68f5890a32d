package relate

import (
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lazyre"
)

// Pieces of patterns. A phrase ends before a mark or a word that begins another clause.
const (
	head    = `(?:^|[,;:]\s+|\b(?:and|but|und|aber|that|dass|so)\s+)` // where a clause begins
	some    = `([^,;:]{2,120}?)`
	act     = `([^,;:\s]{2,30}\s[^,;:]{2,90}?)` // a verb with its object
	tail    = `([^,;:]{2,120}?)(?:[.!]*$|[,;:]|\s(?:because|but|so that|since|and then|weil|aber|denn|damit|sonst)\s|\s[-–—]\s)`
	whole   = `(.{2,200}?)(?:[.!]*$|;)`
	cannot  = `(?:can['’]?t|cannot|can not|can['’]?t yet|won['’]?t|will not|must not|mustn['’]?t|may not|shouldn['’]?t|should not|could not|couldn['’]?t|are not allowed to|is not allowed to)`
	can     = `(?:can|may|will|must|should|could|shall)`
	someone = `(?:(?:we|I|they|you|he|she|nobody|no one|the team)\s+)?`
	do      = `(?:start|begin|go ahead|proceed|happen|continue|move|go|be (?:started|begun|done|finished|completed|ordered|installed|booked|paid|signed|closed|opened|laid|delivered|built|released))`
	done    = `(?:is|are|has been|have been|was|were|gets?|comes?|arrives?)`
	kann    = `(?:kann|können|darf|dürfen|soll|sollen|wird|werden|sollte|sollten)`
	begins  = `(?:beginnt|beginnen|startet|starten|geht|gehen|fängt|fangen|erfolgt|erfolgen|passiert|läuft|laufen|kommt|kommen)`
	// a noun with its article and at most two more words
	determined = `(?:the|a|an|our|this|that)\s+[^\s,;:.!]+(?:\s+[^\s,;:.!]+){0,2}?`
	blocked    = `(?:blocked|held up|stalled|on hold|stuck)`
	blockedG   = `(?:blockiert|aufgehalten|gebremst|ausgebremst|verhindert)`
)

func first(re string, cues string, id string, t trilith.RelationType) rule {
	return rule{id: id, relates: t, cues: strings.Split(cues, "|"), re: re, a: []int{1}, b: []int{2}}
}

func second(re string, cues string, id string, t trilith.RelationType) rule {
	r := first(re, cues, id, t)
	r.a, r.b = []int{2}, []int{1}
	return r
}

// unsaid lets a denial anywhere in the sentence take the relation back.
func unsaid(r rule) rule {
	r.plain = true
	return r
}

// joined lets the first phrase be made of two groups, the second of the third; swapped the other way round.
func joined(r rule) rule {
	r.a, r.b = []int{1, 2}, []int{3}
	return r
}

// thrice lets it be made of three groups, the second of the fourth.
func thrice(r rule) rule {
	r.a, r.b = []int{1, 2, 3}, []int{4}
	return r
}

func swapped(r rule) rule {
	r.a, r.b = []int{2, 3}, []int{1}
	return r
}

// rules are tried in this order; of those that match a sentence the first one that means known facts counts.
var rules = compiled(englishRules, germanRules)

var englishRules = []rule{
	joined(first(head+someone+some+`\s*\b`+cannot+`\s+`+some+`\s+(?:until|till|before|unless|without|as long as)\s+`+whole,
		"until|till|before|unless|without|as long as", "en.wait.1", trilith.DependsOn)),
	joined(first(head+`(?:we|I|they|you|nobody)()\s+`+cannot+`\s+`+act+`\s+(?:until|till|before|unless|without)\s+`+whole,
		"until|till|before|unless|without", "en.wait.2", trilith.DependsOn)),
	unsaid(first(head+`(?:we|I|they|you)(?:['’](?:re|ll|m))?\s+(?:are\s+|will\s+|have to\s+|must\s+)?(?:hold|holding|keep|keeping|push|pushing|put|putting)\s+`+some+`\s+(?:back|off|on hold)\s+(?:until|till)\s+`+whole,
		"until|till", "en.wait.5", trilith.DependsOn)),
	unsaid(first(head+`(?:we|I|they|you)(?:['’](?:re|ve|ll|m))?\s+(?:are\s+|have\s+|will\s+)?(?:hold(?:ing)?|held|wait(?:ing)?)\s+(?:off\s+)?(?:on|with)\s+`+some+`\s+(?:until|till)\s+`+whole,
		"until|till", "en.wait.6", trilith.DependsOn)),
	first(`^(?:there(?:['’]s| is)\s+)?(?:no|little)\s+(?:point|sense|use)\s+(?:in\s+)?`+some+`\s+(?:until|till|before)\s+`+whole,
		"until|till|before", "en.wait.7", trilith.DependsOn),
	second(`^(?:until|till|before)\s+`+some+`,\s*(?:nothing|no work|not much)\s+(?:moves|happens|goes ahead|starts|gets done|works|can happen)\s+(?:on|at|with|in|for)\s+`+tail,
		"until|till|before", "en.wait.8", trilith.DependsOn),
	swapped(first(`^(?:until|unless|without|before)\s+`+some+`,?\s+`+someone+some+`\s*\b`+cannot+`\s+`+tail,
		"until|unless|without|before", "en.wait.3", trilith.DependsOn)),
	swapped(first(`^(?:until|unless|without|before)\s+`+some+`,?\s+(?:we|I|they|nobody)()\s+`+cannot+`\s+`+tail,
		"until|unless|without|before", "en.wait.4", trilith.DependsOn)),
	joined(first(head+someone+some+`\s*\b`+can+`\s+only\s+`+some+`\s+(?:once|after|when|if|as soon as)\s+`+whole,
		"only", "en.only.1", trilith.DependsOn)),
	joined(first(head+`(?:we|I|they|you)()\s+`+can+`\s+only\s+`+act+`\s+(?:once|after|when|as soon as)\s+`+whole,
		"only", "en.only.2", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:only\s+)?(?:starts?|begins?|goes ahead|happens?|comes?|follows?)\s+(?:only\s+)?(?:once|after|as soon as|when)\s+`+whole,
		"once|after|as soon as|when", "en.after.1", trilith.DependsOn)),
	unsaid(first(head+some+`\s+`+can+`\s+(?:then\s+)?`+do+`\s+(?:right\s+)?(?:once|after|as soon as|when)\s+`+whole,
		"once|after|as soon as|when", "en.after.2", trilith.DependsOn)),
	unsaid(first(head+`(?:we|I|they|you)\s+`+can+`\s+(?:then\s+)?`+act+`\s+(?:once|as soon as|only after)\s+`+whole,
		"once|as soon as|only after", "en.after.3", trilith.DependsOn)),
	unsaid(first(head+`(?:we|I|they|you)(?:['’]ll|\s+will)\s+(?:then\s+)?`+act+`\s+(?:once|as soon as|only after)\s+(?:the|our|my|their|your|all|every)\s+`+whole,
		"once|as soon as|only after", "en.after.9", trilith.DependsOn)),
	unsaid(first(head+`(?:we|I|they|you)(?:['’]ll|\s+will)\s+only\s+`+act+`\s+after\s+`+whole, "after", "en.after.10", trilith.DependsOn)),
	unsaid(second(`^first\s+(`+determined+`),\s*(?:and\s+)?then\s+(`+determined+`)[.!]*$`, "first", "en.order.1", trilith.DependsOn)),
	unsaid(second(`^(?:once|after|as soon as|only when|only after|when)\s+`+some+`\s+`+done+`\s+[^,]{2,40},\s*(?:then\s+)?(?:(?:we|I|they|you)\s+(?:can|will|may)\s+)`+tail,
		"once|after|as soon as|when", "en.after.4", trilith.DependsOn)),
	unsaid(second(`^(?:once|after|as soon as|only when|only after|when)\s+`+some+`\s+`+done+`\s+[^,]{2,40},\s*(?:then\s+)?`+some+`\s+(?:can|will|may|starts?|begins?|follows?)\b`,
		"once|after|as soon as|when", "en.after.5", trilith.DependsOn)),
	unsaid(second(`^(?:once|after|as soon as)\s+`+some+`,\s*(?:then\s+)?(?:(?:we|I|they|you)\s+(?:can|will|may)\s+)?`+tail,
		"once|after|as soon as", "en.after.6", trilith.DependsOn)),
	unsaid(second(`^(?:once|after|as soon as)\s+`+some+`\s+`+done+`\s+(?:done|finished|over|ready|up|there|in|complete|[a-z]+ed)\s+(?:we|I|they|you)\s+(?:(?:can|will|may)\s+)?`+tail,
		"once|after|as soon as", "en.after.8", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:(?:falls?|is|are|becomes?|become)\s+(?:due|payable)|goes|go|ships?|leaves?|opens?|resumes?|kicks? off|takes? place)(?:\s+(?:out|off|live|on|up))?\s+(?:only\s+)?(?:once|after|as soon as|when)\s+`+whole,
		"once|after|as soon as|when", "en.after.7", trilith.DependsOn)),
	unsaid(second(head+some+`\s+(?:must|has to|have to|needs to|need to)\s+(?:be\s+)?[^,;:]{0,40}?\bbefore\s+`+whole,
		"before", "en.before.1", trilith.DependsOn)),
	unsaid(first(`^before\s+`+some+`,\s*(?:we|I|they|you)\s+(?:must|have to|need to|should)\s+`+tail,
		"before", "en.before.2", trilith.DependsOn)),
	unsaid(first(`^before\s+`+some+`,\s*`+some+`\s+(?:must|has to|have to|needs to|need to)\b`,
		"before", "en.before.3", trilith.DependsOn)),
	unsaid(second(head+`(?:we|I|they|you)\s+(?:must|have to|need to)\s+`+some+`\s+before\s+`+whole,
		"before", "en.before.4", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:still\s+|also\s+|only\s+|really\s+|all\s+|entirely\s+)*(?:depends?|depending|hinges?|is dependent|are dependent|is contingent|are contingent)\s+(?:entirely\s+|only\s+|mostly\s+)?(?:on|upon)\s+`+tail,
		"depend|hinge|contingent", "en.depend.1", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:is|are|was|were|remains?)\s+(?:still\s+|also\s+|only\s+)*(?:subject to|conditional on|conditional upon|tied to)\s+`+tail,
		"subject to|conditional|tied to", "en.depend.2", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:stands?|rises?)\s+(?:or|and)\s+falls?\s+(?:with|on)\s+`+tail, "fall", "en.depend.3", trilith.DependsOn)),
	second(`^no\s+([^,;:]{2,60}?),\s*no\s+`+tail, "no ", "en.require.5", trilith.DependsOn),
	unsaid(first(head+some+`\s+(?:is|are|has been|have been)?\s*(?:still\s+|now\s+|currently\s+|just\s+)*(?:waits?|waiting|has to wait|have to wait|must wait|needs to wait|pending)\s+(?:for|on|until|till)\s+`+tail,
		"wait|pending", "en.await.1", trilith.DependsOn)),
	first(head+`(?:there(?:['’]ll|['’]s| is| will)\s+(?:be\s+)?)?no\s+`+some+`\s+without\s+`+tail, "without", "en.require.4", trilith.DependsOn),
	unsaid(first(head+some+`\s+(?:requires?|presupposes?)\s+`+tail, "require|presuppose", "en.require.1", trilith.DependsOn)),
	unsaid(first(head+some+`\s+needs?\s+`+some+`\s+(?:first|beforehand|to be (?:done|finished|approved|signed|ready)|done|finished|approved|signed)\b`,
		"need", "en.require.2", trilith.DependsOn)),
	first(`^(?:nobody|no one|no-one|nothing)\s+`+some+`\s+(?:until|till|before|unless|without)\s+`+whole, "until|till|before|unless|without", "en.wait.9", trilith.DependsOn),
	unsaid(second(head+`(?:we|they|I|you)\s+(?:still\s+|first\s+|also\s+)*(?:need|require)\s+`+some+`\s+(?:in order\s+)?to\s+((?:start|begin|finish|complete|submit|order|open|close|sign|book|file|install|build|launch|publish|release|pay|test|connect|paint|print|deliver|apply|proceed)\b[^,;:]{3,90}?)[.!]*$`,
		"need|require", "en.require.7", trilith.DependsOn)),
	unsaid(first(head+some+`\s+needs?\s+`+some+`\s+before\s+(?:it|they|he|she|we)\s+(?:can|could|may|starts?|begins?)\b`,
		"need", "en.require.6", trilith.DependsOn)),
	unsaid(first(`^for\s+`+some+`,?\s+(?:we|they|you)\s+(?:still\s+|first\s+|also\s+)*(?:need|require)\s+`+tail,
		"for ", "en.require.3", trilith.DependsOn)),
	unsaid(second(head+some+`\s+(?:is|are|was|were|has been|have been|remains?|stays?|got)\s+(?:still\s+|now\s+|currently\s+|being\s+)*`+blocked+`\s+(?:by|because of|due to|on|pending|until)\s+`+tail,
		"blocked|held up|stalled|on hold|stuck", "en.block.1", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:is|are|was|were|keeps?|still)?\s*(?:still\s+|now\s+|currently\s+)*(?:blocks?|blocking|blocked|holds? up|holding up|held up|stalls|stalling|prevents|preventing)\s+(?:us from\s+)?`+tail,
		"block|holds up|hold up|holding up|held up|stall|prevent", "en.block.2", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:(?:is|are|keeps?)\s+(?:still\s+|now\s+)*(?:stopping|hindering|obstructing|impeding|delaying|slowing down)|obstructs?|impedes?|hinders?|slows? down)\s+`+tail,
		"stopping|hinder|obstruct|imped|delaying|slow", "en.block.6", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:has\s+|have\s+)?(?:brought|brings?|bringing)\s+`+some+`\s+to\s+(?:a|an)\s+(?:complete\s+|full\s+)?(?:halt|standstill|stop)\b`,
		"halt|standstill|stop", "en.block.8", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:has|have)\s+(?:frozen|halted|paused|paralysed|paralyzed|stopped)\s+`+tail, "frozen|halted|paused|paraly|stopped", "en.block.9", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:has|have|had|holds?)\s+`+some+`\s+(?:stuck|blocked|stalled|tied up|held up|at a standstill)\b`,
		"stuck|blocked|stalled|tied up|held up|standstill", "en.block.7", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:(?:stands?|is|are|gets?)\s+(?:still\s+|now\s+|always\s+)*)in the way of\s+`+tail, "in the way", "en.block.3", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:is|are)\s+(?:a\s+|the\s+)?(?:prerequisite|precondition)s?\s+(?:for|of|to)\s+`+tail,
		"prerequisite|precondition", "en.block.4", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:is\s+|are\s+)?(?:still\s+|now\s+)*(?:keeps?|keeping|stops?|stopping|hinders?|hindering)\s+`+some+`\s+from\s+[a-z]+ing\b`,
		"keep|stop|hinder", "en.block.5", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:still\s+)?(?:keeps?|is keeping|are keeping|prevents?|stops?)\s+(?:us|me|them|everybody|everyone)\s+from\s+`+
		`(?:doing|starting|finishing|using|laying|building|ordering|installing|making|running|launching|closing|opening)\s+`+tail,
		"keep|prevent|stop", "en.block.10", trilith.Blocks)),
	first(`^(?:because of|due to|owing to)\s+(`+determined+`),?\s+((?:the|our)\s+[^,;:]{2,60}?)\s+(?:can['’]t|cannot|can not|won['’]t)\s+`+
		`(?:go ahead|start|happen|proceed|begin|continue|move)\b`,
		"because of|due to|owing to", "en.block.11", trilith.Blocks),
	unsaid(first(head+some+`\s+(?:stops|halts|is halting)\s+((?:the|our)\s+[^,;:]{2,80}?)[.!]*$`, "stops|halts|halting", "en.block.12", trilith.Blocks)),
	first(`^(?:as|so) long as\s+there(?:['’]s| is| are)\s+(?:still\s+)?`+some+`,\s*(?:(?:nobody|no one)\s+can|(?:we|I|they|you)\s+(?:can['’]t|cannot))\s+`+
		`(?:lay|start|build|paint|install|order|finish|begin|open|close|deploy|test|release|ship|move|use|continue|pour|plaster|tile|fit|sell|sign)\s+`+tail,
		"long as", "en.block.13", trilith.Blocks),
	unsaid(first(`^(?:because of|due to|owing to|as a result of|thanks to|on account of)\s+`+some+`,\s*`+tail,
		"because of|due to|owing to|as a result|thanks to|on account", "en.cause.1", trilith.Causes)),
	unsaid(first(`^(?:because of|due to|owing to|as a result of|thanks to|on account of)\s+((?:the|a|an|our|this|that)\s+[^\s,;:]+(?:\s+[^\s,;:]+){0,2}?)\s+((?:the|our|all|both|every)\s+[^,;:]{2,100}?)[.!]*$`,
		"because of|due to|owing to|as a result|thanks to|on account", "en.cause.8", trilith.Causes)),
	unsaid(second(head+some+`\s+(?:is|are|was|were|came)\s+(?:all\s+|mostly\s+|simply\s+)?(?:down to|the (?:result|consequence|fault) of|a (?:result|consequence) of)\s+`+tail,
		"down to|result|consequence|fault", "en.cause.9", trilith.Causes)),
	second(head+some+`,?\s+(?:because of|due to|owing to|as a result of|on account of|thanks to)\s+`+tail,
		"because of|due to|owing to|as a result|thanks to|on account", "en.cause.2", trilith.Causes),
	unsaid(first(head+some+`\s+(?:has\s+|have\s+)?(?:caused?|causes|forced?|forces|sparked|leads? to|led to|results? in|resulted in|brings? about|triggers?|triggered)\s+`+tail,
		"cause|force|sparked|lead|led to|result|brings about|trigger", "en.cause.3", trilith.Causes)),
	unsaid(second(head+some+`\s+(?:is|are|was|were)\s+(?:caused|triggered)\s+by\s+`+tail, "by", "en.cause.4", trilith.Causes)),
	unsaid(second(head+some+`\s+(?:stems?|stemmed|results|resulted|arises?|arose)\s+from\s+`+tail, "from", "en.cause.6", trilith.Causes)),
	unsaid(second(head+`the\s+(?:(?:main|only|real)\s+)?(?:reason|cause)\s+(?:for|of|behind)\s+`+some+`\s+(?:is|are|was|were)\s+`+tail,
		"reason|cause", "en.cause.7", trilith.Causes)),
	first(`^because\s+`+some+`,\s*`+tail, "because", "en.cause.10", trilith.Causes),
	first(`^because\s+([^,;:]{6,80}?)\s+((?:we|they|it)\s+[^,;:]{4,100}?)[.!]*$`, "because", "en.cause.11", trilith.Causes),
	second(head+some+`,?\s+because\s+`+tail, "because", "en.cause.5", trilith.Causes),
	unsaid(second(head+`([^,;:]*\b(?:rise|increase|jump|delay|drop|shortage|error|failure|loss|gap|overrun|problem|mistake|damage|change)s?\b[^,;:]*?)\s+(?:comes?|came)\s+(?:from|out of)\s+`+tail,
		"from|out of", "en.cause.12", trilith.Causes)),
	unsaid(first(head+some+`\s+meant\s+(?:that\s+)?((?:the|our|we|all)\s+[^,;:]+?\s+(?:was|were|had|has|could|would|is|are|got|went)\b[^,;:]*?)[.!]*$`,
		"meant", "en.cause.13", trilith.Causes)),
	unsaid(first(head+`([^,;:]*\b(?:fault|error|failure|shortage|strike|storm|leak|damage|bug|mistake|outage|weather|delay|crash)s?\b[^,;:]*?)\s+explains?\s+((?:the|our|why|all)\s+[^,;:]{2,100}?)[.!]*$`, "explain", "en.cause.15", trilith.Causes)),
	unsaid(first(head+some+`,\s+so\s+((?:the|our|all)\s+[^,;:]{2,60}?\s+(?:was|were|had to|has to|have to|is|are|got|will be|fell|moved|slipped)\b[^,;:]*?)[.!]*$`, ", so ", "en.cause.16", trilith.Causes)),
	unsaid(first(head+some+`,?\s+which is why\s+`+tail, "which is why", "en.cause.14", trilith.Causes)),
	unsaid(first(head+some+`\s+(?:is|are|counts? as|forms?)\s+(?:a\s+|one\s+)?(?:part|step|stage|phase|piece)\s+(?:of|in)\s+`+tail,
		"part|step|stage|phase|piece", "en.part.1", trilith.PartOf)),
	unsaid(first(head+some+`\s+(?:belongs?|is part and parcel)\s+(?:to|of|in)\s+`+tail, "belong|parcel", "en.part.2", trilith.PartOf)),
	unsaid(first(head+some+`\s+(?:is|are)\s+(?:just\s+|only\s+)?(?:one|two|some|all)\s+of\s+((?:the|our)\s+[^,;:]*?(?:tasks|items|parts|steps|jobs|milestones|deliverables|stages|phases|measures|works|extras))\b`,
		" of ", "en.part.4", trilith.PartOf)),
	unsaid(second(head+`((?:the\s+)?(?:\pL+\s+)?(?:phase|stage|package|scope|lot|module|section|sprint|milestone|contract|part)\b[^,;:]{0,30}?)\s+(?:covers?|takes in|spans?)\s+`+tail,
		"cover|takes in|span", "en.part.5", trilith.PartOf)),
	unsaid(second(head+some+`\s+(?:includes?|comprises?|consists? of|contains?|is made up of|covers also|also covers)\s+`+tail,
		"include|comprise|consist|contain|made up|cover", "en.part.3", trilith.PartOf)),
	unsaid(second(head+some+`\s+(?:is|are|was|were|has been|have been)\s+(?:now\s+|fully\s+)*(?:settled|paid|cleared|covered|closed|resolved|answered)\s+(?:by|with|through)\s+`+tail,
		"settled|paid|cleared|covered|closed|resolved|answered", "en.settle.1", trilith.Settles)),
	unsaid(first(head+some+`\s+(?:fully\s+|now\s+)*(?:settles?|settled|pays off|pays for|paid for|pays|clears?|cleared|resolves?|resolved|answers|answered|covers?)\s+`+tail,
		"settle|pays|paid for|clear|resolve|answer|cover", "en.settle.2", trilith.Settles)),
	unsaid(first(head+`((?:the|this|that|our|an?)\s[^,;:]{2,80}?)\s+(?:takes|took) care of\s+`+tail, "care of", "en.settle.4", trilith.Settles)),
	unsaid(first(`^with\s+`+some+`,?\s+(?:the\s+)?`+some+`\s+(?:is|are|was|were|has been)\s+(?:now\s+|fully\s+)*(?:settled|paid|cleared|resolved|answered|decided|covered|sorted|taken care of|dealt with)\b`,
		"with", "en.settle.3", trilith.Settles)),
	unsaid(second(head+some+`\s+(?:is|are|was|were|will be|has been|have been|gets?|got)\s+(?:now\s+)?(?:replaced|superseded)\s+(?:by|with)\s+`+tail,
		"replaced|superseded", "en.replace.1", trilith.Replaces)),
	unsaid(second(head+some+`\s+(?:is|are|was|were|will be|has been|have been|gets?|got)\s+(?:now\s+)?(?:swapped|exchanged|traded|changed)\s+for\s+`+tail,
		"swapped|exchanged|traded|changed", "en.replace.7", trilith.Replaces)),
	unsaid(first(head+some+`\s+(?:now\s+|will\s+)*(?:replaces?|supersedes?|replaced|superseded|(?:takes?|took) the place of|(?:takes?|took) over from|(?:stands?|stood|steps|stepped|fills|filled) in for)\s+`+tail,
		"replace|supersede|place of|over from|in for", "en.replace.2", trilith.Replaces)),
	unsaid(second(head+some+`\s+(?:makes?|made|gives?|gave|making|giving)\s+way\s+(?:for|to)\s+`+tail, "way for|way to", "en.replace.10", trilith.Replaces)),
	unsaid(first(head+some+`\s+(?:steps?|stepped|slips?|slipped)\s+into\s+`+some+`['’]s?\s+(?:role|shoes|place|job|position)\b`, "into", "en.replace.11", trilith.Replaces)),
	unsaid(first(head+`(?:we|I|they)(?:['’](?:re|ve|ll|m))?\s+(?:are\s+|have\s+|will\s+|am\s+)?(?:now\s+)?(?:go|going|went|us(?:e|ed|ing)|tak(?:e|ing)|took|chose|opt(?:ed|ing)?|hav(?:e|ing)|build(?:ing)?|order(?:ed|ing)?|buy(?:ing)?|bought|rent(?:ed|ing)?|book(?:ed|ing)?|lay(?:ing)?)\s+(?:with\s+|for\s+)?`+some+`\s+(?:rather than|instead of|in place of)\s+`+tail,
		"rather than|instead of|in place of", "en.replace.9", trilith.Replaces)),
	unsaid(second(`^(?:instead of|in place of|rather than)\s+`+some+`,?\s+(?:we\s+|I\s+|they\s+|there\s+)`+tail,
		"instead|in place of|rather than", "en.replace.3", trilith.Replaces)),
	first(head+some+`,?\s+(?:instead of|in place of|rather than|in lieu of)\s+`+tail,
		"instead|in place of|rather than|in lieu", "en.replace.4", trilith.Replaces),
	unsaid(second(head+`(?:we|I|they)(?:['’](?:re|ve|ll|m))?\s+(?:have\s+|had\s+|will\s+|are\s+|am\s+)?(?:now\s+)?(?:replac(?:ed?|ing)|swap(?:ped|ping)?|exchang(?:ed?|ing))\s+`+some+`\s+(?:by|with|for)\s+`+tail,
		"replac|swap|exchang", "en.replace.5", trilith.Replaces)),
	unsaid(second(head+`(?:we|I|they)(?:['’](?:re|ve|ll|m))?\s+(?:have\s+|are\s+)?(?:drop(?:ped|ping)?|ditch(?:ed|ing)?|scrap(?:ped|ping)?|abandon(?:ed|ing)?)\s+`+some+`\s+in\s+favou?r\s+of\s+`+tail,
		"favor|favour", "en.replace.8", trilith.Replaces)),
	unsaid(second(head+`(?:we|I|they)\s+(?:have\s+)?(?:switch(?:ed)?|chang(?:e|ed)|moved)\s+from\s+`+some+`\s+to\s+`+tail,
		"from", "en.replace.6", trilith.Replaces)),
}

var germanRules = []rule{
	thrice(first(head+some+`\s+`+kann+`\s+([^,;:]{0,60}?)\s*\berst\b([^,;:]{0,60}?)(?:,\s*(?:wenn|sobald|nachdem)\s+)`+whole,
		"erst", "de.wait.1", trilith.DependsOn)),
	joined(first(head+some+`\s+`+kann+`\s+([^,;:]{0,60}?)\s*\berst\s+(?:nach|mit|ab|bei)\s+`+tail,
		"erst", "de.wait.2", trilith.DependsOn)),
	first(head+some+`\s+`+begins+`\s+(?:erst\s+)(?:nach|mit)\s+`+tail, "erst", "de.wait.3", trilith.DependsOn),
	first(head+some+`\s+`+begins+`\s+(?:erst)?[^,;:]{0,30},\s*(?:wenn|sobald|nachdem)\s+`+whole,
		"wenn|sobald|nachdem", "de.wait.4", trilith.DependsOn),
	thrice(first(head+some+`\s+`+kann+`\s+([^,;:]{0,60}?)\s*\b(?:nicht|noch nicht|keine?n?)\b([^,;:]{0,40}),\s*(?:bevor|bis|solange|ehe)\s+`+whole,
		"bevor|bis|solange|ehe", "de.wait.5", trilith.DependsOn)),
	second(`^ohne\s+`+some+`\s+(?:kann|können|geht|gehen|darf|dürfen|läuft|gibt)\s+(?:es\s+|wir\s+|man\s+|ich\s+)*`+tail,
		"ohne", "de.wait.6", trilith.DependsOn),
	first(head+some+`\s+`+kann+`\s+[^,;:]{0,20}?\bohne\s+`+some+`\s+(?:nicht|noch nicht)\b`, "ohne", "de.wait.7", trilith.DependsOn),
	second(`^vor\s+`+some+`\s+(?:geht|läuft|passiert)\s+(?:bei|beim|bei der|mit|mit der|mit dem|am|an der)\s+`+some+`\s+(?:gar\s+)?nichts\b`, "nichts", "de.wait.8", trilith.DependsOn),
	first(head+`keine?n?\s+`+some+`\s+ohne\s+`+tail, "ohne", "de.wait.9", trilith.DependsOn),
	second(`^ohne\s+`+some+`\s+(?:gibt es\s+)?keine?n?\s+`+tail, "ohne", "de.wait.10", trilith.DependsOn),
	unsaid(second(`^(?:sobald|erst wenn|nachdem|wenn)\s+`+some+`,\s*(?:dann\s+)?(?:`+kann+`|`+begins+`|wird|bestellen|machen|starten|legen)\s+(?:wir\s+|man\s+|ich\s+|es\s+)*`+tail,
		"sobald|wenn|nachdem", "de.after.1", trilith.DependsOn)),
	unsaid(joined(first(head+some+`\s+`+kann+`\s+([^,;:]{0,60}?),\s*(?:sobald|nachdem)\s+`+whole,
		"sobald|nachdem", "de.after.2", trilith.DependsOn))),
	unsaid(first(head+some+`,\s*(?:sobald|nachdem)\s+`+whole, "sobald|nachdem", "de.after.3", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:folgt\s+auf|(?:folgt|kommt|erfolgt)\s+nach\s+(?:der|dem|den))\s+`+tail, "folgt|kommt|erfolgt", "de.after.4", trilith.DependsOn)),
	unsaid(first(`^(?:bevor|ehe)\s+`+some+`,\s*(?:muss|müssen|sollte|sollten)\s+(?:wir\s+|erst\s+|noch\s+|zuerst\s+)*`+tail,
		"bevor|ehe", "de.before.1", trilith.DependsOn)),
	unsaid(second(head+some+`\s+(?:muss|müssen)\s+[^,;:]{0,50},\s*(?:bevor|ehe)\s+`+whole, "bevor|ehe", "de.before.2", trilith.DependsOn)),
	unsaid(second(head+some+`\s+(?:muss|müssen)\s+vor\s+`+some+`\s+(?:fertig|erledigt|abgeschlossen|da|geklärt|trocken|genehmigt|freigegeben|unterschrieben|bezahlt)\b`,
		" vor ", "de.before.3", trilith.DependsOn)),
	unsaid(first(`^vor\s+`+some+`\s+(?:muss|müssen)\s+(?:noch\s+|erst\s+|zuerst\s+|wir\s+)*`+tail, "vor", "de.before.4", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:hängt|hängen)\s+(?:noch\s+|auch\s+|nur\s+|allein\s+|ganz\s+|stark\s+|direkt\s+)*(?:von|vom|an|am)\s+`+some+`\s+ab\b`,
		"häng", "de.depend.1", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:hängt|hängen)\s+(?:noch\s+|auch\s+|nur\s+)*(?:ab von|ab vom|nur noch an|noch an|allein an)\s+`+tail, "häng", "de.depend.2", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:hängt|hängen)\s+(?:noch\s+|nur\s+)*(?:an|am)\s+(?:der|dem|den|einer|einem|unserer|unserem)\s+`+tail, "häng", "de.depend.5", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:ist|sind)\s+(?:noch\s+|auch\s+)*(?:abhängig\s+(?:von|vom)|angewiesen\s+auf)\s+`+tail, "abhängig|angewiesen", "de.depend.3", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:ist|sind)\s+(?:von|vom|auf)\s+`+some+`\s+(?:abhängig|angewiesen)\b`, "abhängig|angewiesen", "de.depend.4", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:ist|sind)\s+(?:noch\s+|auch\s+)*an\s+`+some+`\s+(?:gebunden|geknüpft|gekoppelt)\b`, "gebunden|geknüpft|gekoppelt", "de.depend.7", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:geht|gehen|klappt|klappen|funktioniert|funktionieren|läuft|gibt es)\s+nur\s+(?:mit|nach)\s+(?:der|dem|den|einer|einem)\s+`+tail, " nur ", "de.require.4", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:steht|stehen)\s+und\s+(?:fällt|fallen)\s+mit\s+`+tail, "fällt|fallen", "de.depend.6", trilith.DependsOn)),
	second(`^keine?n?\s+([^,;:]{2,60}?),\s*keine?n?\s+`+tail, "kein", "de.wait.11", trilith.DependsOn),
	unsaid(first(head+some+`\s+(?:wartet|warten)\s+(?:noch\s+|weiter\s+|immer noch\s+)*auf\s+`+tail, "warte", "de.await.1", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:muss|müssen)\s+(?:noch\s+)?auf\s+`+some+`\s+warten\b`, "warten", "de.await.2", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:muss|müssen)\s+(?:noch\s+)?warten,\s*bis\s+`+whole, "warten", "de.await.3", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:setzt|setzen)\s+`+some+`\s+voraus\b`, "voraus", "de.require.1", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:erfordert|benötigt|verlangt)\s+(?:erst\s+|zuerst\s+|vorher\s+)?`+tail, "erfordert|benötigt|verlangt", "de.require.2", trilith.DependsOn)),
	unsaid(first(`^für\s+`+some+`\s+(?:brauchen|benötigen|braucht|benötigt)\s+(?:wir|man|es)\s+(?:noch\s+|erst\s+|zuerst\s+|auch\s+)*`+tail,
		"brauch|benötig", "de.require.3", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:ruht|ruhen|stockt|stocken|pausiert|pausieren|steht still|stehen still|liegt auf Eis|liegen auf Eis),?\s+bis\s+`+whole,
		"bis", "de.await.4", trilith.DependsOn)),
	unsaid(first(head+some+`\s+(?:ist|sind)\s+(?:die\s+|eine\s+)?Voraussetzung(?:en)?\s+(?:für|von)\s+`+tail, "voraussetzung", "de.block.4", trilith.Blocks)),
	unsaid(second(head+some+`\s+(?:ist|sind|wird|werden|bleibt|wurde|wurden)\s+(?:noch\s+|derzeit\s+|momentan\s+|immer noch\s+)*(?:durch|von|vom|wegen)\s+`+some+`\s+`+blockedG+`\b`,
		"blockiert|aufgehalten|gebremst|verhindert", "de.block.1", trilith.Blocks)),
	unsaid(second(head+some+`\s+(?:ist|sind|wird|werden|bleibt)\s+(?:noch\s+|derzeit\s+)*`+blockedG+`\s+(?:durch|von|vom|wegen)\s+`+tail,
		"blockiert|aufgehalten|gebremst|verhindert", "de.block.2", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:blockiert|blockieren|verhindert|verhindern|behindert|behindern)\s+(?:noch\s+|derzeit\s+|uns bei\s+)*`+tail,
		"blockier|verhinder|behinder", "de.block.3", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:bremst|bremsen)\s+`+some+`\s+aus\b`, "brems", "de.block.6", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:legt|legen)\s+`+some+`\s+lahm\b`, "lahm", "de.block.7", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:steht|stehen)\s+`+some+`\s+im Weg\b`, "im weg", "de.block.8", trilith.Blocks)),
	unsaid(first(head+some+`\s+(?:hält|halten)\s+`+some+`\s+auf\b`, "hält|halten", "de.block.5", trilith.Blocks)),
	unsaid(first(`^(?:wegen|aufgrund|auf grund|infolge|dank|durch)\s+(?:von\s+)?`+some+`\s+(?:verschiebt|verzögert|verschieben|verzögern|ist|sind|wird|werden|haben|hat|steigt|steigen|kommt|kommen|wurde|wurden|fällt|dauert|kostet|brauchen|müssen|muss|gibt)\s+(?:sich\s+|wir\s+|es\s+)*`+tail,
		"wegen|aufgrund|auf grund|infolge|dank|durch", "de.cause.1", trilith.Causes)),
	second(head+some+`,?\s+(?:wegen|aufgrund|infolge|auf Grund)\s+(?:von\s+)?`+tail, "wegen|aufgrund|auf grund|infolge", "de.cause.2", trilith.Causes),
	second(head+some+`,\s*(?:weil|da)\s+`+tail, "weil|, da ", "de.cause.3", trilith.Causes),
	unsaid(first(head+some+`,\s*(?:deshalb|deswegen|daher|darum|weshalb|weswegen)\s+`+tail, "deshalb|deswegen|daher|darum|weshalb|weswegen", "de.cause.13", trilith.Causes)),
	unsaid(second(`^für\s+`+some+`\s+(?:springt|springen|sprang)\s+`+some+`\s+ein\b`, "spring|sprang", "de.replace.7", trilith.Replaces)),
	unsaid(first(head+some+`\s+(?:löst|lösen|löste|lösten)\s+`+some+`\s+ab\b`, "löst|lösen", "de.replace.6", trilith.Replaces)),
	unsaid(first(head+some+`\s+(?:verursacht|verursachen|führt zu|führen zu|bewirkt)\s+`+tail, "verursach|führ|bewirkt", "de.cause.4", trilith.Causes)),
	unsaid(first(head+some+`\s+(?:hat|haben)\s+(?:zu|zur|zum)?\s*`+some+`\s+(?:geführt|verursacht|ausgelöst)\b`, "geführt|verursacht|ausgelöst", "de.cause.5", trilith.Causes)),
	unsaid(first(head+some+`\s+(?:führte|führten|führt|führen)\s+(?:auch\s+)?(?:zum|zur|zu)\s+`+tail, "führ", "de.cause.6", trilith.Causes)),
	unsaid(first(head+some+`\s+(?:löste|lösten|löst|lösen)\s+`+some+`\s+aus\b`, "löst|lösen", "de.cause.7", trilith.Causes)),
	unsaid(first(head+some+`\s+(?:ist|sind|war|waren)\s+(?:wohl\s+|auch\s+)*schuld\s+(?:an|am)\s+`+tail, "schuld", "de.cause.12", trilith.Causes)),
	unsaid(second(head+some+`\s+(?:geht|gehen|ging|gingen)\s+auf\s+`+some+`\s+zurück\b`, "zurück", "de.cause.9", trilith.Causes)),
	unsaid(second(head+some+`\s+(?:ist|sind|war|waren)\s+(?:[a-zäöü]+\s+)?auf\s+`+some+`\s+zurückzuführen\b`, "zurückzuführen", "de.cause.10", trilith.Causes)),
	unsaid(second(head+some+`\s+(?:rührt|rühren|stammt|stammen|kommt|kommen)\s+(?:von|vom)\s+`+some+`\s+her\b`, " her", "de.cause.11", trilith.Causes)),
	unsaid(second(head+`(?:der\s+|die\s+)?(?:Grund|Ursache)\s+(?:für|von|des|der)\s+`+some+`\s+(?:ist|sind|war|waren)\s+`+tail,
		"grund|ursache", "de.cause.8", trilith.Causes)),
	unsaid(first(head+some+`\s+(?:gehört|gehören|zählt|zählen)\s+(?:auch\s+|noch\s+|schon\s+)*(?:zu|zum|zur)\s+`+tail, "gehör|zähl", "de.part.1", trilith.PartOf)),
	unsaid(first(head+some+`\s+(?:ist|sind)\s+(?:schon\s+|auch\s+)*(?:im|in der|in den|in dem)\s+`+some+`\s+(?:enthalten|inbegriffen|drin)\b`, "enthalten|inbegriffen|drin", "de.part.5", trilith.PartOf)),
	unsaid(first(head+some+`\s+(?:steckt|stecken)\s+(?:auch\s+|schon\s+)*(?:im|in der|in dem)\s+(\pL*(?:vertrag|paket|angebot|auftrag|preis|phase|abschnitt|budget|pauschale))[.!]*$`, "steck", "de.part.6", trilith.PartOf)),
	unsaid(second(`^(?:zu|zum|zur)\s+(?:(?:den|der|dem)\s+)?`+some+`\s+gehör(?:t|en)\s+(?:auch\s+|noch\s+|außerdem\s+)*`+tail, "gehör", "de.part.4", trilith.PartOf)),
	unsaid(first(head+some+`\s+(?:ist|sind)\s+(?:auch\s+)?(?:ein\s+|eine\s+)?(?:Teil|Bestandteil|Phase|Schritt|Abschnitt|Teil von)\s+(?:von|vom|der|des|dem|im|in der)?\s*`+tail,
		"teil|phase|schritt|abschnitt", "de.part.2", trilith.PartOf)),
	unsaid(second(head+some+`\s+(?:umfasst|umfassen|beinhaltet|enthält|besteht aus|schließt)\s+(?:auch\s+)?`+tail, "umfass|beinhalt|enthält|besteht|schließt", "de.part.3", trilith.PartOf)),
	unsaid(first(`^mit\s+`+some+`\s+(?:ist|sind|wurde|wurden|gilt|gelten)\s+(?:nun\s+|jetzt\s+|auch\s+)*`+some+`\s+(?:vollständig\s+|nun\s+)?(?:beglichen|bezahlt|erledigt|beantwortet|geklärt|abgegolten|entschieden)\b`,
		"mit ", "de.settle.1", trilith.Settles)),
	unsaid(second(head+some+`\s+(?:ist|sind|wurde|wurden|wird)\s+(?:nun\s+|jetzt\s+)*(?:mit|durch)\s+`+some+`\s+(?:beglichen|bezahlt|erledigt|beantwortet|geklärt|abgegolten)\b`,
		"beglichen|bezahlt|erledigt|beantwortet|geklärt|abgegolten", "de.settle.2", trilith.Settles)),
	unsaid(first(head+some+`\s+(?:begleicht|begleichen|bezahlt|klärt|beantwortet|deckt)\s+`+tail, "begleich|bezahlt|klärt|beantwortet|deckt", "de.settle.3", trilith.Settles)),
	unsaid(first(head+some+`\s+(?:hat|haben)\s+`+some+`\s+(?:behoben|gelöst|geklärt|erledigt|beigelegt|beantwortet|beglichen)\b`,
		"behoben|gelöst|geklärt|erledigt|beigelegt|beantwortet|beglichen", "de.settle.4", trilith.Settles)),
	unsaid(second(head+some+`\s+(?:wird|werden|wurde|wurden)\s+(?:nun\s+|jetzt\s+)*(?:durch|von)\s+`+some+`\s+(?:ersetzt|abgelöst)\b`, "ersetzt|abgelöst", "de.replace.1", trilith.Replaces)),
	unsaid(first(head+some+`\s+(?:ersetzt|ersetzen)\s+`+tail, "ersetz", "de.replace.2", trilith.Replaces)),
	unsaid(first(head+some+`\s+(?:tritt|treten)\s+(?:nun\s+|jetzt\s+)*an\s+die\s+Stelle\s+(?:von\s+)?`+tail, "an die stelle", "de.replace.5", trilith.Replaces)),
	unsaid(second(`^(?:statt|anstatt|anstelle|an Stelle)\s+(?:von\s+)?`+some+`\s+(?:nehmen|nimmt|kommt|kommen|gibt|machen|verlegen|bestellen|bauen|wählen|kaufen|verwenden|nutzen|benutzen|fahren|arbeiten|haben|wird|werden|setzen)\s+(?:wir\s+|es\s+|nun\s+|jetzt\s+)*`+tail,
		"statt|anstelle|an stelle", "de.replace.3", trilith.Replaces)),
	first(head+some+`,?\s+(?:statt|anstatt|anstelle|an Stelle)\s+(?:von\s+)?`+tail, "statt|anstelle|an stelle", "de.replace.4", trilith.Replaces),
}

// compiled makes the tables into one, and their patterns when they are first needed.
func compiled(tables ...[]rule) []rule {
	var out []rule
	for _, t := range tables {
		for _, r := range t {
			r.pattern = lazyre.New(`(?i)` + r.re)
			out = append(out, r)
		}
	}
	return out
}
