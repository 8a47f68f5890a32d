//go:build !linux && !darwin

package disk

import "github.com/trilith-memory/trilith"

// Free returns how many bytes this program may still write below dir. Systems that do not tell answer Unsupported.
func Free(string) (int64, error) {
	return 0, trilith.Errorf(trilith.Unsupported, "disk: how much space is free is not known on this system")
}
