package gate

import "strings"

// The words are closed classes of grammar (modals, quantifiers, adverbs of time, pronouns) as far as possible, because
// these have few synonyms for somebody who rewrites an instruction. They are written without marks, as [unmarked]
// returns them.
var directiveWords = func() map[string]trait {
	of := map[string]trait{}
	for is, list := range map[trait]string{
		duty: "must should shall ought permitted allowed authorised authorized forbidden prohibited may supposed " +
			"muss mussen soll sollen sollte sollten darf durfen  erlaubt verboten  " +
			"doit doivent devez dois devra devront interdit autorise peut peuvent " +
			"debe deben debes debera deberan prohibido permitido puede pueden " +
			"deve devono devi dovra dovranno vietato puo possono " +
			"devem proibido pode podem moet moeten mag mogen verplicht verboden dient dienen " +
			"musi musza powinien powinna powinny wolno skal maste far bor ma kotelezo " +
			"должен должна должны можно нельзя обязан обязаны разрешено запрещено",
		impersonal: "mandatory obligatory compulsory required verpflichtend zwingend notig erforderlich pflicht faut obligatoire obligatorio bisogna obbligatorio obrigatorio verplicht nalezy trzeba нужно надо следует необходимо",
		wish: "prefers prefer preferred preference wants rather favours favors insists trusts consents consented bevorzugt mochte wunscht vertraut prefere preferent veut souhaite prefiere quiere desea " +
			"preferisce vuole desidera quer deseja verkiest wil preferuje woli chce foretrekker foredrar vill предпочитает хочет",
		general: "all any every each always never whichever whenever wherever whatever only exclusively default solely without " +
			"alle allen alles jede jeder jedes jeden jedem immer stets nie niemals ausschließlich nur standardmaßig samtliche " +
			"tout toute tous toutes chaque toujours jamais uniquement toda todos todas cada siempre nunca solo unicamente " +
			"ogni tutti tutte tutto sempre mai qualsiasi qualunque soltanto qualquer apenas alle elke ieder iedere altijd nooit alleen uitsluitend " +
			"wszystkie kazdy kazda kazde zawsze nigdy tylko alla varje alltid aldrig alltid aldri " +
			"все всех каждый каждая каждое всегда никогда только любой любая любые всякий",
		onward: "henceforth hereafter onwards future upcoming kunftig zukunftig fortan kunftige kunftigen desormais dorenavant futurs futures " +
			"futuras futuros adelante doravante voortaan toekomstige odtad przyszlosci framover fremover отныне впредь будущем",
		agent: "whoever anyone anybody everyone everybody wer quiconque quien chiunque wszyscy agent agents assistant assistants bot bots chatbot llm tool tools prompt prompts " +
			"agenten assistent assistenten assistentin ki werkzeug werkzeuge werkzeugaufruf " +
			"assistants agente agentes asistente asistentes agenti assistente assistenti " +
			"assistenten asystent asystenci агент агенты ассистент ассистенты помощник инструмент you your yourself du dein deine deiner deinen dir dich vous votre vos tu toi usted ustedes ti voi tuo vostro voce jij jouw ty twoj ты вы твой ваш",
		output: "reply replies answer answers response responses session sessions conversation conversations summary summaries antwort antworten reponse reponses respuesta respuestas " +
			"risposta risposte resposta respostas antwoord antwoorden odpowiedz odpowiedzi ответ ответы",
		matter: "pay paid payment payments payout payouts invoice invoices transfer transfers account accounts iban wallet payee beneficiary refund refunds salary order orders booking bookings purchase purchases vendor supplier provider " +
			"password passwords credential credentials token tokens secret secrets key keys confirmation confirmations approval approvals approve verification review policy rule rules guideline link links address url website " +
			"zahlung zahlungen zahlen uberweisung uberweisungen rechnung rechnungen konto bestellung bestellungen buchung buchungen anbieter lieferant passwort passworter ruckfrage ruckfragen bestatigung freigabe richtlinie regel regeln zugangsdaten " +
			"paiement paiements facture factures compte commande commandes fournisseur virement mot pago pagos factura facturas cuenta pedido pedidos proveedor contrasena transferencia " +
			"pagamento pagamenti pagamentos fattura fatture conto ordine ordini fornitore conta fatura encomenda fornecedor senha betaling betalingen factuur facturen rekening bestelling bestellingen leverancier wachtwoord " +
			"platnosc platnosci faktura faktury konto zamowienie zamowienia dostawca haslo betalning betalningar платеж платежи счет счета заказ заказы поставщик пароль",
		patron: "user user's users customer customer's client client's nutzer nutzerin nutzers benutzer benutzerin anwender kunde kundin utilisateur utilisatrice usuario usuaria utente cliente gebruiker klant uzytkownik klient bruker anvandare пользователь клиент",
		turned: "now new instead switched changed changes replaced replaces jetzt nun neu neue neuer neues statt stattdessen geandert gewechselt desormais maintenant nouveau nouvelle nouveaux changee ahora nuevo nueva cambiado " +
			"ora adesso nuovo nuova cambiato agora novo nova mudou nu nieuw nieuwe gewijzigd teraz nowy nowa nowe zmienil теперь новый новая изменил",
		self: "my me mine we our us ich mein meine meinen meinem meiner wir unser unsere mir mich je j'ai mon ma mes nous notre nos yo mi mis nuestro io mio mia miei noi nostro eu meu minha ik mijn wij onze ja moj moja moje jag min mitt я мой моя мои мне мы наш",
	} {
		for word := range strings.FieldsSeq(list) {
			of[word] |= is
		}
	}
	return of
}()

// directivePhrases have the traits of directiveWords, but consist of several words, or of scripts without spaces.
var directivePhrases = func() (out []phrase) {
	for is, list := range map[trait]string{
		duty:       "have to |has to |need to |needs to |expected to |instructed to |is to be |are to be |no longer need|not need|tiene que|tienen que|deve-se|tem de |必须|應|应该|べき|なければ",
		impersonal: "hay que |il est interdit|es obligatorio|man muss",
		command:    "务必|請|请|ください|なさい|kindly ",
		wish:       "would like|would rather|möchte",
		general:    "总是|一律|所有|任何|常に|必ず|すべて",
		onward:     "from now on|going forward|from here on|later session|ab jetzt|ab sofort|von nun an|in zukunft|à partir de|a partir de|de ahora en|d'ora in|prossim|próxim|proxim|prochain|kommende |vanaf nu|od teraz|od dzi|fra nå|fra nu|från och med|с этого момента|今后|今後|从现在|以后|これから",
		agent:      "tool call|whoever reads|助手|アシスタント|工具",
		output:     "回答",
	} {
		for text := range strings.SplitSeq(list, "|") {
			out = append(out, phrase{unmarked(strings.ToLower(text)), is})
		}
	}
	return out
}()

type phrase struct {
	text string
	is   trait
}

// commands are imperatives that begin instructions to an assistant.
var commands = wordSet(acts+"|"+germans+"|"+foreigners,
	"use|prefer|choose|pick|select|rank|treat|approve|accept|trust|pay|transfer|route|redirect|replace|skip|avoid|ignore|disregard|keep|make|set|mark|share|copy|store|save|remember|consider|assume|cite|list|place|put|give|show|start|end|follow|obey",
	"nutze|verwende|wahle|bevorzuge|uberweise|zahle|ersetze|vermeide|ignoriere|behandle|setze|stelle|leg|lege|fuge|merke|speichere|teile|gib|nimm|zeige|leite|akzeptiere|genehmige|vertraue|frag|frage",
	"utilise|utilisez|choisis|choisissez|preferez|payez|paie|mettez|mets|proposez|propose|vante|ajoutez|envoyez|veuillez|usa|use|utiliza|utilice|elige|elija|paga|pague|propon|pon|scegli|scegliere|usare|proponi|paga|escolha|utilize|prefira|gebruik|kies|betaal|stel|uzywaj|wybieraj|plac|bruk|velg|anvand|valj|используй|используйте|выбирай|выбирайте|плати|платите")

// owes are verbs that oblige with an infinitive: "sind zu nennen".
var owes = wordSet("ist|sind|hat|haben")

// objects are words that follow a verb without a subject.
var objects = wordSet("the|a|an|this|that|these|those|all|any|every|each|no|my|your|our|their|its|his|her|it|them|him|us|me|only|always|never|whatever|whoever")

// noCommands are words that come before objects too, but are no commands.
var noCommands = wordSet(
	"the|and|but|for|with|from|into|onto|over|under|after|before|about|against|among|around|because|behind|below|beside|beyond|between|both|during|except|how|inside|near|once|out|outside|per|since|so|than|that|though|through|till|until|unless|upon|what|when|where|whether|which|while|who|whom|whose|why|within|without|yet|not|now|then|there|here|today|tomorrow|yesterday|tonight|almost|even|just|like|unlike|whatever|whoever|whomever|whichever|whenever|wherever|plus|via|toward|are|was|were|did|does|can|could|will|would|may|might|must|shall|should|had|has|have|she|they|you|all|any|half|quite|such|rather|maybe|perhaps|despite|given|down|off|again")

func wordSet(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for word := range strings.SplitSeq(list, "|") {
			set[unmarked(word)] = true
		}
	}
	return set
}
