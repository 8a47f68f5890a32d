package trilith

import "slices"

// Wait says how far a write goes before it is answered.
type Wait string

// The levels. Text can be found as soon as it is stored; a vector requires the embedder.
const (
	WaitStored  Wait = "stored"
	WaitIndexed Wait = "indexed"
	// WaitExtracted also waits until the facts that Extract requests are derived and indexed.
	WaitExtracted Wait = "extracted"
)

// Extraction says whether and how facts are derived from stored words.
type Extraction string

// The ways of extraction.
const (
	ExtractNone  Extraction = "none"
	ExtractRules Extraction = "rules" // by rules, without a model
	ExtractLLM   Extraction = "llm"   // by rules and a model; Unsupported if none is configured
	ExtractAuto  Extraction = "auto"  // by rules, and by a model if one is configured
)

// RememberRequest stores something. Exactly one of Messages, Text, Note, Entry and Document is set.
type RememberRequest struct {
	Messages Messages  `json:"messages,omitempty" doc:"Turns of a conversation, oldest first, 1,000 at most: messages as here, or as OpenAI, Anthropic, Gemini, LangChain and the AI SDK have them; send a longer one in parts, with the same session" maxItems:"1000"`
	Text     string    `json:"text,omitempty" doc:"One thing that was said"`
	Note     *Note     `json:"note,omitempty" doc:"Something noted by hand"`
	Entry    *Entry    `json:"entry,omitempty" doc:"A curated knowledge entry"`
	Document *Document `json:"document,omitempty" doc:"A document, split by its structure"`

	// Every item of the request gets these values unless it has its own.
	Role       Role           `json:"role,omitempty" doc:"Role of the speaker of text: user if empty" enum:"user,assistant,system,tool"`
	Speaker    string         `json:"speaker,omitempty" doc:"Name of the person who spoke" maxLength:"255"`
	ExternalID string         `json:"external_id,omitempty" doc:"Your own id of text, note, entry or document; storing it again changes nothing" maxLength:"255"`
	Timestamp  string         `json:"timestamp,omitempty" doc:"When it was said; now if empty" example:"2025-06-30T15:04:05Z"`
	ValidUntil string         `json:"valid_until,omitempty" doc:"When it ends to hold and is found no more; never if empty" example:"2025-12-31T12:00:00Z"`
	Metadata   map[string]any `json:"metadata,omitempty" doc:"Your own data; filters see it"`
	Tags       []string       `json:"tags,omitempty" doc:"Labels; filters see them" maxItems:"64"`

	Extract    Extraction `json:"extract,omitempty" doc:"How facts are derived, about the speaker of each turn, else about the user of the scope; as chosen for the project, the tenant or the server if empty" enum:"none,rules,llm,auto"`
	Profile    string     `json:"profile,omitempty" doc:"What a model is to look for: the name of an extraction profile; that of the project or tenant if empty" maxLength:"64"`
	Wait       Wait       `json:"wait,omitempty" doc:"How far to go before answering" enum:"stored,indexed,extracted"`
	DryRun     bool       `json:"dry_run,omitempty" doc:"Answer as usual and store nothing"`
	Supersedes []ID       `json:"supersedes,omitempty" doc:"Memories that this one replaces" maxItems:"100"`
	Imported   bool       `json:"imported,omitempty" doc:"It comes from elsewhere: trust tier imported for what users said"`

	// RequestKey makes the request idempotent: repeating it with the same key answers what the first call answered;
	// another request under the key is a Conflict. REST takes it from the Idempotency-Key header.
	RequestKey string `json:"request_key,omitempty" doc:"Idempotency key" maxLength:"255"`

	// InProject says that rules read the words as those of a project, whatever the scope. It is not part of JSON.
	InProject bool `json:"-"`

	// Fallback is the profile if neither the request nor the project chooses one: what an importer knows of a folder. It
	// is not part of JSON.
	Fallback string `json:"-"`

	// Vector is an embedding of Entry that the caller has paid for: of its category, title, content and key fields, by
	// the embedder of the active generation; nil: none. It is used if it has the dimensions of that embedder, and if
	// nothing in those texts was masked or otherwise changed before storing. It is not part of JSON.
	Vector Vector `json:"-"`
}

// Note is something stored by hand.
type Note struct {
	Type    string `json:"type,omitempty" doc:"manual if empty; reflection, decision, or a word of your own" maxLength:"255"`
	Content string `json:"content" doc:"The text" minLength:"1"`
}

// Document is a text that is split by its structure into passages.
type Document struct {
	Name      string `json:"name" doc:"Title or file name" minLength:"1" maxLength:"255"`
	MediaType string `json:"media_type,omitempty" doc:"text/markdown or text/plain; by the name's ending if empty" enum:"text/markdown,text/plain"`
	Content   string `json:"content" doc:"The text" minLength:"1"`
}

// Rejection says why one item of a request was not stored.
type Rejection struct {
	Index  int    `json:"index"`  // position among the messages; 0 otherwise
	Reason string `json:"reason"` // a word of [Reasons]
	Detail string `json:"detail,omitempty"`
}

// Refused is the error of a request of which nothing is stored, because each of its items is refused. It is Invalid.
type Refused struct {
	Err      error // names the first item's reason
	Rejected []Rejection
}

// Error returns the first item's reason.
func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap returns the error with its kind.
func (r *Refused) Unwrap() error { return r.Err }

// Refusal returns a [*Refused] if nothing of a request is stored, neither now nor by an earlier one; nil after a dry
// run. field is the name of what was to be stored.
func (r *RememberResult) Refusal(field string) error {
	duplicate := func(j Rejection) bool { return j.Reason == ReasonDuplicate }
	if r.DryRun || len(r.Memories) > 0 || len(r.Rejected) == 0 || slices.ContainsFunc(r.Rejected, duplicate) {
		return nil
	}
	return Refuse(field, r.Rejected)
}

// Refuse returns the error of a request whose items were refused; there is one at least.
func Refuse(field string, rejected []Rejection) *Refused {
	return &Refused{Errorf(Invalid, "%s: refused (%s) %s", field, rejected[0].Reason, rejected[0].Detail), rejected}
}

// Reasons for not storing an item.
const (
	ReasonEmpty     = "empty"     // only white space or invisible characters
	ReasonTooLong   = "too_long"  // over [MaxTextBytes]
	ReasonEncoding  = "encoding"  // invalid UTF-8 or NUL
	ReasonRole      = "role"      // the policy does not store this role
	ReasonEcho      = "echo"      // our own context block, fed back
	ReasonDuplicate = "duplicate" // its external id is stored already
	ReasonErased    = "erased"    // it was erased and stays so
	ReasonForgotten = "forgotten" // the same was said at the same time, and was forgotten; it can be brought back
	ReasonUnread    = "unread"    // reading it fails because of a bug in this program, which the log describes
)

// Masking says which secrets of a request were replaced before storing. Only the answer to that request has it.
type Masking struct {
	Masked int `json:"masked,omitempty"` // the number of masked secrets
	// MaskedIn names where they were in the request, for example metadata.token; at most a hundred.
	MaskedIn []string `json:"masked_in,omitempty"`
}

// RememberResult is the outcome of a request.
type RememberResult struct {
	Memories []Memory    `json:"memories"`
	Rejected []Rejection `json:"rejected"`
	SourceID ID          `json:"source_id,omitempty"` // empty if nothing was stored
	// Omitted counts what messages had besides words and is stored nowhere, by kind: pictures, calls of tools, thoughts.
	Omitted PartCounts `json:"omitted,omitempty" doc:"Parts of messages that are not stored, by kind"`
	// Media are the pictures, recordings and files of messages that are stored beside the words.
	Media []ID `json:"media,omitempty" doc:"Files of messages that are stored beside the words"`
	// KnownAs is another memory that the scope reads, in whatever session, and that has the text of the note. Only notes
	// without an external id are compared.
	KnownAs ID  `json:"known_as,omitempty"`
	Masked  int `json:"masked,omitempty"` // secrets replaced before storing
	// MaskedIn names where secrets were, for example metadata.token or messages[2].content; the first hundred places.
	MaskedIn []string `json:"masked_in,omitempty"`
	Replayed bool     `json:"replayed,omitempty"` // the idempotency key was known
	DryRun   bool     `json:"dry_run,omitempty"`
	Vectors  int      `json:"-"`       // embeddings of the request that were kept
	Indexed  bool     `json:"indexed"` // the vectors are there (or none will be made)
	// Pending says that the words are stored but the results requested by Wait were not ready in time. The job JobID
	// continues in the background.
	Pending bool `json:"pending,omitempty"`
	JobID   ID   `json:"job_id,omitempty"`
	// ModelError says why a model has added nothing yet to the facts that rules found, if the request waited for them.
	ModelError string `json:"model_error,omitempty" doc:"Why a model has added nothing yet to the facts that rules found; job_id is its job"`

	Usage *Usage `json:"usage,omitempty"` // of models for its facts, if the request waited for them; nil without one
}
