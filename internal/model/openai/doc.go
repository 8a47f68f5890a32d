// Package openai drives models and embedders behind the API that OpenAI has made and many servers follow.
package openai

// OpenAI is where OpenAI itself answers.
const OpenAI = "https://api.openai.com/v1"
