package berttest

import (
	"fmt"
	"math"
)

// Vector computes the model's vector of a sequence of tokens, in float64 and one number after the other.
func (m *Model) Vector(tokens []int32) []float64 {
	c := computation{m, m.make()}
	x := c.embeddings(tokens)
	for l := range m.Layers {
		p := fmt.Sprintf("encoder.layer.%d.", l)
		c.attend(x, p+"attention.")
		c.forward(x, p)
	}
	out := make([]float64, m.Hidden)
	for t, row := range x {
		if t == 0 || !m.First {
			out = add(out, row)
		}
	}
	var squares float64
	for _, v := range out {
		squares += v * v
	}
	for i := range out {
		out[i] /= math.Sqrt(squares)
	}
	return out
}

// computation is a model with its weights. Its values have a row for each token.
type computation struct {
	*Model
	weights map[string]tensor
}

func (c *computation) at(name string, i int) float64 { return float64(c.weights[name].values[i]) }

func (c *computation) embeddings(tokens []int32) (x [][]float64) {
	for position, token := range tokens {
		row := make([]float64, c.Hidden)
		for i := range row {
			row[i] = c.at("embeddings.word_embeddings.weight", int(token)*c.Hidden+i) +
				c.at("embeddings.position_embeddings.weight", position*c.Hidden+i) +
				c.at("embeddings.token_type_embeddings.weight", i)
		}
		c.norm(row, "embeddings.LayerNorm")
		x = append(x, row)
	}
	return x
}

// attend mixes into each row those that it attends to.
func (c *computation) attend(x [][]float64, p string) {
	var queries, keys, values [][]float64
	for _, row := range x {
		queries = append(queries, c.dense(row, p+"self.query", c.Hidden))
		keys = append(keys, c.dense(row, p+"self.key", c.Hidden))
		values = append(values, c.dense(row, p+"self.value", c.Hidden))
	}
	for t, row := range x {
		attended := make([]float64, c.Hidden)
		size := c.Hidden / c.Heads
		for head := range c.Heads {
			shares, sum := make([]float64, len(x)), 0.0
			for u := range x {
				var product float64
				for i := head * size; i < (head+1)*size; i++ {
					product += queries[t][i] * keys[u][i]
				}
				shares[u] = math.Exp(product / math.Sqrt(float64(size)))
				sum += shares[u]
			}
			for u, share := range shares {
				for i := head * size; i < (head+1)*size; i++ {
					attended[i] += share / sum * values[u][i]
				}
			}
		}
		x[t] = add(row, c.dense(attended, p+"output.dense", c.Hidden))
		c.norm(x[t], p+"output.LayerNorm")
	}
}

// forward puts each row through the two dense layers behind the attention.
func (c *computation) forward(x [][]float64, p string) {
	for t, row := range x {
		inner := c.dense(row, p+"intermediate.dense", c.Inner)
		for i, v := range inner {
			inner[i] = v * (1 + math.Erf(v/math.Sqrt2)) / 2
		}
		x[t] = add(row, c.dense(inner, p+"output.dense", c.Hidden))
		c.norm(x[t], p+"output.LayerNorm")
	}
}

func (c *computation) norm(x []float64, name string) {
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	for i := range x {
		x[i] = (x[i]-mean)/math.Sqrt(variance+epsilon)*c.at(name+".weight", i) + c.at(name+".bias", i)
	}
}

func (c *computation) dense(x []float64, name string, out int) []float64 {
	w, y := c.weights[name+".weight"].values, make([]float64, out)
	for o := range y {
		y[o] = c.at(name+".bias", o)
		for i, v := range x {
			y[o] += v * float64(w[o*len(x)+i])
		}
	}
	return y
}

func add(x, y []float64) []float64 {
	sum := make([]float64, len(x))
	for i := range x {
		sum[i] = x[i] + y[i]
	}
	return sum
}
