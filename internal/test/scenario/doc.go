// Package scenario describes the duties of a memory as stories that a person can read: remember, recall, expect. The
// same stories run on every store and through every edge that has the methods of [Memory].
//
// A story is a file NAME.txt in txtar form: lines of commands, then the documents that they name. A line is a command,
// options KEY=VALUE, and words; values and words with spaces are quoted, 'as they are' or "with \n escapes". A # begins
// a comment. Scope options are tenant, project, domain, user, agent, session and channel; times are dates or RFC 3339.
//
// Writing. Each of these takes scope options, at=TIME, as=LABEL, id=EXTERNAL, key=IDEMPOTENCY, tags=A,B, dry=true and
// imported=true:
//
//	remember [role= speaker= extract=] 'text'
//	note [type=] 'text'
//	entry [title= category=] 'text'
//	document FILE                        a file of the story
//	supersede LABEL 'text'               a new memory that replaces the labelled one
//	assimilate [role= speaker= words=LABEL] TYPE:VALUE 'text'    about an entity; knows no tags, dry and imported
//
// A label names the first memory that a command stored, or the first present fact of an assimilation; words= names the
// turn that the fact rests on. These change a labelled memory. They take scope options too; without them they look into
// its tenant:
//
//	again LABEL                          its request is sent once more: with its external id, and without
//	update LABEL [state= tags=] ['text']
//	forget LABEL
//	erase [source=true] LABEL            it, or everything that its source brought
//	undo LABEL                           everything that its source brought
//	verify LABEL DECISION                verify, reject or needs_review
//	share [from=USER as=LABEL] LABEL     into the scope of the options, by the user who sees it
//	decide [note= dry=] DECISION LABEL …    one decision about all of them
//	merge TYPE:VALUE TYPE:VALUE          the second entity becomes a part of the first; takes scope options only
//	split TYPE:VALUE                     the entity merged in last is one of its own again
//
// Reading:
//
//	recall [k= asof= known=MOMENT min= state= neighbors= kind= arms=A,B weak=true] 'question'
//	context [k= asof= known=MOMENT budget= format=] 'question'
//	list [state= kind=]
//	history LABEL
//	lookup [query= k= hops= min= state= asof= known=MOMENT] TYPE:VALUE
//	summary [query= k=] TYPE:VALUE       a lookup in words
//	card [asof= known=MOMENT] TYPE:VALUE who somebody is
//	facts ['question']
//	inbox [reason=]                      the items that wait for a person
//
// consult [budget= only=true] 'prompt'    the answer; its memories are those that the model saw: facts, the past, the
//
//	                                     summary, turns in order. The memory needs a model, so such stories lie apart
//	session NAME                         the newest summary as a text, and the turns in order
//	export                               as a text of lines
//	audit                                the tenant's log
//
// Operating:
//
//	jobs                                 all that is to be done in the background is done
//	reindex                              text index and vectors are rebuilt
//	reextract                            facts are derived again from the stored texts
//	move                                 everything is exported, and goes on in a fresh memory that imports it
//	backup, restore                      a copy is made; the last one is put in place; later erasures stay
//	moment NAME                          now, for known=
//
// Expecting, always about the command before. A command that fails must be followed by expect error:
//
//	expect error KIND
//	expect empty | count N               hits of recall, versions of history, facts, memories stored by a write
//	expect first 'text' [cites LABEL]    the best hit holds the text, and is the labelled memory
//	expect cites LABEL                   the labelled memory is there
//	expect has 'text'                    some hit holds it
//	expect never 'text' [but 'twin']     no hit and no text of the answer holds it, though the twin is there
//	expect order 'text' 'text' …         the first holder of each comes in this order
//	expect evidence 'text' N             the fact that holds the text rests on N quotes
//	expect neighbor 'text'               a turn around a hit holds it
//	expect contains 'text'               the context block, the summary or the export holds it
//	expect labelled 'text'               no line of the context block holds it without a label or a later line
//	expect audited ACTION [LABEL]        the log is unbroken and holds the action, on the labelled memory
//	expect rejected REASON | replayed    of a write
//	expect state LABEL STATE             of a memory in the last answer
//
// A step that expects something to be gone names a twin: the same sort of thing, written in the same way, that was
// not deleted. Without one an answer that is empty for another reason would pass.
//
// Besides the files there are stories that are made of tables: see [Suites].
package scenario
