// Package sdk holds no code, only tests: in the Python and TypeScript clients types are generated from the API's
// description and methods from the table of operations, and one conversation has the same outcome with every client.
package sdk
