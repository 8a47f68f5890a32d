package trilith

import (
	"io"
	"iter"
	"time"
)

// Bounds of an import of files.
const (
	MaxImportFiles  = 100
	MaxImportBytes  = 512 << 20 // of all files together, as they are sent
	MaxImportFaults = 100       // that are listed one by one
)

// ImportFile is a file of another program, such as an export of its conversations.
type ImportFile struct {
	Name     string    // without folders; its extension helps to detect the format
	Modified time.Time // time of the last change, which items without a time get. Zero: now
	Content  io.Reader
}

// FilesImport asks for an import of files. Its files are read once, in order.
type FilesImport struct {
	Files   iter.Seq2[ImportFile, error]
	Format  string     // of all of them; empty: each is detected
	Extract Extraction // how facts are derived; empty: as chosen for the scope
	DryRun  bool       // report what would happen, and store nothing
}

// ImportState is the state of an import.
type ImportState string

// The states of an import.
const (
	ImportDry         ImportState = "dry"         // it was only looked at
	ImportRunning     ImportState = "running"     //
	ImportDone        ImportState = "done"        //
	ImportInterrupted ImportState = "interrupted" // sending the same files again continues it
	ImportUndone      ImportState = "undone"      // the memories that it had stored are forgotten
)

// ImportRun describes an import of files: what was found, what happened to it, and its progress.
type ImportRun struct {
	// ID is derived from the scope and the content of the files: the same files are the same import.
	ID            ID             `json:"id"`
	State         ImportState    `json:"state"`
	Scope         Scope          `json:"scope"`
	Files         []ImportedFile `json:"files"`
	Found         ImportFound    `json:"found"`
	Stored        int            `json:"stored" doc:"Memories that are new, or would be"`
	Skipped       int            `json:"skipped" doc:"There already, or erased"`
	Refused       map[string]int `json:"refused,omitempty" doc:"How many were refused, by the reason"`
	LeftOut       map[string]int `json:"left_out,omitempty" doc:"How much was left out on purpose, by what it is"`
	Rejected      []ImportFault  `json:"rejected" doc:"What could not be read or taken; the first hundred"`
	RejectedCount int            `json:"rejected_count"`
	Bytes         int64          `json:"bytes" doc:"Of the files"`
	BytesRead     int64          `json:"bytes_read"`
	Forgotten     int            `json:"forgotten,omitempty" doc:"Of one that was undone: how many memories were taken out of search"`
	MediaTaken    int            `json:"media_taken,omitempty" doc:"Of one that was undone: how many pictures, recordings and scans were taken away"`
	StartedAt     time.Time      `json:"started_at"`
	UpdatedAt     time.Time      `json:"updated_at"`
}

// ImportedFile is a file of an import.
type ImportedFile struct {
	Name   string `json:"name"`
	Format string `json:"format,omitempty" doc:"Empty: it was not recognised"`
	Bytes  int64  `json:"bytes"`
}

// ImportFound counts the content of files.
type ImportFound struct {
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	Documents     int `json:"documents"`
	Notes         int `json:"notes"`
}

// ImportFault is a piece of a file that could not be taken.
type ImportFault struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty" doc:"From 1; absent where all of the file is meant"`
	Reason string `json:"reason"`
}

// ImportRuns lists imports, the latest first.
type ImportRuns struct {
	Items []ImportRun `json:"items"`
	More  bool        `json:"more,omitempty" doc:"There are earlier ones"`
}
