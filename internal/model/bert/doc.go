// Package bert computes sentence embeddings with encoders of the BERT family, in plain Go and, for processors that have
// them, vector instructions.
//
// A model is a folder in the form of Hugging Face: weights in safetensors, a WordPiece vocabulary, and the files of
// sentence-transformers that say how the vectors of the tokens are combined. [Load] reads it through an [io/fs.FS] and
// keeps nothing open. A text becomes tokens ([Model.Tokenize]), and tokens a vector ([Model.Encode]):
//
//	tokens → word + position embedding
//	       → layers × { attention, add & norm, feed-forward, add & norm }
//	       → mean or first → length 1
//
// as in Vaswani et al., "Attention Is All You Need" (2017) and Devlin et al., "BERT" (2019). Several sequences are
// stored one after the other without padding: the matrix products work on all their tokens at once, attention on each
// sequence separately.
//
// The four large products of a layer run in float32, which is the reference, or in whole numbers of 8 bits ([Int8]),
// which is faster and takes a quarter of their memory. The code for them is chosen once, by processor: see kernels.
package bert
