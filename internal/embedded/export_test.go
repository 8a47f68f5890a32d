package embedded

// KeepOften makes an index keep whatever has changed, in segments of so many slots.
func (x *Vector) KeepOften(segment int) *Vector {
	x.keep = keeping{segment: segment, least: 1}
	return x
}
