package embedding

import "github.com/trilith-memory/trilith"

// MaxBytes is how many bytes of text go into a request where a service does not say: the most that gateways are known
// to take.
const MaxBytes = 3 << 20

// Size is how many dimensions the vectors of a model have.
type Size struct {
	Default int // 0: not known
	Least   int // that vectors may be cut to, because the model is trained for it; 0: it has one size
	Most    int // that the service can be asked for; 0: Default
}

// Dims returns the dimensions of an embedder: those requested, or the model's default.
func (s Size) Dims(name string, asked int) (int, error) {
	most := max(s.Most, s.Default)
	switch {
	case asked == 0 && s.Default == 0:
		return 0, trilith.Errorf(trilith.Invalid, "embedder: the number of dimensions of %s is not known; add ?dims=N",
			name)
	case asked == 0:
		return s.Default, nil
	case s.Default == 0 || asked == s.Default:
		return asked, nil
	case s.Least == 0:
		return 0, trilith.Errorf(trilith.Invalid,
			"embedder: %s has %d dimensions; leave dims out, or cut them here with mrl=N if the model is trained for it", name, s.Default)
	case asked < s.Least || asked > most:
		return 0, trilith.Errorf(trilith.Invalid, "embedder: dims of %s must be %d to %d", name, s.Least, most)
	}
	return asked, nil
}
