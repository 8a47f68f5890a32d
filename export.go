package trilith

import (
	"bytes"
	"time"
)

// ExportItem is one line of an export: exactly one member is set. Importing all items of a tenant's export into an
// empty tenant makes an equal one.
type ExportItem struct {
	Header *ExportHeader `json:"trilith_export,omitempty"` // the first line
	Source *Source       `json:"source,omitempty"`
	Entity *Entity       `json:"entity,omitempty"`
	Change *EntityChange `json:"entity_change,omitempty"`
	Merge  *EntityMerge  `json:"entity_merge,omitempty"`
	Review *ReviewItem   `json:"review,omitempty"`
	Memory *Memory       `json:"memory,omitempty"`
	Erased *Erased       `json:"erased,omitempty"`
	// Item belongs to a transcript, and follows the turns that were made of it.
	Item   *TranscriptItem `json:"transcript_item,omitempty"`
	Object *Object         `json:"object,omitempty"`
	Search *SavedSearch    `json:"search,omitempty"`
	Alert  *Alert          `json:"alert,omitempty"`  // after the search that raised it
	Recall *ServedRecall   `json:"recall,omitempty"` // of the recall log
	Media  *MediaFile      `json:"media,omitempty"`  // after the text that was read in it
	// only in the ledger beside a store: exported facts contain it themselves
	Judged *Judged `json:"judged,omitempty"`
}

// formerHeader begins the header of an export that was made when this program was called cairn.
var formerHeader = []byte(`{"cairn_export":`)

// RenameHeader returns a line of an export with the header named as [ExportItem] names it; other lines stay as they
// are. Exports of the program's first name have the same lines below it.
func RenameHeader(line []byte) []byte {
	if rest, ok := bytes.CutPrefix(line, formerHeader); ok {
		return append([]byte(`{"trilith_export":`), rest...)
	}
	return line
}

// Check answers Invalid unless exactly one member is set.
func (it *ExportItem) Check() error {
	set := 0
	for _, is := range []bool{it.Header != nil, it.Source != nil, it.Entity != nil, it.Change != nil, it.Merge != nil,
		it.Review != nil, it.Memory != nil, it.Erased != nil, it.Judged != nil, it.Recall != nil,
		it.Item != nil, it.Object != nil, it.Search != nil, it.Alert != nil, it.Media != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return Errorf(Invalid, "must hold exactly one of trilith_export, source, entity, entity_change, entity_merge, review, memory, transcript_item, object, search, alert, media, recall, erased and judged")
	}
	return nil
}

// ExportHeader names the form of an export.
type ExportHeader struct {
	Format  int       `json:"format"` // 1
	At      time.Time `json:"at"`
	Version string    `json:"version"` // of the program that wrote it
	// LegacyIDs is the highest [Fact.LegacyID] assigned so far, so that the numbers of deleted facts are not assigned
	// again.
	LegacyIDs int64 `json:"legacy_ids,omitempty"`
	// Languages are the tenant's chosen languages, in an export of a whole tenant. A tenant without a choice gets
	// them on import.
	Languages []string `json:"languages,omitempty"`
}

// Erased carries tombstones, so that erased content stays erased where the export is imported. It holds no content: ids
// of erased items, and hashes under a random salt.
type Erased struct {
	Receipt EraseReceipt `json:"receipt"`
	Salt    string       `json:"salt"`   // hex
	Hashes  []string     `json:"hashes"` // hex
	IDs     []ID         `json:"ids"`
	// Entities are the entities that were erased with everything about them.
	Entities []ID `json:"entities,omitempty"`
	Media    []ID `json:"media,omitempty"` // files
}

// Judged says that values were rejected or corrected, so that an older backup does not bring them back. It holds no
// content: salted hashes of the entity, the verb and the value.
type Judged struct {
	ID     ID        `json:"id"`
	At     time.Time `json:"at"`               // later statements may state them again
	Salt   string    `json:"salt"`             // hex
	Hashes []string  `json:"hashes"`           // hex
	Undone bool      `json:"undone,omitempty"` // it no longer stands
}

// ImportResult says what happened to the items of an import.
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
