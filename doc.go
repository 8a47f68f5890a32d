// Package trilith holds the types of a long-term memory for AI agents, and the contracts of the roles that store it.
//
// Words are stored verbatim as episodes of a [Source]; everything else (summaries, entries, vectors, postings) is
// derived from them and can be rebuilt. The system has two kinds of parts:
//
//   - truth: Store, Queue and Log, implemented by one driver, decide what exists, to whom it belongs and whether
//     it still holds;
//   - indexes: VectorIndex and TextIndex find candidates. They may lag, they may be rebuilt, and they never decide.
//
// The engine reads candidates from the indexes and verifies each against the truth before it returns a [Hit].
//
// The package imports only the standard library. All methods of all roles are safe for concurrent use, take the [Scope]
// they work in as an argument, and report failures as [Error] values with a [ErrorKind]; errors of a context (canceled,
// deadline exceeded) pass through unchanged.
package trilith
