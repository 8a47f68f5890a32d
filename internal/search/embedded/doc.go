// Package embedded keeps search indexes in the memory of the process: the drivers called "embedded:".
//
// Each tenant has its own partition, and a search uses one partition only; so no tenant can find, slow down or change
// the scores of another. A partition is a table of slots (small numbers that represent memories, with the facets that
// filters test as columns of integers) and an index over the slots. A search first computes the bit set of slots that
// scope and filter accept, and then searches the index in those.
//
// The content of an index is derived. [Text] can store a snapshot of itself in a store of blobs, so that the next start
// continues from there instead of filling it from the truth. Opening it reads the tables; facets and postings stay
// packed until they are needed. Vectors are more expensive to make, so [Vector] stores each when it is applied, in full
// precision, and also snapshots of its content in memory; it reads a partition on first use.
package embedded
