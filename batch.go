package trilith

import "encoding/json"

// Validate refuses a batch that a commit to the tenant cannot contain: Invalid if it is malformed, Exhausted if it is
// over [MaxBatch] or [MaxBatchBytes]. It does not check what depends on the store, such as expectations.
func (b *Batch) Validate(tenant string) error {
	if len(b.Memories) > MaxBatch {
		return Errorf(Exhausted, "memories: %d in one batch, at most %d are allowed; commit them in parts",
			len(b.Memories), MaxBatch)
	}
	if n := b.Bytes(); n > MaxBatchBytes {
		return Errorf(Exhausted,
			"batch: the texts, metadata and records are %d bytes long, at most %d are allowed; send them in parts", n,
			MaxBatchBytes)
	}
	named := make(map[Ref]struct{}, len(b.Memories)+len(b.Records)+len(b.Delete))
	once := func(what string, r Ref) error {
		if r.ID == "" {
			return Errorf(Invalid, "%s: an id is missing", what)
		}
		if _, ok := named[r]; ok {
			return Errorf(Invalid, "%s: %s is named twice in one batch", what, r.ID)
		}
		named[r] = struct{}{}
		return nil
	}
	for i := range b.Memories {
		m := &b.Memories[i]
		if m.Scope.Tenant != tenant {
			return Errorf(Invalid, "memories: %s belongs to another tenant than the commit", m.ID)
		}
		if err := m.ID.Validate(); err != nil {
			return err
		}
		if err := once("memories", Ref{ID: m.ID}); err != nil {
			return err
		}
	}
	for _, r := range b.Records {
		if r.Kind == "" {
			return Errorf(Invalid, "records: the kind of %s is missing", r.ID)
		}
		if !json.Valid(r.Body) {
			return Errorf(Invalid, "records: the body of %s %s is not JSON", r.Kind, r.ID)
		}
		if err := once("records", Ref{Kind: r.Kind, ID: r.ID}); err != nil {
			return err
		}
	}
	for _, r := range b.Delete {
		if err := once("delete", r); err != nil {
			return err
		}
	}
	for _, c := range b.Claims {
		if c.Key.Space == "" || c.Owner == "" {
			return Errorf(Invalid, "claims: a claim needs a space and an owner")
		}
	}
	jobs := make(map[ID]struct{}, len(b.Jobs))
	for _, j := range b.Jobs {
		if err := j.Validate(tenant); err != nil {
			return err
		}
		if _, ok := jobs[j.ID]; ok {
			return Errorf(Invalid, "jobs: %s is named twice in one batch", j.ID)
		}
		jobs[j.ID] = struct{}{}
	}
	return nil
}

// Bytes is how much a batch carries: the bytes of memories, as [Memory.Bytes] counts them, and of the bodies of
// records.
func (b *Batch) Bytes() int {
	n := 0
	for i := range b.Memories {
		n += b.Memories[i].Bytes()
	}
	for i := range b.Records {
		n += len(b.Records[i].Body)
	}
	return n
}

// Bytes estimates the stored size of a memory without encoding it: its text, its metadata and the quotes of a fact.
func (m *Memory) Bytes() int {
	n := len(m.Text) + bytesIn(m.Metadata)
	if m.Entry != nil {
		n += len(m.Entry.Content) + bytesIn(m.Entry.Structured)
	}
	if m.Summary != nil {
		for _, id := range m.Summary.Sources {
			n += len(id)
		}
	}
	if m.Fact != nil {
		for i := range m.Fact.Evidence {
			n += len(m.Fact.Evidence[i].Quote)
		}
	}
	return n
}

// bytesIn counts the strings of a JSON value; other values count as many bytes as a number in memory.
func bytesIn(v any) int {
	n := 0
	switch v := v.(type) {
	case string:
		n = len(v)
	case []any:
		for _, x := range v {
			n += bytesIn(x)
		}
	case map[string]any:
		for k, x := range v {
			n += len(k) + bytesIn(x)
		}
	case nil:
	default:
		n = 8
	}
	return n
}
