// Package sdk holds no code, only tests: what the clients in Python and TypeScript know of the API is generated from
// its description, and one conversation has the same outcome with every client.
package sdk
