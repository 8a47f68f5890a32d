// Package bert computes sentence embeddings with encoders of the BERT family, in plain Go and, where the processor has
// them, vector instructions.
//
// A model is a folder as Hugging Face keeps them: weights in safetensors, a WordPiece vocabulary, and the notes of
// sentence-transformers that say how the vectors of the tokens become one. [Load] reads it through an [io/fs.FS] and
// keeps nothing open. A text becomes tokens ([Model.Tokenize]), and tokens a vector ([Model.Encode]):
//
//	tokens → word + position embedding
//	       → layers × { attention, add & norm, feed-forward, add & norm }
//	       → mean or first → length 1
//
// as in Vaswani et al., "Attention Is All You Need" (2017) and Devlin et al., "BERT" (2019). Several sequences lie one
// after the other without padding: the matrix products see all their tokens at once, attention sees each by itself.
//
// The four large products of a layer run in float32, which is the reference, or in whole numbers of 8 bits ([Int8]),
// which is faster and takes a quarter of their memory. The code for them is chosen once, by processor: see kernels.
package bert
