package main

import "strings"

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// stop are the words that carry the form of a text and not its topic; they get no vector.
var stop = set(`
a about above after again against all also am an and any are as at be because been before being below between both but by can
could d did do does doing don down during each few for from further had has have having he her here hers herself him himself his
how i if in into is isn it its itself just ll m me more most my myself no nor not now of off on once only or other our ours
ourselves out over own re s same she should so some such t than that the their theirs them themselves then there these they this
those through to too under until up us ve very was we were what when where which while who whom why will with would you your yours
yourself yourselves
arent cant couldnt didnt doesnt dont hadnt hasnt havent hes id ill im isnt ive lets shes shouldnt thats theres theyre theyve wasnt
werent weve whats wont wouldnt youd youll youre youve
`)

// asking are words of requests. The subject of a request says more than its form, so their vectors are shortened.
var asking = set(`
recommend recommends recommended recommendation recommendations suggest suggests suggested suggestion suggestions advice advise tips
tip ideas idea considering looking help helping please tell share know want need wondering thinking best good great way ways things
thing something anything options option specific recently
`)

const askingFactor = 0.25
