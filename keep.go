package cairn

import "time"

// UpdateRequest changes one memory; nil members stay as they are. An episode's and a passage's text is verbatim and
// cannot be edited: remember a correction with Supersedes instead.
type UpdateRequest struct {
	Text       *string         `json:"text,omitempty" doc:"New wording of a note, or new content of an entry; the old one stays in the history"`
	Metadata   *map[string]any `json:"metadata,omitempty" doc:"Replaces all metadata"`
	Tags       *[]string       `json:"tags,omitempty" doc:"Replaces all tags"`
	State      *State          `json:"state,omitempty" doc:"active brings back what was forgotten or quarantined" enum:"active,retracted"`
	Version    int64           `json:"version,omitempty" doc:"Refuse with conflict unless the memory has this version"`
	RequestKey string          `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
}

// ForgetRequest takes memories out of search. They stay in the history and can be brought back until they are erased.
// Facts that rest on nothing else go with them, and what those had replaced stands again: forgetting the sources of an
// ingest undoes it. Exactly one of IDs, Sources and Filter is set.
type ForgetRequest struct {
	IDs        []ID   `json:"ids,omitempty" maxItems:"1000"`
	Sources    []ID   `json:"sources,omitempty" maxItems:"1000" doc:"Everything that these requests brought: undoes them"`
	Filter     Filter `json:"filter,omitzero"`
	DryRun     bool   `json:"dry_run,omitempty"`
	RequestKey string `json:"request_key,omitempty" doc:"Idempotency key: repeating the request with it answers what the first one answered" maxLength:"255"`
}

// ForgetResult tells which memories were (or, dry, would be) forgotten.
type ForgetResult struct {
	IDs    []ID `json:"ids"`
	DryRun bool `json:"dry_run,omitempty"`
}

// Reextraction tells what is to be derived again.
type Reextraction struct {
	Sources int `json:"sources"` // whose facts are derived again in the background
}

// ExtractionChoice says how facts are derived from conversations and notes where a request does not say.
type ExtractionChoice struct {
	Project string     `json:"project,omitempty"` // of which it was asked; the tenant's choice if empty
	Extract Extraction `json:"extract"`
}

// EraseRequest removes memories for good, with everything derived from them. Exactly one of IDs, Sources, Entities and
// Filter is set.
type EraseRequest struct {
	IDs      []ID   `json:"ids,omitempty" maxItems:"1000"`
	Sources  []ID   `json:"sources,omitempty" maxItems:"1000"`
	Entities []ID   `json:"entities,omitempty" doc:"Erases them with their identifiers and history, all facts about them and all that name them, in whatever scope of the tenant" maxItems:"100"`
	Words    bool   `json:"words,omitempty" doc:"With entities: also the episodes that those facts rest on, whoever else they are about"`
	Filter   Filter `json:"filter,omitzero"`
	Reason   string `json:"reason,omitempty" maxLength:"255"`
	DryRun   bool   `json:"dry_run,omitempty"`
}

// EraseReceipt proves an erasure without holding what was erased.
type EraseReceipt struct {
	ID         ID        `json:"id"`
	At         time.Time `json:"at"`
	Reason     string    `json:"reason,omitempty"`
	Memories   int       `json:"memories"`
	Facts      int       `json:"facts,omitempty"` // that rested on nothing else
	Entities   int       `json:"entities,omitempty"`
	Sources    int       `json:"sources"`
	Vectors    int       `json:"vectors"`
	Texts      int       `json:"texts"`
	Tombstones int       `json:"tombstones"`
	Recalls    int       `json:"recalls,omitempty"` // rows of the recall log that gave what is gone, or that the filter fits
	Shares     int       `json:"shares,omitempty"`  // references to what is gone, and those that were named themselves
	DryRun     bool      `json:"dry_run,omitempty"`
	Masking              // in the answer; never stored
}

// History is the life of a memory: what holds now and everything that it replaced, newest first. A memory that was
// itself replaced is asked for its successors too, so every member of a chain tells the same story.
type History struct {
	Versions []Memory `json:"versions"`
	// Truncated says that older versions were left out at MaxPageBytes; the history of the last one goes on there.
	Truncated bool `json:"truncated,omitempty"`
}

// ReindexResult tells what a rebuild of the entry points did.
type ReindexResult struct {
	Texts   int     `json:"texts"`
	Vectors int     `json:"vectors"`
	Seconds float64 `json:"seconds"`
	// Generations are those that the memory holds by now, when another one was asked for: it is made in the background.
	Generations []GenerationStatus `json:"generations,omitempty"`
}

// DoctorReport says how the memory is.
type DoctorReport struct {
	OK       bool     `json:"ok"`
	Checks   []Check  `json:"checks"`
	Repaired []string `json:"repaired,omitempty"` // what a repair did, a sentence for each sort
	// Generations are those that the memory holds: the active one, the one that is building, the previous one.
	Generations []GenerationCount `json:"generations,omitempty"`
}

// Check is one finding of the doctor.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // a command that helps; beside OK it is a warning
}

// Access is what a credential may do.
type Access string

// The rights, each holding the one before.
const (
	AccessReader Access = "reader"
	AccessWriter Access = "writer"
	AccessAdmin  Access = "admin"
)

// Allows reports whether a holds the right want.
func (a Access) Allows(want Access) bool {
	rank := map[Access]int{AccessReader: 1, AccessWriter: 2, AccessAdmin: 3}
	return rank[want] > 0 && rank[a] >= rank[want]
}

// APIKey describes a credential without its secret.
type APIKey struct {
	ID        ID         `json:"id"`
	Name      string     `json:"name"`
	Tenant    string     `json:"tenant"`
	Access    Access     `json:"access"`
	CreatedAt time.Time  `json:"created_at"`
	RevokedAt *time.Time `json:"revoked_at,omitempty"`
}

// Identity is who makes a request: the name for the audit, the tenant and the rights.
type Identity struct {
	Name   string
	Tenant string
	Access Access
}

// ExportItem is one line of an export: exactly one member is set. Importing all items of a tenant's export into an
// empty tenant makes an equal one.
type ExportItem struct {
	Header *ExportHeader `json:"cairn_export,omitempty"` // the first line
	Source *Source       `json:"source,omitempty"`
	Entity *Entity       `json:"entity,omitempty"`
	Change *EntityChange `json:"entity_change,omitempty"`
	Merge  *EntityMerge  `json:"entity_merge,omitempty"`
	Review *ReviewItem   `json:"review,omitempty"`
	Memory *Memory       `json:"memory,omitempty"`
	Erased *Erased       `json:"erased,omitempty"`
	Recall *ServedRecall `json:"recall,omitempty"` // of the recall log
	// in the ledger beside a store only: an export's facts say it themselves
	Judged *Judged `json:"judged,omitempty"`
}

// Check answers Invalid unless exactly one member is set.
func (it *ExportItem) Check() error {
	set := 0
	for _, is := range []bool{it.Header != nil, it.Source != nil, it.Entity != nil, it.Change != nil, it.Merge != nil,
		it.Review != nil, it.Memory != nil, it.Erased != nil, it.Judged != nil, it.Recall != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return Errorf(Invalid, "must hold exactly one of cairn_export, source, entity, entity_change, entity_merge, review, memory, recall, erased and judged")
	}
	return nil
}

// ExportHeader names the form of an export.
type ExportHeader struct {
	Format  int       `json:"format"` // 1
	At      time.Time `json:"at"`
	Version string    `json:"version"` // of the program that wrote it
	// LegacyIDs is the highest [Fact.LegacyID] given so far, so that the numbers of facts that are gone are not given
	// again.
	LegacyIDs int64 `json:"legacy_ids,omitempty"`
	// Languages are what the tenant has chosen, in an export of a whole tenant. One that has chosen none takes them
	// over.
	Languages []string `json:"languages,omitempty"`
}

// Erased carries tombstones, so that what was erased here stays erased where the export goes. It holds no content: ids
// of what is gone, and hashes under a random salt.
type Erased struct {
	Receipt EraseReceipt `json:"receipt"`
	Salt    string       `json:"salt"`   // hex
	Hashes  []string     `json:"hashes"` // hex
	IDs     []ID         `json:"ids"`
	// Entities are those that were erased with everything about them.
	Entities []ID `json:"entities,omitempty"`
}

// Judged says that values were rejected or corrected, so that they do not return with an older backup. It holds no
// content: salted hashes of the entity, the verb and the value.
type Judged struct {
	ID     ID        `json:"id"`
	At     time.Time `json:"at"`     // later statements may state them again
	Salt   string    `json:"salt"`   // hex
	Hashes []string  `json:"hashes"` // hex
}

// ImportResult tells what became of the items of an import.
type ImportResult struct {
	Stored  int       `json:"stored"`  // new
	Skipped int       `json:"skipped"` // there already, or erased and stay so
	Failed  int       `json:"failed"`
	Bad     []BadLine `json:"bad"` // the first hundred that failed
}

// BadLine says why one item of an import could not be taken.
type BadLine struct {
	Line  int    `json:"line"` // position of the item, from 1
	Error string `json:"error"`
}
