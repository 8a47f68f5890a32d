// Package crash holds no code, only a test: a program that writes is killed again and again without warning, and each
// time the file must hold everything that was acknowledged, whole, and nothing that was erased.
package crash
