// Package ollama drives models and embedders that an Ollama server runs, by its own API.
package ollama

// Local is where a server on this machine answers.
const Local = "http://127.0.0.1:11434"
