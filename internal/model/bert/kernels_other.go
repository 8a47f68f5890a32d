//go:build !amd64

package bert

// available returns the kernels of this processor, the best last.
func available() []kernels { return []kernels{plain} }
