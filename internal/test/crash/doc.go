// Package crash holds no code, only a test: it kills a writing program again and again without warning, and each time
// the file must contain all acknowledged data, complete, and nothing that was erased.
package crash
