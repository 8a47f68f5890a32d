package trilith

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
)

// Cursor is a place in the change log. It is opaque but for this: cursors of one shard of one store compare as strings
// in the order of the log, and the empty one is the beginning.
type Cursor string

// AuditEntry is one line of a tenant's append-only log. The store numbers and chains the entries of a tenant:
// Hash = SHA-256 over PrevHash and the canonical JSON of the entry without Hash (see [AuditEntry.Seal]).
type AuditEntry struct {
	Seq      int64             `json:"seq"` // 1 at first, without gaps
	At       time.Time         `json:"at"`
	Actor    string            `json:"actor"`  // name of the API key, or "local"
	Action   string            `json:"action"` // remember, update, forget, erase, key.create, …
	Target   ID                `json:"target,omitempty"`
	Detail   map[string]string `json:"detail,omitempty"` // counts and hashes; never stored text
	PrevHash string            `json:"prev_hash"`
	Hash     string            `json:"hash"`
}

// JobState is how far a job has come.
type JobState string

// The states of jobs.
const (
	JobReady JobState = "ready" // waits for its time and a worker
	JobDone  JobState = "done"
	JobDead  JobState = "dead" // failed for good; kept with its error until retried
	// A leased job is ready with LeasedUntil in the future.
)

// Job is a unit of background work. It is written in the transaction that makes it necessary, leased by one worker at a
// time, and repeated until it finishes or its attempts are used up.
type Job struct {
	ID          ID              `json:"id"`
	Tenant      string          `json:"-"`
	Kind        string          `json:"kind"`
	Payload     json.RawMessage `json:"payload,omitempty"`
	State       JobState        `json:"state"`
	RunAt       time.Time       `json:"run_at"` // not before; a job that is put without times gets the present one
	Attempts    int             `json:"attempts"`
	MaxAttempts int             `json:"max_attempts"` // 0 means 10
	LeasedUntil *time.Time      `json:"leased_until,omitempty"`
	Worker      string          `json:"worker,omitempty"`
	Error       string          `json:"error,omitempty"` // of the last attempt
	// of the request that made it necessary, as in the log
	RequestID string    `json:"request_id,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	Report *ExtractionReport `json:"report,omitempty"` // filled in on the way out, never stored with the job
}

// ExtractionReport is the usage and the result of a job that reads with a model, over all its attempts so far. Of one
// that reads by rules there is a report only if it holds Unread.
type ExtractionReport struct {
	Model   string         `json:"model"`
	Profile string         `json:"profile"`
	Calls   int            `json:"calls"`
	Usage   Usage          `json:"usage"`
	Facts   int            `json:"facts"`
	Refused map[string]int `json:"refused,omitempty"` // facts of the answers that were not believed, by reason
	// Unread are turns that reading failed at, because of a bug: their words are stored, and their facts are missing.
	Unread []ID `json:"unread,omitempty"`
	ReadBy ID   `json:"read_by,omitempty"` // the job that read the turns together with its own
}

// Lease is the right to work on a job: the fencing token is (Worker, Attempt). the steps of a lease that
// is no longer the job's newest are a Conflict, so a slow worker cannot undo the work of its successor.
type Lease struct {
	Tenant  string
	JobID   ID
	Worker  string
	Attempt int
}

// LeaseRequest asks for work.
type LeaseRequest struct {
	Kinds  []string // empty: any
	Worker string   // names the worker; required
	For    time.Duration
	Max    int // at most this many; 0 means 1
	// After leaves out the tenants up to this one in byte order. A worker that gives the tenant of its last job gives each
	// tenant its turn, however many jobs others have waiting.
	After string
}

// Validate checks the request.
func (r *LeaseRequest) Validate() error {
	if r.Worker == "" {
		return Errorf(Invalid, "worker: a lease needs the name of its worker")
	}
	if r.For <= 0 {
		return Errorf(Invalid, "for: a lease needs a duration above 0")
	}
	return nil
}

// Due returns when a ready job may be leased: at its time, or when the lease on it runs out.
func (j *Job) Due() time.Time {
	if j.LeasedUntil != nil {
		return *j.LeasedUntil
	}
	return j.RunAt
}

// TakeLease begins an attempt, or gives the job up if none is left, and reports which.
func (j *Job) TakeLease(r LeaseRequest, now time.Time) (taken bool) {
	j.LoseLease(now)
	if j.usedUp() {
		j.State, j.Error = JobDead, cmp.Or(j.Error, "the last lease ran out")
		return false
	}
	j.Attempts++
	j.LeasedUntil, j.Worker = new(Time(now.Add(r.For))), r.Worker
	return true
}

// FreeAttempts is how many attempts of a job cost nothing if their leases just run out. A process that is killed says
// nothing of the job; but a job that ends each process that runs it is given up in the end.
const FreeAttempts = 30

// LoseLease ends a lease that has run out, or whose holder is gone.
func (j *Job) LoseLease(now time.Time) {
	if j.LeasedUntil != nil && j.Attempts < FreeAttempts {
		j.spare()
	}
	j.LeasedUntil, j.UpdatedAt = nil, now
}

// JobStep names the effect of a [JobChange].
type JobStep string

// The steps.
const (
	StepExtend JobStep = "Extend"
	StepFinish JobStep = "Finish"
	StepFail   JobStep = "Fail"
	StepDefer  JobStep = "Defer"
	StepRetry  JobStep = "Retry"
)

// JobChange is a step in the life of a job. The methods of [Lease] and [RetryJob] make it.
type JobChange struct {
	Step   JobStep
	Lease  Lease         // of StepRetry, only Tenant and JobID
	Reason string        // of StepFail and StepDefer
	At     time.Time     // when they make the job due again; zero for a final failure
	For    time.Duration // of StepExtend
}

// Extend prolongs the lease to now+d.
func (l Lease) Extend(d time.Duration) JobChange {
	return JobChange{Step: StepExtend, Lease: l, For: d}
}

// Finish marks the job done.
func (l Lease) Finish() JobChange { return JobChange{Step: StepFinish, Lease: l} }

// Fail gives the job back, to be run not before retryAt, with the reason; with no attempts left it becomes dead, and
// with the zero time at once: no repetition would help.
func (l Lease) Fail(reason string, retryAt time.Time) JobChange {
	return JobChange{Step: StepFail, Lease: l, Reason: reason, At: Time(retryAt)}
}

// Defer gives the job back with the reason why its time has not come, to be run not before until. The attempt does not
// count: the job may be attempted once more than before.
func (l Lease) Defer(reason string, until time.Time) JobChange {
	return JobChange{Step: StepDefer, Lease: l, Reason: reason, At: Time(until)}
}

// RetryJob makes a dead job of the tenant ready again with all its attempts.
func RetryJob(s Scope, id ID) JobChange {
	return JobChange{Step: StepRetry, Lease: Lease{Tenant: s.Tenant, JobID: id}}
}

// Validate checks the tenant.
func (c *JobChange) Validate() error { return Scope{Tenant: c.Lease.Tenant}.Validate() }

// Queued returns a new job of a tenant with its defaults.
func (j Job) Queued(tenant string, now time.Time) Job {
	j.Tenant, j.State, j.Report = tenant, cmp.Or(j.State, JobReady), nil
	j.Payload, j.LeasedUntil = slices.Clone(j.Payload), OptionalTime(j.LeasedUntil)
	for _, at := range []*time.Time{&j.RunAt, &j.CreatedAt, &j.UpdatedAt} {
		*at = Time(*at)
		if at.IsZero() {
			*at = now
		}
	}
	return j
}

// Validate reports the first field that a new job of the tenant lacks.
func (j *Job) Validate(tenant string) error {
	switch {
	case j.ID == "":
		return Errorf(Invalid, "jobs: an id is missing")
	case j.Kind == "":
		return Errorf(Invalid, "jobs: the kind of %s is missing", j.ID)
	case j.Tenant != "" && j.Tenant != tenant:
		return Errorf(Invalid, "jobs: %s belongs to another tenant than the commit", j.ID)
	case len(j.Payload) > 0 && !json.Valid(j.Payload):
		return Errorf(Invalid, "jobs: the payload of %s is not JSON", j.ID)
	}
	return nil
}

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
	// only in the ledger that accompanies a store: exported facts contain it themselves
	Judged *Judged `json:"judged,omitempty"`
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

// Check is one finding of the doctor.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // a command that helps; if OK is set it is a warning
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

// Change makes a step, or returns its error. The zero job stands for one that does not exist.
func (j *Job) Change(c JobChange, now time.Time) error {
	held := j.State == JobReady && j.LeasedUntil != nil && j.Worker == c.Lease.Worker && j.Attempts == c.Lease.Attempt
	if j.ID == "" || c.Step == StepRetry && j.State != JobDead || c.Step != StepRetry && !held {
		return c.Missed()
	}
	j.UpdatedAt = now
	if c.Step == StepExtend {
		j.LeasedUntil = new(Time(now.Add(c.For)))
		return nil
	}
	j.LeasedUntil = nil
	switch c.Step {
	case StepFinish:
		j.State, j.Error = JobDone, ""
	case StepFail:
		if c.At.IsZero() || j.usedUp() {
			j.State = JobDead
		}
		j.Error, j.RunAt = c.Reason, cmp.Or(c.At, now)
	case StepDefer:
		j.Error, j.RunAt = c.Reason, c.At
		j.spare()
	case StepRetry:
		j.State, j.Attempts, j.RunAt = JobReady, 0, now
	}
	return nil
}

// Missed is the error of a step for which there is no job in the right state.
func (c *JobChange) Missed() error {
	if c.Step == StepRetry {
		return Errorf(NotFound, "job: there is no dead job %.64q", string(c.Lease.JobID))
	}
	return Errorf(Conflict, "lease: worker %.64q no longer holds %s in attempt %d", c.Lease.Worker, c.Lease.JobID,
		c.Lease.Attempt)
}

// JobListing selects jobs of a tenant, newest first.
type JobListing struct {
	IDs    []ID
	State  JobState // empty: any
	Kind   string   // empty: any
	Limit  int      // 0: no limit
	Before ID       // only ids before this one
}

// The life of a job, for drivers that read a job, change it and write it back. None of these methods stores anything;
// those that need the present time take it as an argument.

// defaultAttempts is the meaning of 0 in [Job.MaxAttempts].
const defaultAttempts = 10

// usedUp reports whether no attempt is left.
func (j *Job) usedUp() bool { return j.Attempts >= cmp.Or(j.MaxAttempts, defaultAttempts) }

// spare makes the last attempt one that does not count.
func (j *Job) spare() { j.MaxAttempts = cmp.Or(j.MaxAttempts, defaultAttempts) + 1 }

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

// ImportResult reports the fate of an import's items.
type ImportResult struct {
	Stored  int       `json:"stored" doc:"Items that are new"`
	Skipped int       `json:"skipped" doc:"Items that were there already, or erased and stay so"`
	Failed  int       `json:"failed" doc:"Lines that could not be taken"`
	Bad     []BadLine `json:"bad" doc:"The first hundred of them"`
}

// BadLine says why one item of an import could not be taken.
type BadLine struct {
	Line  int    `json:"line" doc:"From 1"` // position of the item
	Error string `json:"error"`
}

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
	DryRun  bool       // report the outcome, and store nothing
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

// ImportRun describes an import of files: the items found, their fate, and its progress.
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

// SweepResult says how many memories were marked expired because their validity has ended.
type SweepResult struct {
	Expired int `json:"expired"`
}

// DefaultArchiveDays is how long a closed memory stays in listings.
const DefaultArchiveDays = 90

// ArchiveResult says how many memories were (or, dry, would be) archived.
type ArchiveResult struct {
	Archived int  `json:"archived"`
	DryRun   bool `json:"dry_run,omitempty"`
}

// RegenerateResult says how many vectors were made, and how many memories still lack one.
type RegenerateResult struct {
	Embedded int `json:"embedded"`
	Left     int `json:"left"`
}

// DefaultRegenerate is how many vectors one call makes by default.
const DefaultRegenerate = 100

// ReindexResult is the result of a rebuild of the indexes.
type ReindexResult struct {
	Texts   int     `json:"texts"`
	Vectors int     `json:"vectors"`
	Seconds float64 `json:"seconds"`
	// Generations are those that the memory holds by now, when another one was asked for: it is made in the background.
	Generations []GenerationStatus `json:"generations,omitempty"`
}

// DoctorReport is the result of a health check.
type DoctorReport struct {
	OK       bool     `json:"ok"`
	Checks   []Check  `json:"checks"`
	Repaired []string `json:"repaired,omitempty"` // the repairs, one sentence for each kind
	// Generations are the active one, the one that is building, and the previous one.
	Generations []GenerationCount `json:"generations,omitempty"`
}

// Damaged names stored rows that are damaged: the checksum of their content is wrong. Their content is never returned
// to a caller. [errors.AsType] finds it in an error of kind [Internal].
type Damaged struct {
	What string // the type of the rows: memory, record of a kind, claim
	IDs  []ID   // as stored in the rows, so they may be damaged themselves
}

// namedDamage bounds how many rows a message names.
const namedDamage = 10

// Error names the rows and the fix. It contains nothing else of them.
func (d *Damaged) Error() string {
	names := make([]string, 0, namedDamage)
	for _, id := range d.IDs[:min(len(d.IDs), namedDamage)] {
		names = append(names, fmt.Sprintf("%.64q", string(id)))
	}
	more := ""
	if n := len(d.IDs) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%s %s%s: the stored row is damaged, its checksum does not hold; `trilith doctor` names all such rows, `trilith restore` brings back a backup, `trilith export --skip-damaged` saves the others",
		d.What, strings.Join(names, ", "), more)
}

// Sums is the result of checking the checksums of all rows of a store.
type Sums struct {
	Rows    int            // that agree with theirs
	Damaged map[string]int // number of damaged rows, by type
	Named   []string       // the first of them
	Derived int            // rows that can be rebuilt from the truth: vectors, index snapshots, embedding cache
	Copies  int            // rows whose columns or list of evidence do not match their content
}

// MaxWalk is the most facts that one walk returns: a hub of the graph must not make a lookup unbounded.
const MaxWalk = 500

// GraphReport says how far the graph of a tenant agrees with its facts, if the graph is stored separately.
type GraphReport struct {
	Tenant      string            `json:"tenant"`
	Facts       int               `json:"facts"`    // that the store holds
	Vertices    map[string]int    `json:"vertices"` // of the graph, by label
	Edges       map[string]int    `json:"edges"`    // of the graph, by label
	Differences int               `json:"differences"`
	Examples    []GraphDifference `json:"examples,omitempty"` // the first of them, at most [MaxGraphExamples]
}

// MaxGraphExamples is how many differences a [GraphReport] names.
const MaxGraphExamples = 100

// GraphDifference is an edge or a vertex about which the graph and the facts disagree.
type GraphDifference struct {
	Label   string `json:"label"`
	ID      string `json:"id"`      // of the memory of the edge, or of the vertex
	Problem string `json:"problem"` // missing, extra or different in the graph
}

// LanguageChoice are the languages of a tenant's texts and questions.
type LanguageChoice struct {
	Languages []string `json:"languages" doc:"Codes of the languages that the tenant's texts are in, the main one first; none: every text tells its own" maxItems:"18"`
}

// ArchiveRequest says which closed memories are taken out of listings.
type ArchiveRequest struct {
	Days   int  `json:"days,omitempty" doc:"How long ago they were closed: 1 to 36500, 90 if absent" minimum:"1" maximum:"36500"`
	DryRun bool `json:"dry_run,omitempty" doc:"Say how many there are and do nothing"`
}

// RegenerateRequest says which vectors are made.
type RegenerateRequest struct {
	Limit int  `json:"limit,omitempty" doc:"Vectors at most: 1 to 1000, 100 if absent" minimum:"1" maximum:"1000"`
	Cut   bool `json:"cut,omitempty" doc:"Also rebuild vectors of the beginning of a text"`
}

// JobQuery asks for a page of background jobs, newest first.
type JobQuery struct {
	State  JobState `json:"state,omitempty" doc:"Only jobs in this state" enum:"ready,done,dead"`
	Kind   string   `json:"kind,omitempty" doc:"Only jobs of this kind" maxLength:"255"`
	Limit  int      `json:"limit,omitempty" doc:"Jobs per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor ID       `json:"cursor,omitempty" doc:"next_cursor of the page before"`
	Counts bool     `json:"counts,omitempty" doc:"Say how many jobs are not done, too"`
}

// JobPage is a page of background jobs.
type JobPage struct {
	Items      []Job      `json:"items"`
	NextCursor string     `json:"next_cursor,omitempty"`
	Counts     *JobCounts `json:"counts,omitempty" doc:"Of all jobs of the tenant, whatever was asked for"`
}
