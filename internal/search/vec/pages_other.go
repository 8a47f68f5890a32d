//go:build !linux

package vec

func advise([]uint8, bool) {}
