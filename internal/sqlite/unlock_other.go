//go:build !linux

package sqlite

func mendUnlock() {}
