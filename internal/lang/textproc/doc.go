// Package textproc turns text into the terms and identifiers that lexical search compares.
//
// # Segmentation
//
// Text of any script is folded ([Fold]: case, width, accents, ß to ss, ä to a) and cut into runs of letters, marks and
// digits. Scripts that are written without spaces between words (Han, kana, Thai, Lao, Khmer, Myanmar), and Hangul,
// whose words include their particles, give overlapping pairs of characters instead; a single character is a term. A
// possessive 's is dropped, and n't leaves n, so that "Ana's" gives "ana" and "don't" gives "don". An emoji is a term, in
// whatever skin. A word with a sign at its end is two: "C#" gives "c" and "c#".
//
// # Languages
//
// Words are stemmed by the rules of their language ([Lang]). Words with digits, or in letters without a stemmer, are
// not. The script identifies Russian and Arabic words. A text in Latin letters is in the language that has most of its
// stop words, because every sentence contains some, and a keyword none. Words that are common in other languages too
// (data/shared.txt) do not count. If words do not decide, letters do (data/letters.txt).
//
//   - A document is stemmed in its own language. If that is not detected, the [Analyzer] chooses: by default English.
//     A term in Latin letters names its language unless that is English: haus/de. So no document contains a term
//     of another language by chance, and more languages change no score of texts in one.
//   - A word of a query is searched in its own form and in that of every language of the documents. Each document
//     contains one of the forms, so it is found whatever language is detected for the query. The forms of a word
//     are alternatives: a document with two of them still contains one word.
//
// Documents keep their stop words, and queries drop them: whether a word matters depends on the question, and document
// lengths stay those of the text. A query drops the stop words of its language, or of all languages that it might be
// in, and those of a script with one language.
package textproc

// Version changes whenever a text gives other terms or identifiers than before. An index that was stored with another
// version must be rebuilt.
const Version = 3
