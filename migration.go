package trilith

// Migration is the body of the RecordMigration of the system tenant under [MigrationID]. It records the progress of
// copying another store: until that is complete, only the copying may use the store.
type Migration struct {
	From    string   `json:"from"`             // the other store, as people name it; never with a secret
	Cursors []Cursor `json:"cursors"`          // in the log of the other store, by shard: changes up to there are here
	Copied  bool     `json:"copied,omitempty"` // everything that existed at its beginning is here
	// something was copied that has been erased there since, and may be left in files here
	Erased   bool `json:"erased,omitempty"`
	Finished bool `json:"finished,omitempty"`
	// Heads are the heads of the log here, by shard, and Audit the last audit entries of the tenants here, at the end
	// of the copy: anything after them was written since.
	Heads []Cursor         `json:"heads,omitempty"`
	Audit map[string]int64 `json:"audit,omitempty"`
}

// MigrationID returns the id of the record of a migration's progress.
func MigrationID() ID { return DeriveID("migration") }
