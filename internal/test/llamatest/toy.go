package llamatest

import (
	"fmt"
	"math/rand/v2"
)

// Dims is the number of dimensions of the toy's embeddings.
const Dims = 64

// Sizes of the toy: as small as a transformer of the architecture llama can be and still have each of its parts.
const (
	layers = 2
	heads  = 4
	hidden = 128
	window = 4096 // tokens
)

// Types of tokens, as llama.cpp numbers them.
const (
	tokenNormal  = 1
	tokenUnknown = 2
	tokenControl = 3
	tokenByte    = 6
)

// vocabulary is one token for each printable ASCII character, and one for each byte so that every text has tokens.
func vocabulary() (tokens []string, scores []float32, kinds []int32) {
	add := func(token string, kind int32) {
		tokens, scores, kinds = append(tokens, token), append(scores, 0), append(kinds, kind)
	}
	add("<unk>", tokenUnknown)
	add("<s>", tokenControl)
	add("</s>", tokenControl)
	for b := range 256 {
		add(fmt.Sprintf("<0x%02X>", b), tokenByte)
	}
	add("\u2581", tokenNormal) // a space
	for c := '!'; c <= '~'; c++ {
		add(string(c), tokenNormal)
	}
	return tokens, scores, kinds
}

// bias is the toy's readiness to say a token, after any other. It says no single bytes, which may be no text; it
// closes values of JSON as soon as it may; and it ends only if the form that it is held to allows nothing else, or at
// the caller's limit.
func bias(token string, kind int32) float32 {
	switch {
	case kind == tokenByte, kind == tokenUnknown, kind == tokenControl:
		return -30
	case token == `"`, token == "}", token == "]":
		return 2.5
	}
	return 0
}

// toy is a model in the form GGUF whose weights are random, the same ones each time: its words mean nothing, but all
// the machinery of real models produces them.
func toy() []byte {
	tokens, scores, kinds := vocabulary()
	g := new(gguf)
	g.set("general.architecture", "llama")
	g.set("general.name", "toy")
	g.set("llama.block_count", uint32(layers))
	g.set("llama.context_length", uint32(window))
	g.set("llama.embedding_length", uint32(Dims))
	g.set("llama.feed_forward_length", uint32(hidden))
	g.set("llama.attention.head_count", uint32(heads))
	g.set("llama.attention.head_count_kv", uint32(heads))
	g.set("llama.attention.layer_norm_rms_epsilon", float32(1e-5))
	g.set("llama.rope.dimension_count", uint32(Dims/heads))
	g.set("llama.vocab_size", uint32(len(tokens)))
	g.set("tokenizer.ggml.model", "llama")
	g.set("tokenizer.ggml.tokens", tokens)
	g.set("tokenizer.ggml.scores", scores)
	g.set("tokenizer.ggml.token_type", kinds)
	g.set("tokenizer.ggml.bos_token_id", uint32(1))
	g.set("tokenizer.ggml.eos_token_id", uint32(2))
	g.set("tokenizer.ggml.unknown_token_id", uint32(0))
	g.set("tokenizer.chat_template",
		"{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}{% endfor %}assistant: ")

	chance := rand.New(rand.NewPCG(1, 2))
	random := func(n int, scale float32) []float32 {
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(chance.NormFloat64()) * scale
		}
		return values
	}
	ones := make([]float32, Dims)
	for i := range ones {
		ones[i] = 1
	}
	// The first dimension of each token's vector is large and the same, so that it is about 8 = √Dims behind every
	// norm, and a weight of bias/8 from it to a token adds the bias.
	embeddings := random(len(tokens)*Dims, .2)
	output := random(len(tokens)*Dims, .2)
	for i, token := range tokens {
		embeddings[i*Dims] = 10
		output[i*Dims] = bias(token, kinds[i]) / 8
	}
	g.tensor("token_embd.weight", embeddings, Dims, uint64(len(tokens)))
	g.tensor("output_norm.weight", ones, Dims)
	g.tensor("output.weight", output, Dims, uint64(len(tokens)))
	for l := range layers {
		name := func(part string) string { return fmt.Sprintf("blk.%d.%s.weight", l, part) }
		g.tensor(name("attn_norm"), ones, Dims)
		for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			g.tensor(name(part), random(Dims*Dims, .05), Dims, Dims)
		}
		g.tensor(name("ffn_norm"), ones, Dims)
		g.tensor(name("ffn_gate"), random(Dims*hidden, .05), Dims, hidden)
		g.tensor(name("ffn_up"), random(Dims*hidden, .05), Dims, hidden)
		g.tensor(name("ffn_down"), random(hidden*Dims, .05), hidden, Dims)
	}
	return g.bytes()
}
