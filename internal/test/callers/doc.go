// Package callers holds no code, only tests: it replays the requests of five teams' programs, and compares the
// answers with recorded ones.
package callers
