// Package sdk holds no code, only tests: the API's types in the Python and TypeScript clients are generated from its
// description, and one conversation has the same outcome with every client.
package sdk
