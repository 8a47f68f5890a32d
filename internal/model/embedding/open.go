package embedding

import "strings"

// Open is an embedding model with open weights, which many servers run under names of their own.
type Open struct {
	name     string // a part of its name on any server
	Dims     int    // 0: models of several sizes go by the name
	Smallest int    // see [Service]
	Reads    int    // tokens
	Prefix   Prefix
}

// instruct is the task that models with instructions are given.
const instruct = "Instruct: Given a question, find the records of conversations and notes that answer it\nQuery:"

// prefixVersion is the version of the prefixes below: with others, vectors are others.
const prefixVersion = "prefixes 1"

// open lists models, from their cards; the first whose name fits is it.
var open = []Open{
	{"all-minilm", 384, 0, 256, Prefix{}},
	{"nomic-embed-text-v2", 768, 256, 512, Prefix{"search_query: ", "search_document: "}},
	{"nomic-embed-text", 768, 64, 8192, Prefix{"search_query: ", "search_document: "}},
	{"embeddinggemma", 768, 128, 2048, Prefix{"task: search result | query: ", "title: none | text: "}},
	{"qwen3-embedding:0.6b", 1024, 32, 32768, Prefix{Query: instruct}},
	{"qwen3-embedding-0.6b", 1024, 32, 32768, Prefix{Query: instruct}},
	{"qwen3-embedding:4b", 2560, 32, 32768, Prefix{Query: instruct}},
	{"qwen3-embedding-4b", 2560, 32, 32768, Prefix{Query: instruct}},
	{"qwen3-embedding:8b", 4096, 32, 32768, Prefix{Query: instruct}},
	{"qwen3-embedding-8b", 4096, 32, 32768, Prefix{Query: instruct}},
	{"qwen3-embedding", 0, 32, 32768, Prefix{Query: instruct}},
	{"e5-large-instruct", 1024, 0, 512, Prefix{Query: instruct + " "}},
	{"e5-small", 384, 0, 512, Prefix{"query: ", "passage: "}},
	{"e5-base", 768, 0, 512, Prefix{"query: ", "passage: "}},
	{"e5-large", 1024, 0, 512, Prefix{"query: ", "passage: "}},
	{"arctic-embed2", 1024, 256, 8192, Prefix{Query: "query: "}},
	{"arctic-embed-l-v2", 1024, 256, 8192, Prefix{Query: "query: "}},
	{"arctic-embed-m-v2", 768, 256, 8192, Prefix{Query: "query: "}},
	{"arctic-embed", 0, 0, 512, Prefix{Query: "Represent this sentence for searching relevant passages: "}},
	{"bge-m3", 1024, 0, 8192, Prefix{}},
}

// Variant is that of generations whose texts get the prefixes of the model.
func (m Open) Variant() string {
	if m.Prefix == (Prefix{}) {
		return ""
	}
	return prefixVersion
}

// Lookup finds an open model by the name that a server gives it.
func Lookup(name string) (Open, bool) {
	name = strings.ToLower(name)
	for _, m := range open {
		if strings.Contains(name, m.name) {
			return m, true
		}
	}
	return Open{}, false
}
