package chat

import "math"

// TopTokens is how many tokens a service is asked for that an answer could have begun with: as many as all allow.
const TopTokens = 20

// Token is a token of an answer with its alternatives, as OpenAI and Ollama write it.
type Token struct {
	Top []struct {
		Token   string  `json:"token"`
		Logprob float64 `json:"logprob"`
	} `json:"top_logprobs"`
}

// Likely returns how likely each token is that the answer could have begun with, for [Part].
func Likely(tokens []Token) map[string]float64 {
	if len(tokens) == 0 {
		return nil
	}
	first := map[string]float64{}
	for _, t := range tokens[0].Top {
		first[t.Token] = math.Exp(t.Logprob)
	}
	return first
}
