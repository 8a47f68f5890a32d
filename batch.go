package trilith

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
