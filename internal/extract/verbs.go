package extract

import (
	"maps"
	"strings"

	"github.com/trilith-memory/trilith"
)

// Verb describes a relation.
type Verb struct {
	Type   trilith.FactType
	Node   string // type of its fact nodes
	Single bool   // it holds one value at a time: a new value closes the old one

	weight float64      // factor of a stated fact's confidence: how reliable the rules of the family are
	say    [2][3]string // by language: affirmed, denied, ended; # is the subject, * the node's name
}

// Verbs returns the known relations by name. A name that ends in _ represents all names that begin with it, such as
// favourite_colour and budget_for_kitchen.
func Verbs() map[string]Verb { return maps.Clone(verbs) }

// lookUp returns the description of a verb.
func lookUp(name string) Verb {
	if v, ok := verbs[name]; ok {
		return v
	}
	prefix, rest, _ := strings.Cut(name, "_")
	if v, ok := verbs[prefix+"_"]; ok || rest == "" {
		return v
	}
	return lookUp(rest) // of a relative: sister_lives_in
}

// certaintyWeight is the factor by which a certainty reduces a family's weight.
var certaintyWeight = map[trilith.Certainty]float64{trilith.Stated: 1, trilith.Planned: 0.8, trilith.Reported: 0.65,
	trilith.Hedged: 0.55}

func says(english, german [3]string) [2][3]string { return [2][3]string{english, german} }

// forms makes the three sentences of an English verb in the third person: lives in → does not live in, no longer lives
// in.
func forms(base, third string) [3]string {
	return [3]string{"# " + third + " *.", "# does not " + base + " *.", "# no longer " + third + " *."}
}

// beings makes the sentences of a predicate with is.
func beings(rest string) [3]string {
	return [3]string{"# is " + rest + ".", "# is not " + rest + ".", "# is no longer " + rest + "."}
}

// formen makes the sentences of a German verb whose negation comes after it: wohnt (nicht, nicht mehr) in *.
func formen(verb, rest string) [3]string {
	return [3]string{"# " + verb + " " + rest + ".", "# " + verb + " nicht " + rest + ".", "# " + verb +
		" nicht mehr " + rest + "."}
}

// labelled makes sentences without a predicate: a word for the subject matter, and the matter.
func labelled(yes, no, ended string) [3]string {
	return [3]string{yes + ": *.", no + ": *.", ended + ": *."}
}

func kin(english, german string) Verb {
	return Verb{trilith.FactRelationship, "Person", false, 0.9, says(
		[3]string{"#'s " + english + " is *.", "#'s " + english + " is not *.", "#'s " + english + " is no longer *."},
		[3]string{german + " von # ist *.", german + " von # ist nicht *.", german + " von # ist nicht mehr *."})}
}

func one(v Verb) Verb {
	v.Single = true
	return v
}

func sum(english, german string) Verb {
	return Verb{trilith.FactFinancial, "Amount", false, 0.85,
		says(labelled(english, "Not "+english, "No longer "+english),
			labelled(german, "Kein "+german, "Nicht mehr "+german))}
}

// ownMoney describes money that somebody earns or pays for living.
func ownMoney(english, german string) Verb {
	return Verb{trilith.FactFinancial, "Amount", false, 0.85,
		says([3]string{"#'s " + english + " is *."}, [3]string{german + " von #: *."})}
}

var verbs = map[string]Verb{
	"has_name": {trilith.FactProfile, "Name", true, 0.95,
		says(forms("have the name", "is called"), formen("heißt", "*"))},
	"goes_by": {trilith.FactProfile, "Name", true, 0.9,
		says(forms("go by", "goes by"), formen("wird", "* genannt"))},
	"lives_in": {trilith.FactProfile, "Location", true, 0.9,
		says(forms("live in", "lives in"), formen("wohnt", "in *"))},
	"comes_from": {trilith.FactProfile, "Location", true, 0.9,
		says(forms("come from", "comes from"), formen("kommt", "aus *"))},
	"born_in": {trilith.FactProfile, "Location", true, 0.9,
		says(beings("born in *"), formen("ist", "in * geboren"))},
	"has_nationality": {trilith.FactProfile, "Nationality", false, 0.85, says(beings("*"), formen("ist", "*"))},
	"has_age": {trilith.FactProfile, "Age", true, 0.9,
		says(beings("* years old"), formen("ist", "* Jahre alt"))},
	"has_birthday": {trilith.FactProfile, "Date", true, 0.9,
		says([3]string{"#'s birthday is *."}, [3]string{"# hat am * Geburtstag."})},
	"has_birth_year": {trilith.FactProfile, "Year", true, 0.9,
		says([3]string{"# was born in *."}, [3]string{"# ist Jahrgang *."})},
	"works_as": {trilith.FactProfile, "Occupation", true, 0.9,
		says(forms("work as", "works as"), formen("arbeitet", "als *"))},
	"works_at": {trilith.FactProfile, "Organisation", true, 0.85,
		says(forms("work at", "works at"), formen("arbeitet", "bei *"))},
	"studies": {trilith.FactProfile, "Subject", false, 0.85,
		says(forms("study", "studies"), formen("studiert", "*"))},
	"likes": {trilith.FactPreference, "Preference", false, 0.85,
		says(forms("like", "likes"), formen("mag", "*"))},
	"dislikes": {trilith.FactPreference, "Preference", false, 0.85,
		says(forms("dislike", "dislikes"), formen("hasst", "*"))},
	"prefers": {trilith.FactPreference, "Preference", false, 0.85,
		says(forms("prefer", "prefers"), formen("bevorzugt", "*"))},
	"favourite_": {trilith.FactPreference, "Preference", true, 0.9,
		says([3]string{"#'s favourite is *."}, [3]string{"Am liebsten hat # *."})},
	"allergic_to": {trilith.FactProfile, "Substance", false, 0.95,
		says(beings("allergic to *"), formen("ist", "allergisch gegen *"))},
	"intolerant_to": {trilith.FactProfile, "Substance", false, 0.9,
		says(forms("have an intolerance to", "cannot tolerate"),
			[3]string{"# verträgt kein(e) *.", "# verträgt *.", "# verträgt wieder *."})},
	"follows_diet": {trilith.FactProfile, "Diet", false, 0.9, says(beings("*"), formen("lebt", "*"))},
	"avoids": {trilith.FactPreference, "Substance", false, 0.85,
		says([3]string{"# avoids *.", "# does not avoid *.", "# no longer avoids *."}, formen("meidet", "*"))},
	"owns": {trilith.FactProfile, "Thing", false, 0.8, says(forms("own", "owns"), formen("besitzt", "*"))},
	"uses": {trilith.FactProfile, "Tool", false, 0.8, says(forms("use", "uses"), formen("nutzt", "*"))},
	"has_pet": {trilith.FactRelationship, "Pet", false, 0.9,
		says([3]string{"# has a pet called *.", "# has no pet called *.", "# no longer has *."},
			[3]string{"# hat ein Haustier namens *.", "# hat kein Haustier namens *.", "# hat * nicht mehr."})},
	"has_wife":      one(kin("wife", "Die Ehefrau")),
	"has_husband":   one(kin("husband", "Der Ehemann")),
	"has_spouse":    one(kin("spouse", "Die Ehe")),
	"has_partner":   one(kin("partner", "Partner oder Partnerin")),
	"has_mother":    one(kin("mother", "Die Mutter")),
	"has_father":    one(kin("father", "Der Vater")),
	"has_son":       kin("son", "Ein Sohn"),
	"has_daughter":  kin("daughter", "Eine Tochter"),
	"has_brother":   kin("brother", "Ein Bruder"),
	"has_sister":    kin("sister", "Eine Schwester"),
	"has_relative":  kin("relative", "Eine verwandte Person"),
	"has_boss":      one(kin("boss", "Chef oder Chefin")),
	"has_landlord":  one(kin("landlord", "Vermieter oder Vermieterin")),
	"has_colleague": kin("colleague", "Jemand aus der Arbeit"),
	"has_friend":    kin("friend", "Befreundete Person"),
	"has_neighbour": kin("neighbour", "Nachbar oder Nachbarin"),
	"has_children": {trilith.FactProfile, "Count", true, 0.9,
		says([3]string{"# has * children."}, [3]string{"# hat * Kinder."})},
	"has_marital_status": {trilith.FactProfile, "Status", true, 0.9, says(beings("*"), formen("ist", "*"))},
	"plans": {trilith.FactPlan, "Plan", false, 0.85,
		says(forms("plan to", "plans to"),
			[3]string{"# hat vor: *.", "# hat nicht vor: *.", "# hat nicht mehr vor: *."})},
	"has_appointment": {trilith.FactSchedule, "Appointment", false, 0.85,
		says([3]string{"# has an appointment: *."}, [3]string{"# hat einen Termin: *."})},
	"did": {trilith.FactEvent, "Event", false, 0.8,
		says([3]string{"# *."}, [3]string{"# hat erlebt: *."})},
	"has_task": {trilith.FactTask, "Task", false, 0.85,
		says(labelled("Task", "Not to do", "No longer to do"),
			labelled("Aufgabe", "Nicht zu tun", "Nicht mehr zu tun"))},
	"decided": {trilith.FactDecision, "Decision", false, 0.85,
		says(labelled("Decided", "Decided against", "Decided against"),
			labelled("Entschieden", "Dagegen entschieden", "Dagegen entschieden"))},
	"has_deadline": {trilith.FactSchedule, "Deadline", false, 0.85,
		says(labelled("Deadline", "No deadline", "No longer due"),
			labelled("Frist", "Keine Frist", "Nicht mehr fällig"))},
	"has_risk": {trilith.FactRisk, "Risk", false, 0.85,
		says(labelled("Risk", "No risk", "No longer a risk"), labelled("Risiko", "Kein Risiko", "Kein Risiko mehr"))},
	"has_constraint": {trilith.FactConstraint, "Constraint", false, 0.85,
		says(labelled("Constraint", "No constraint", "No longer a constraint"),
			labelled("Vorgabe", "Keine Vorgabe", "Keine Vorgabe mehr"))},
	"has_milestone": {trilith.FactMilestone, "Milestone", false, 0.85,
		says(labelled("Milestone", "No milestone", "No longer a milestone"),
			labelled("Meilenstein", "Kein Meilenstein", "Kein Meilenstein mehr"))},
	"has_schedule": {trilith.FactSchedule, "Schedule", false, 0.8,
		says(labelled("Schedule", "Not scheduled", "No longer scheduled"),
			labelled("Termin", "Kein Termin", "Kein Termin mehr"))},
	"uses_material": {trilith.FactMaterial, "Material", false, 0.85,
		says(labelled("Material", "Material not used", "Material no longer used"),
			labelled("Material", "Nicht verwendetes Material", "Nicht mehr verwendetes Material"))},
	"works_in": {trilith.FactProfile, "Field", true, 0.85,
		says(forms("work in", "works in"), formen("arbeitet", "in *"))},
	"teaches": {trilith.FactProfile, "Subject", false, 0.85,
		says(forms("teach", "teaches"), formen("unterrichtet", "*"))},
	"runs": {trilith.FactProfile, "Business", false, 0.85,
		says([3]string{"# runs a business: *.", "# does not run *.", "# no longer runs *."},
			[3]string{"# führt einen Betrieb: *.", "# führt * nicht.", "# führt * nicht mehr."})},
	"has_work_status": {trilith.FactProfile, "Status", true, 0.85, says(beings("*"), formen("ist", "*"))},
	"studies_in": {trilith.FactProfile, "Location", true, 0.85,
		says(forms("study in", "studies in"), formen("studiert", "in *"))},
	"has_degree": {trilith.FactProfile, "Degree", false, 0.85,
		says(forms("have this degree:", "has this degree:"), formen("hat", "diesen Abschluss: *"))},
	"has_condition": {trilith.FactProfile, "Condition", false, 0.9,
		says([3]string{"# has this condition: *.", "# does not have *.", "# no longer has *."},
			[3]string{"# hat gesundheitlich: *.", "# hat nicht: *.", "# hat nicht mehr: *."})},
	"takes_medicine": {trilith.FactProfile, "Medicine", false, 0.85,
		says(forms("take", "takes"), formen("nimmt", "*"))},
	"speaks": {trilith.FactProfile, "Language", false, 0.9,
		says(forms("speak", "speaks"), formen("spricht", "*"))},
	"learns": {trilith.FactProfile, "Subject", false, 0.85,
		says([3]string{"# is learning *.", "# is not learning *.", "# is no longer learning *."},
			formen("lernt", "*"))},
	"plays": {trilith.FactProfile, "Activity", false, 0.85,
		says(forms("play", "plays"), formen("spielt", "*"))},
	"works_on": {trilith.FactPlan, "Project", false, 0.85,
		says([3]string{"# is working on *.", "# is not working on *.", "# is no longer working on *."},
			formen("arbeitet", "an *"))},
	"has_phone": {trilith.FactProfile, "Phone", true, 0.9,
		says([3]string{"#'s phone number is *."}, [3]string{"Telefonnummer von #: *."})},
	"has_work_phone": {trilith.FactProfile, "Phone", true, 0.9,
		says([3]string{"#'s phone number at work is *."}, [3]string{"Dienstliche Telefonnummer von #: *."})},
	"has_email": {trilith.FactProfile, "Email", true, 0.9,
		says([3]string{"#'s e-mail address is *."}, [3]string{"E-Mail-Adresse von #: *."})},
	"has_work_email": {trilith.FactProfile, "Email", true, 0.9,
		says([3]string{"#'s e-mail address at work is *."}, [3]string{"Dienstliche E-Mail-Adresse von #: *."})},
	"has_address": {trilith.FactProfile, "Address", true, 0.9,
		says([3]string{"#'s address is *."}, [3]string{"Adresse von #: *."})},
	"has_trait":  {trilith.FactProfile, "Trait", false, 0.85, says(beings("*"), formen("ist", "*"))},
	"has_height": {trilith.FactProfile, "Height", true, 0.9, says(beings("* tall"), formen("ist", "* groß"))},
	"has_size": {trilith.FactProfile, "Size", false, 0.85,
		says(forms("wear size", "wears size"), formen("trägt", "Größe *"))},
	"has_blood_type": {trilith.FactProfile, "BloodType", true, 0.9,
		says([3]string{"#'s blood type is *."}, [3]string{"Blutgruppe von #: *."})},
	"wants": {trilith.FactPlan, "Goal", false, 0.8,
		says(forms("want to", "wants to"),
			[3]string{"# hat dieses Ziel: *.", "# will nicht: *.", "# will nicht mehr: *."})},
	"does_regularly": {trilith.FactProfile, "Habit", false, 0.85,
		says([3]string{"# has this habit: *.", "# does not *.", "# no longer has this habit: *."},
			[3]string{"# tut regelmäßig: *.", "# tut nicht: *.", "# tut nicht mehr regelmäßig: *."})},
	"visited": {trilith.FactEvent, "Location", false, 0.85,
		says([3]string{"# has been to *.", "# has not been to *."}, [3]string{"# war in *.", "# war nicht in *."})},
	"lives_with": {trilith.FactProfile, "Person", false, 0.85,
		says(forms("live with", "lives with"), formen("wohnt", "zusammen mit *"))},
	"commutes_by": {trilith.FactProfile, "Vehicle", true, 0.85,
		says([3]string{"# goes to work by *."}, [3]string{"# kommt so zur Arbeit: *."})},
	"provider_": {trilith.FactProfile, "Organisation", true, 0.85,
		says([3]string{"#'s provider is *."}, [3]string{"Anbieter von #: *."})},
	"has_weight": {trilith.FactProfile, "Weight", true, 0.9,
		says(forms("weigh", "weighs"), formen("wiegt", "*"))},
	"has_role": {trilith.FactProfile, "Role", false, 0.85, says(beings("*"), formen("ist", "*"))},
	"member_of": {trilith.FactProfile, "Group", false, 0.85,
		says(beings("a member of *"), formen("gehört", "dazu: *"))},
	"has_availability": {trilith.FactSchedule, "Availability", false, 0.85, says(beings("*"), formen("ist", "*"))},
	"has_child":        kin("child", "Ein Kind"),
	"has_sibling":      kin("sibling", "Geschwister"),
	"has_parent":       kin("parent", "Ein Elternteil"),
	"consults": {trilith.FactRelationship, "Person", false, 0.85,
		says(forms("go to", "goes to"), formen("geht", "zu *"))},
	"approved": {trilith.FactDecision, "Approval", false, 0.85,
		says(labelled("Approved", "Not approved", "No longer approved"),
			labelled("Freigegeben", "Nicht freigegeben", "Nicht mehr freigegeben"))},
	"has_blocker": {trilith.FactRisk, "Blocker", false, 0.85,
		says(labelled("Blocked", "Not blocked", "No longer blocked"),
			labelled("Blockiert", "Nicht blockiert", "Nicht mehr blockiert"))},
	"has_contractor": {trilith.FactRelationship, "Organisation", false, 0.85,
		says(labelled("Contractor", "Not the contractor", "No longer the contractor"),
			labelled("Auftragnehmer", "Nicht Auftragnehmer", "Nicht mehr Auftragnehmer"))},
	"has_supplier": {trilith.FactRelationship, "Organisation", false, 0.85,
		says(labelled("Supplier", "Not a supplier", "No longer a supplier"),
			labelled("Lieferant", "Kein Lieferant", "Kein Lieferant mehr"))},
	"has_client": {trilith.FactRelationship, "Organisation", false, 0.85,
		says(labelled("Client", "Not a client", "No longer a client"),
			labelled("Kunde", "Kein Kunde", "Kein Kunde mehr"))},
	"has_figure": {trilith.FactDataPoint, "Figure", false, 0.85,
		says(labelled("Figure", "Not", "No longer"), labelled("Stand", "Nicht", "Nicht mehr"))},
	"has_rate":         sum("Rate", "Satz"),
	"has_salary":       one(ownMoney("salary", "Gehalt")),
	"has_rent":         one(ownMoney("rent", "Miete")),
	"has_debt":         ownMoney("debt", "Schulden"),
	"has_estimate":     sum("Estimate", "Schätzung"),
	"has_quote":        sum("Quote", "Angebot"),
	"has_change_order": sum("Change order", "Nachtrag"),
	"has_hard_cost":    sum("Hard cost", "Baukosten"),
	"has_invoice":      sum("Invoice", "Rechnung"),
	"has_payment":      sum("Payment", "Zahlung"),
	"has_credit_note":  sum("Credit note", "Gutschrift"),
	"has_refund":       sum("Refund", "Erstattung"),
	"has_cost":         sum("Cost", "Kosten"),
	"has_budget":       one(sum("Budget", "Budget")),
	"budget_":          one(sum("Budget", "Budget")),
}

// sentenceFor returns a natural sentence for the fact.
func (h *hit) sentenceFor(v Verb) string {
	return sentenceFor(h.Found, v, h.rule.lang, h.subjectName())
}

func sentenceFor(f Found, v Verb, l lang, who string) string {
	form := 0
	switch {
	case f.Ends:
		form = 2
	case f.Polarity == trilith.Negated:
		form = 1
	}
	pattern := v.say[l][form]
	if pattern == "" {
		pattern = v.say[l][0]
	}
	if what, ok := strings.CutPrefix(f.Verb, "favourite_"); ok {
		pattern = [2]string{english: "#'s favourite " + what + " is *.", german: "Lieblings" + what + " von #: *."}[l]
	}
	if what, ok := strings.CutPrefix(f.Verb, "provider_"); ok {
		what = strings.ReplaceAll(what, "_", " ")
		pattern = [2]string{english: "#'s " + what + " is with *.", german: strings.ToUpper(what[:1]) + what[1:] + " von #: *."}[l]
	}
	if f.Ends && f.Verb == "has_invoice" && f.Financial == nil {
		pattern = [2]string{english: "Paid: *.", german: "Bezahlt: *."}[l]
	}
	s := strings.NewReplacer("#", who, "*", f.Node.Name).Replace(pattern)
	note := ""
	switch due, _ := f.Content["due"].(string); {
	case due != "":
		note = [2]string{"due ", "bis "}[l] + due
	case f.Content["when"] != nil:
		note, _ = f.Content["when"].(string)
	}
	switch f.Certainty {
	case trilith.Hedged:
		note = strings.TrimPrefix(note+", "+[2]string{"not certain", "nicht sicher"}[l], ", ")
	case trilith.Reported:
		note = strings.TrimPrefix(note+", "+[2]string{"as reported", "laut anderen"}[l], ", ")
	}
	if note != "" {
		s = strings.TrimSuffix(s, ".") + " (" + note + ")."
	}
	return s
}

func (h *hit) subjectName() string {
	switch {
	case h.Subject == PersonSubject:
		return h.Name
	case h.kin != "":
		return h.kinName()
	}
	return h.speakerName()
}

func (h *hit) speakerName() string {
	switch {
	case h.turn.Speaker != "":
		return h.turn.Speaker
	case h.turn.Role == trilith.RoleAssistant:
		return [2]string{"The assistant", "Der Assistent"}[h.rule.lang]
	}
	return [2]string{"The user", "Der Nutzer"}[h.rule.lang]
}
