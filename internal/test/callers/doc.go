// Package callers holds no code, only tests: it replays what the programs of five teams send, and compares the answers
// with recorded ones.
package callers
