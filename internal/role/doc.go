// Package role has the contracts between the engine and its drivers: the jobs that a driver can have, as [Store],
// [TextIndex] and [Model], what travels through them, and the optional abilities that a driver may have beyond its job.
// The words that travel are those of the root package.
package role
