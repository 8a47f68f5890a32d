package extract

import "slices"

// allCues are the words of an end, by the facts that they may concern.
var allCues = slices.Concat(englishCues, germanCues)

var englishCues = []cues{
	{rule{id: "en.cue.1", meets: workVerbs, change: spokenEnd}, `
		last/final (ever) day/shift/week (was) at/with/for/in; walked out/away; left →; quit →; quit; resigned; stepped down; my/his/her notice; handed/gave/turned (in) my/his/her/the badge/keys/pass/laptop/uniform/resignation; parted ways/company; moved on from
		done/finished/through (up) at/with; retired; contract … ran out; contract … ended/expired/up; contract … not/wasn't renewed; time/stint/days/chapter/career/spell/adventure/job/role at/with/in/as … over/done/ended/finished/behind
		to an end; came/comes/come to an end; got/was/been/were/get let go; let me go; got/was/been/were/get/am/i'm laid off; laid me off; got/was/been/were/get/am/i'm made redundant; made me redundant; got/was/been/were/get/am/i'm fired/sacked/dismissed; fired/sacked/dismissed me; the boot; no longer at/with/work/works/working/employed/part/run/runs/running
		don't/doesn't/not work/works/working … anymore/longer; don't/doesn't/not work/works/working … any more; not at/with … anymore/longer; not at/with … any more; my back on; jumped ship; went under/bust; closed/shut down; out of … for good; left … behind`},
	{rule{id: "en.cue.2", meets: partingVerbs, change: spokenApart}, `
		aren't/not/isn't a couple/item; aren't/not/no (longer) together; no longer together/dating/married/engaged/seeing; not/aren't/isn't seeing/dating/married/engaged … anymore/longer; broke/broken up; broke/broken/breaking it off; split up; split with; have/we've split; have/are/we've/we're/has separated; separated from; separated
		parted ways; divorced; our divorce; getting/got a divorce; filed for divorce; called it quits; called off the/our engagement/wedding; called the wedding/engagement off; engagement/wedding/marriage/relationship is/was (all) off/over; over between; ended it/things; ended our/the relationship/marriage
		it's/we're/i'm/things (all/are) over/done/finished/through with/between; dumped; left/leaving me; walked out on me; single again; i'm single; my ex; separate ways; moved out on me; drifted apart; is over`},
	{rule{id: "en.cue.3", meets: append([]string{"owns"}, belovedVerbs...), change: spokenApart}, `
		died; passed away/on; passed; dead; put … down; put … to sleep; let … go; no longer with us; said … goodbye/goodbyes/good-bye; say goodbye/good-bye; rainbow bridge; i/we/i've/we've/have lost →; rehomed/re-homed
		buried; no longer alive/around; new home/family for; a new home/family; found … a new home; isn't/not around … anymore; isn't/not around … any more; didn't make it; didn't survive`},
	{rule{id: "en.cue.4", meets: thingVerbs, change: spokenEnd}, `
		sold →; traded →; swapped →; got/gotten/get rid of →; gave/given/passed/handed/threw/thrown/chucked … away/on/over/out/down; donated →; stolen →; nicked; pinched; scrapped →; written/wrote off; totalled/totaled; wrecked; beyond repair; the ghost; no longer have/own/drive/ride/mine/ours
		don't/doesn't have/own/drive/ride … anymore/longer; don't/doesn't have/own/drive/ride … any more; found a buyer/home; found a new owner/home; a new owner; no more; parted with →; returned →; burned/burnt down; sank; auctioned; flogged; let go of; let … go; gone
		went to the/a/my/our/some; has gone to; belongs to; died on me; conked out; gave … to my/our/a/the/some`},
	{rule{id: "en.cue.5", meets: doingVerbs, change: spokenEnd}, `
		gave/given/giving … up; gave/given/giving up; quit →; stopped/dropped/dropping/ended/cancelled/canceled/left/leaving/abandoned/ditched/paused →; packed/jacked … in; packed in; on the head; kicked; weaned … off; weaned off; came/come/gone/i'm/am/been/taken off; phased out; tapered off; tapered … off
		through/done/finished/over with →; over and done; in the towel; haven't/hasn't/not/didn't … in/for/since months/years/ages/weeks/forever; haven't/hasn't/not … in/for/since (over/about/almost/nearly/many/several/at) a/two/three/four/five/six/ten/last/least; haven't/hasn't … since
		put/set … aside; put/putting … on hold; packed … away; let … slide/slip/go; no more; lapse; lapsed; dropped out; unsubscribed; hung up my/his/her/the; pulled the plug; called it a day; called time on; of the past; behind me; is history; ancient history; don't/doesn't need; no longer; don't/doesn't/not/never/won't/can't/isn't … anymore; don't/doesn't/not/never/won't/can't/isn't … any more/longer
		stepped down/back; expired; ran out; withdrew; withdrawn; bowed out; resigned; retired; gathering dust; fallen by the wayside; fell by the wayside; closed/shut down; closed for good; closed its/their doors; went out of business; went bust`},
	{rule{id: "en.cue.6", meets: bodilyVerbs, change: spokenWell}, `
		no longer; not/don't/doesn't/isn't/haven't … anymore; not/don't/doesn't/isn't/haven't … any more/longer; outgrew; outgrown; grew/grown out of; false alarm; misdiagnosis; misdiagnosed; cured; healed; cleared up; gone away; is/has/are/all gone; ruled out; came back negative; tested negative; was negative; turns/turned out … not; turns/turned out … wasn't/isn't
		had the/her/my/our/a baby/twins/boy/girl; gave birth; not (actually/really/even) allergic/intolerant/vegetarian/vegan/diabetic/asthmatic; never (actually/really) was/had; all clear; got over; recovered from; remission; stopped/quit/gave being; gave up being; can/could/eat/drink/have/having/eating/drinking … again; off the wagon; under control`},
	{rule{id: "en.cue.7", meets: likingVerbs, change: spokenEnd}, `
		gone/went/going off; gone/went right off; lost … taste/interest/appetite/love/enthusiasm/passion; sick/tired/bored of; sick and tired; to death of; enough of; my fill of; fed up with/of; can't/cannot stand/bear/face/stomach; can't/cannot look/eat/listen/watch/hear … anymore/longer; can't/cannot look/eat/listen/watch/hear … any more
		not/don't/doesn't/isn't … anymore; not/don't/doesn't/isn't … any more/longer; no longer like/likes/enjoy/enjoys/love/loves/into/fond/keen/fancy/care/a; out of love with; used to like/love/enjoy/be; does/do nothing for me; put/puts me off; turns/turn my stomach; not my thing; lost its/their charm/appeal/magic; over my`},
	{rule{id: "en.cue.8", meets: dislikeVerbs, change: spokenEnd}, `
		grown/grew/growing on me; actually/really/quite/now/even/rather/to/finally/kinda/suddenly/started/starting like/love/enjoy/adore/liking/loving/enjoying/appreciate; like/love/enjoy/enjoying/loving/liking … now; kind of like/love/enjoy; i/we like/love/enjoy it/them; won me over; my mind; came/come round/around to; don't/no mind/hate/dislike
		no longer mind/hate/dislike; warmed to; warmed up to; fan of … now; a fan; not/isn't/aren't so/that/as bad; hooked on; converted; a taste for; made my peace with`},
	{rule{id: "en.cue.9", meets: plannedVerbs, change: spokenEnd}, `
		*'s off; is/are/was/all/been off; the table; cancelled/canceled/cancel; called … off; called off; fell/fallen through; scrapped; shelved; binned; ditched; dropped; axed; not/isn't/aren't/wasn't happening/going/taking (ahead/place/anymore/to); won't (be) happen/happening/going/take/make; isn't/not going to happen; backed/pulled/bailed/bowed/dropped out
		bailed; decided/deciding against; decided not to; talked me/us out of; no longer going/planning/happening/on/doing/want/need/needed/necessary; not/won't/aren't … after all; not/won't/aren't … anymore; not/won't/aren't … any more; changed my/our mind/minds; on ice; came/comes/come to nothing; a miss; skipping; rained off; given/gave up on
		out of the question; is history; overruled; vetoed; instead of; rather than; no go; put paid to; off the cards/menu/agenda/table`},
	{rule{id: "en.cue.10", meets: openVerbs, change: spokenDone}, `
		done; sorted; finished; complete/completed; ticked/crossed/checked … off; ticked/crossed/checked off; care of; dealt with; handled; out of the way; over and done; hold of; got through to; got round/around to; managed to; on its/their/the way; in the post; off my list/plate/chest/desk; all set; wrapped up; behind me; nailed it; sorted out; as of today; up and running`},
	{rule{id: "en.cue.11", verb: "has_task", meets: openVerbs, change: spokenDone}, `
		ordered/booked/scheduled/called/emailed/sent/bought/paid/submitted/renewed/cancelled/canceled/hired/filed/arranged/confirmed/invited/reserved/signed/shipped/delivered/installed/repaired/fixed/updated/prepared/drafted/picked/handed/returned/collected/registered/printed/published/deployed
		uploaded/checked/contacted/reviewed/wrote/written/cleaned/brought/moved/removed/painted/replaced/changed/mailed/posted/planted/built/found/got/spoke/spoken/talked/watered/mowed/washed/packed/translated/tested/cooked/baked/ironed/hung/assembled/defrosted/charged/swapped/rang/phoned/texted/met/visited/dropped/took/taken/made/transferred/applied`},
	{rule{id: "en.cue.12", meets: learningVerbs, change: spokenAlone}, `
		dropped out; quit/left/abandoned uni/university/college; gave/given up uni/university/college; quit/left/abandoned my/his/her/their/the studies/degree/course; gave/given up my/his/her/their/the studies/degree/course; graduated`},
	{rule{id: "en.cue.13", meets: []string{"has_pet"}, change: spokenEnd}, `
		lives/living with my/our/a/an/the/some/his/her … now/days; now/nowadays lives with my/our/a/an/the/some/his/her`},
}

var germanCues = []cues{
	{rule{id: "de.cue.13", meets: []string{"has_pet"}, change: spokenEnd}, `
		lebt/wohnt jetzt/nun/inzwischen/mittlerweile/seitdem/seither bei/auf`},
	{rule{id: "de.cue.1", meets: workVerbs, change: spokenEnd}, `
		letzter/letzten/letzte arbeitstag/tag/schicht/woche (war/ist) bei/in/im/beim; nicht … mehr; kein/keine/keinen … mehr; raus; rausgeflogen; gekündigt; verlassen; den rücken gekehrt; vertrag … ausgelaufen; vertrag … nicht verlängert; vertrag … endete; läuft aus; hingeschmissen; hingeworfen; geschmissen; ausgestiegen; ausgeschieden; aufgehört
		in rente/pension; ruhestand; zeit bei/als/in … vorbei/geschichte; zu ende; weg von; entlassen; gefeuert; nagel gehängt; schluss; geschichte; dichtgemacht; insolvent; zugemacht; aufgegeben; den hut genommen`},
	{rule{id: "de.cue.2", meets: partingVerbs, change: spokenApart}, `
		ist/es/alles/war (es) aus; vorbei; getrennt; trennung; scheiden lassen; geschieden; scheidung; schluss; nicht mehr zusammen/liiert/verheiratet; kein paar mehr; auseinander; auseinandergegangen; verlassen; wieder single/solo; mein/meine/meinem/meiner ex; gelöst; aufgelöst; entlobt; getrennte wege; beziehung … beendet/vorbei; am ende; auseinandergelebt`},
	{rule{id: "de.cue.3", meets: append([]string{"owns"}, belovedVerbs...), change: spokenApart}, `
		gestorben; verstorben; tot; lebt … nicht mehr; eingeschläfert; einschläfern; eingeschlafen; haben/habe wir/ich … verloren; wir/ich haben/habe … verloren; von uns gegangen; abschied; beerdigt; begraben; weggelaufen; entlaufen; abgegeben; regenbogenbrücke; gehen lassen; nicht mehr da/hier; nicht mehr bei/unter uns; am leben; erlösen; erlöst; neues zuhause; nicht überlebt; nicht geschafft`},
	{rule{id: "de.cue.4", meets: thingVerbs, change: spokenEnd}, `
		verkauft; losgeworden; los; weg; verschenkt; weggegeben; hergegeben; gespendet; überlassen; gestohlen; geklaut; verschrottet; entsorgt; zurückgegeben; abgegeben; abgestoßen; eingetauscht; getauscht; abgemeldet; abgeschafft; weggeworfen; totalschaden; kaputtgegangen; den geist aufgegeben; hinüber; schrott; besitzer; besitzerin; vermacht; versteigert; abgebrannt; in zahlung
		nicht … mehr; kein/keine/keinen … mehr; abgetreten; weitergegeben; gehört jetzt; gehört nun`},
	{rule{id: "de.cue.5", meets: doingVerbs, change: spokenEnd}, `
		aufgehört; aufgegeben; an den nagel; sein lassen/gelassen; bleiben lassen/gelassen; seinlassen; abgesetzt; abgebrochen; hingeschmissen; hingeworfen; geschmissen; drangegeben; ausgetreten; abgemeldet; exmatrikuliert; ausgestiegen; gekündigt; eingestellt; nicht … mehr; kein/keine/keinen … mehr; schluss; geschichte; vorbei; losgekommen; abgewöhnt; verzichte; gestrichen; pausiere; ruht; ausgeschlichen; weggelassen; war einmal; verstaubt; rum; beendet; quittiert; zu ende; passé`},
	{rule{id: "de.cue.6", meets: bodilyVerbs, change: spokenWell}, `
		nicht … mehr; kein/keine/keinen … mehr; fehlalarm; fehldiagnose; weg; verschwunden; geheilt; ausgeheilt; überstanden; verwachsen; rausgewachsen; herausgewachsen; doch/gar/überhaupt/eigentlich nicht/keine/kein (gegen) … allergisch; doch/gar/überhaupt/eigentlich nicht allergisch; doch/gar/überhaupt/eigentlich keine/kein; negativ; losgeworden; los; war einmal; geschichte; vorbei; esse/trinke/vertrage/darf/kann … wieder; wieder … essen/trinken/vertragen`},
	{rule{id: "de.cue.7", meets: likingVerbs, change: spokenEnd}, `
		nicht … mehr; nichts mehr; kein/keine/keinen … mehr; satt; überdrüssig; genug von; die nase voll; zum hals; den ohren; lust … verloren/vergangen; geschmack … verloren; verleidet; kann … nicht/kaum sehen/ausstehen/leiden/hören/riechen; abgewöhnt; mochte ich mal; keinen spaß mehr; den reiz verloren`},
	{rule{id: "de.cue.8", meets: dislikeVerbs, change: spokenEnd}, `
		inzwischen/mittlerweile/jetzt/doch/einmal/plötzlich/nun/langsam/richtig/sogar/ganz/neuerdings/heute … gern/gerne/mag/liebe/schmeckt/schmecken/gut/lecker/gefällt/gefallen/toll/super; mag/liebe/schmeckt/schmecken/gefällt/gefallen … jetzt/inzwischen/mittlerweile/doch/richtig/sogar/neuerdings; auf den geschmack; angefreundet; lieben/schätzen/mögen gelernt; gefallen … gefunden; dran gewöhnt; nicht mehr (so) schlimm
		so übel/schlecht/schlimm; überzeugt; fan von/geworden; ins herz geschlossen`},
	{rule{id: "de.cue.9", meets: plannedVerbs, change: spokenEnd}, `
		abgesagt; gestrichen; storniert; gecancelt; geplatzt; ins wasser; fällt/fallen … aus/flach/weg; ausgefallen; findet/finden … nicht … statt; findet/finden nicht … statt; wird/werden … nichts; doch … nicht; doch … kein/keine/keinen/keiner; lassen/lasse wir/ich; sein lassen; verworfen; vom tisch; sich … erledigt/zerschlagen; hinfällig; verzichte/verzichten; auf eis; begraben; gestorben; kein thema; nicht … mehr
		abgeblasen; aufgegeben; umentschieden; dagegen entschieden; gegen … entschieden; anders entschieden; statt; anstatt; anstelle; passé; geknickt; abgeschminkt`},
	{rule{id: "de.cue.10", meets: openVerbs, change: spokenDone}, `
		erledigt; fertig; geschafft; abgehakt; durch; raus; unterwegs; im kasten; auf dem weg; weg; gemacht; telefoniert; erreicht; vom tisch; dach und fach; die bühne; hinter mir; runter; drauf; überstanden; vollbracht; im briefkasten; in der post; vom hals; abgearbeitet`},
	{rule{id: "de.cue.11", verb: "has_task", meets: openVerbs, change: spokenDone}, `
		bestellt/gebucht/angerufen/geschickt/abgeschickt/verschickt/gesendet/gekauft/eingekauft/bezahlt/gezahlt/überwiesen/abgegeben/eingereicht/verlängert/erneuert/gekündigt/gemeldet/angemeldet/abgemeldet/organisiert/reserviert/bestätigt/unterschrieben/geliefert/eingebaut/repariert/aktualisiert/vorbereitet/geholt/abgeholt/zurückgegeben
		zurückgebracht/besorgt/gedruckt/ausgedruckt/veröffentlicht/hochgeladen/geprüft/kontaktiert/informiert/vereinbart/geschrieben/geputzt/gestrichen/gebracht/weggebracht/mitgebracht/erstellt/gesprochen/gefunden/ausgefüllt/umgetauscht/ersetzt/gewechselt/geschnitten/gemäht/eingezahlt/gegossen/gewaschen/gebügelt/gebacken
		gekocht/aufgeräumt/aufgehängt/aufgebaut/ausgetauscht/beantragt/eingerichtet/getroffen/besucht/gepackt/übersetzt/getestet`},
	{rule{id: "de.cue.12", meets: learningVerbs, change: spokenAlone}, `
		studium … abgebrochen/geschmissen/hingeschmissen/hingeworfen/aufgegeben/beendet/abgeschlossen; exmatrikuliert; uni … abgebrochen/geschmissen/hingeschmissen/hingeworfen/verlassen; studium ist vorbei/geschichte`},
}
