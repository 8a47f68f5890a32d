//go:build !linux

package main

// releaseProgram does nothing: other systems remove pages of a program's file by themselves when memory is short.
func releaseProgram() error { return nil }
