//go:build !amd64

package vec

// available returns the kernels of this processor, the best last.
func available() []kernels { return []kernels{plain} }
