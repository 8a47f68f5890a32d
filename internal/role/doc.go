// Package role has the contracts between the engine and its drivers: the jobs that a driver can have, as [Store],
// [TextIndex] and [Model], what travels through them, and the optional abilities that a driver may have beyond its job.
// The words that travel are those of the root package.
//
// All methods of all roles are safe for concurrent use, take the [trilith.Scope] that they work in as an argument, and
// report failures as [trilith.Error] values; errors of a context (canceled, deadline exceeded) pass through unchanged.
package role
