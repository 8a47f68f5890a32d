// Package textproc turns text into what lexical search compares: terms and identifiers.
//
// # Segmentation
//
// Text of any script is folded ([Fold]: case, width, accents, ß to ss, ä to a) and cut into runs of letters, marks and
// digits. Scripts that are written without spaces between words (Han, kana, Thai, Lao, Khmer, Myanmar), and Hangul,
// whose words carry their particles with them, give overlapping pairs of characters instead; a character that stands
// alone is a term. A possessive 's is dropped, and n't leaves n, so that "Ana's" gives "ana" and "don't" gives "don".
//
// # Languages
//
// Words are stemmed by the rules of their language ([Lang]); words with digits or in letters that no stemmer knows are
// not. The script shows that a word is Russian or Arabic. A text in Latin letters is in the language that has most of
// its stop words, which every sentence has and a keyword has not. Words that are common in other languages too
// (data/shared.txt) do not count. Where words do not decide, letters do (data/letters.txt).
//
//   - A document is stemmed in the language that it is in, and in that of the [Analyzer]'s choice, English, if it does
//     not say. A term in Latin letters names its language unless that is English: haus/de. So no document holds a term
//     of another language by chance, and knowing more languages moves no score of texts in one.
//   - A word of a query is searched in its own form and in that of every language that documents are in. Each document
//     holds it in one of them, so it is found whatever language the query is taken for, or in none. The forms of a word
//     are alternatives: a document that holds two of them still holds one word.
//
// Documents keep their stop words, and queries drop them: whether a word says something depends on the question, and
// document lengths stay those of the text. A query drops the stop words of the language that it is in, or of all that
// it might be in, and those whose script tells.
package textproc

// Version changes whenever a text gives other terms or identifiers than before: what was kept of an index is then of no
// use.
const Version = 2
