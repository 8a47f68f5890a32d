// Package embedded keeps search indexes in the memory of the process: the drivers called "embedded:".
//
// Everything lies in partitions, one for each tenant, and a search looks at one partition only; so no tenant can find,
// slow down or move the scores of another. A partition is a table of slots (small numbers that stand for memories, with
// the facets that filters look at as columns of integers) and an index over the slots. A search asks the table for the
// bit set of slots that scope and filter let through, and runs the index over just those.
//
// The content of an index is derived. [Text] can keep a snapshot of itself in a store of blobs, so that the next start
// goes on from there instead of filling it from the truth. Opening it reads the tables; facets and postings stay packed
// until they are looked at. Vectors are more expensive to make, so [Vector] stores each when it is applied, in full
// precision, and beside them snapshots of what it holds in memory; it reads a partition when it is first needed.
package embedded
