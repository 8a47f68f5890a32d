package embedded

// KeepOften makes an index keep whatever has changed, in segments of so many slots.
func (x *Vector) KeepOften(segment int) *Vector {
	x.keep = keeping{segment: segment, least: 1}
	return x
}

// SetSpare has an index believe that so many bytes of memory may still be taken.
func (x *Text) SetSpare(bytes int64) { x.spare = func() int64 { return bytes } }

// Need is how many bytes of memory keeping asks for, Snapshot how many it writes.
func (x *Text) Need() int64   { return snapshotCopies * x.size() }
func (x *Text) Snapshot() int { return len(x.snapshot(int(x.size()))) }
