// Package scenario tells what a memory must do as stories that a person can read: remember, recall, expect. The same
// stories run on every store and through every edge that has the methods of [Memory].
//
// A story is a file NAME.txt in txtar form: lines of commands, then the documents that they name. A line is a command,
// options KEY=VALUE, and words; values and words with spaces are quoted, 'as they are' or "with \n escapes". A # begins a
// comment. Scope options are tenant, project, domain, user, agent, session and channel; times are dates or RFC 3339.
//
// Writing. Each of these takes scope options, at=TIME, as=LABEL, id=EXTERNAL, key=IDEMPOTENCY, tags=A,B, dry=true and
// imported=true:
//
//	remember [role= speaker=] 'text'
//	note [type=] 'text'
//	entry [title= category=] 'text'
//	document FILE                        a file of the story
//	supersede LABEL 'text'               a new memory that replaces the labelled one
//	update LABEL [state= tags=] ['text']
//	forget LABEL
//	erase LABEL
//	assimilate [role= speaker=] TYPE:VALUE 'text'    about an entity; knows no tags, dry and imported
//	merge TYPE:VALUE TYPE:VALUE          the second entity becomes a part of the first; takes scope options only
//	split TYPE:VALUE                     what was merged in last is an entity of its own again
//
// A label names the first memory that a command stored, or the first present fact of an assimilation; forget, erase,
// update and history take scope options too and look into the labelled memory's tenant without them.
//
// Reading:
//
//	recall [k= asof= min= state= neighbors= kind=] 'question'
//	context [k= asof= budget= format=] 'question'
//	history LABEL
//	lookup [query= k= hops= min= state=] TYPE:VALUE
//
// Expecting, always about the command before. A command that fails must be followed by expect error:
//
//	expect error KIND
//	expect empty | count N               hits of recall, versions of history, facts, memories stored by a write
//	expect first 'text' [cites LABEL]    the best hit holds the text, and is the labelled memory
//	expect cites LABEL                   the labelled memory is there
//	expect has 'text' | never 'text'     some hit, no hit holds it
//	expect order 'text' 'text' …         the first holder of each comes in this order
//	expect evidence 'text' N             the fact that holds the text rests on N quotes
//	expect neighbor 'text'               a turn around a hit holds it
//	expect contains 'text' | never       the context block holds it; its tokens never exceed the budget
//	expect rejected REASON | replayed    of a write
//	expect state LABEL STATE             of a memory in the last answer
package scenario
