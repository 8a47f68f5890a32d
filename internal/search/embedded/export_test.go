package embedded

// KeepOften makes an index keep every change, in segments of so many slots.
func (x *Vector) KeepOften(segment int) *Vector {
	x.keep = keeping{segment: segment, least: 1}
	return x
}

// SetSpare has an index believe that so many bytes of memory may still be taken.
func (x *Text) SetSpare(bytes int64) { x.SetSpareAndAbove(bytes, 0) }

// SetSpareAndAbove does so, and has it believe that so many may be taken in any case.
func (x *Text) SetSpareAndAbove(spare, above int64) {
	x.spare = func() (int64, int64) { return spare, above }
}

// Needs is how many bytes of memory keeping asks for.
func (x *Text) Needs() (copied, held int64) { return x.needs() }
