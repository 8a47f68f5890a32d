// Package textproc turns text into what lexical search compares: terms and identifiers.
//
// # Segmentation
//
// Text of any script is folded ([Fold]: case, width, accents, ß to ss, ä to a) and cut into runs of letters, marks and digits.
// Scripts that are written without spaces between words (Han, kana, Thai, Lao, Khmer, Myanmar), and Hangul, whose words
// carry their particles with them, give overlapping pairs of characters instead; a character that stands alone is a term.
// A possessive 's is dropped, and n't leaves n, so that "Ana's" gives "ana" and "don't" gives "don".
//
// # Languages
//
// English and German words are stemmed, each language by its own rules, other scripts and words with digits are not.
// The language of a text is told by its stop words, which every sentence has and a keyword has not ([Detect]).
//
//   - A document is stemmed in one language: the detected one, English if the text does not say.
//   - A query that is plainly English is stemmed so. Any other query is ambiguous, because a short German document may have
//     been taken for English: each of its words is searched in the forms of both languages. The forms of a word are
//     alternatives, so a document that holds two of them still holds one term.
//
// Documents keep their stop words, and queries drop them: whether a word says something depends on the question, and
// document lengths stay those of the text.
package textproc

// Version changes whenever a text gives other terms or identifiers than before: what was kept of an index is then of no use.
const Version = 1
