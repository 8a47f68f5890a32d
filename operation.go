package trilith

import (
	"cmp"
	"encoding/json"
)

// MaxOperations is the most operations of one batch.
const MaxOperations = 1000

// BatchRequest runs operations one after the other, each with its own result or error.
type BatchRequest struct {
	Operations []Operation `json:"operations" doc:"What to do, in this order" minItems:"1" maxItems:"1000"`
	// Atomic does the writes, which are puts and deletes only, in one commit after all reads: all of them or none. A
	// delete of a key without an entry is no error then. A commit has at most MaxBatch memories; a put in place of
	// another wording has two.
	Atomic bool `json:"atomic,omitempty" doc:"Do the writes, which are puts and deletes, together after all reads: all or none"`
}

// Operation is one of a batch. Exactly one of its fields is set, beside the scope.
type Operation struct {
	Scope    Scope            `json:"scope,omitzero" doc:"Whose it is; that of the batch if absent"`
	Put      *KeyedPut        `json:"put,omitempty" doc:"Store an entry under a key, in place of what the key has"`
	Get      *KeyedRef        `json:"get,omitempty" doc:"The entry that has a key"`
	Delete   *KeyedRef        `json:"delete,omitempty" doc:"Forget the entry that has a key"`
	Remember *RememberRequest `json:"remember,omitempty" doc:"Store what was said, a note, an entry or a document"`
	Search   *RecallRequest   `json:"search,omitempty" doc:"Find what is known about a question"`
	List     *ListRequest     `json:"list,omitempty" doc:"List memories, oldest first"`
	Update   *MemoryUpdate    `json:"update,omitempty" doc:"Change a memory"`
	Forget   *ForgetRequest   `json:"forget,omitempty" doc:"Take memories out of search"`
}

// KeyedPut is [PutRequest] with its key.
type KeyedPut struct {
	Key string `json:"key" doc:"Your own key of the entry" minLength:"1" maxLength:"255"`
	PutRequest
}

// KeyedRef names an entry by its key.
type KeyedRef struct {
	Key string `json:"key" doc:"Your own key of the entry" minLength:"1" maxLength:"255"`
}

// MemoryUpdate is [UpdateRequest] with the id of the memory.
type MemoryUpdate struct {
	ID ID `json:"id" doc:"Id of the memory"`
	UpdateRequest
}

// UnmarshalJSON reads the id beside the change, whose own method would otherwise be that of both.
func (u *MemoryUpdate) UnmarshalJSON(data []byte) error {
	named := struct {
		ID *ID `json:"id"`
	}{&u.ID}
	return cmp.Or(json.Unmarshal(data, &named), json.Unmarshal(data, &u.UpdateRequest))
}

// Writes reports whether the operation changes anything.
func (o *Operation) Writes() bool { return o.Get == nil && o.Search == nil && o.List == nil }

// Validate answers Invalid unless exactly one operation is named.
func (o *Operation) Validate() error {
	set := 0
	for _, is := range []bool{o.Put != nil, o.Get != nil, o.Delete != nil, o.Remember != nil, o.Search != nil,
		o.List != nil, o.Update != nil, o.Forget != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return Errorf(Invalid, "must hold exactly one of put, get, delete, remember, search, list, update and forget")
	}
	return nil
}

// OperationResult is the result of an [Operation]. Exactly one of its members is set.
type OperationResult struct {
	Memory     *Memory         `json:"memory,omitempty"`     // of put, get and update
	Remembered *RememberResult `json:"remembered,omitempty"` // of remember
	Found      *RecallResult   `json:"found,omitempty"`      // of search
	Listed     *Page           `json:"listed,omitempty"`     // of list
	Forgotten  *ForgetResult   `json:"forgotten,omitempty"`  // of delete and forget
	Error      *ItemError      `json:"error,omitempty"`
}
