// Wordvec makes the table of internal/lang/wordvec from public texts.
//
//	GOEXPERIMENT=simd go run ./tools/wordvec -mirror DIR
//
// The texts are those of sources.json, which names repositories of GitHub with their commits and licences, the files
// to read and their hash. DIR holds a clone of each repository, named owner+name. Nothing is fetched, and no text is
// kept. The same sources give the same table: in some five minutes with vector instructions, which GOEXPERIMENT=simd
// asks for on amd64, in half an hour without, and in less than 2 GB of memory.
//
// Words are counted, and how often they occur near each other; of that the vectors begin as the leading eigenvectors.
// They are then trained to tell the texts that belong together, such as a question and its answer, a turn and the next
// one, a word and its meaning, from others.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/trilith-memory/trilith/internal/lang/wordvec"
)

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.lock, "sources", "tools/wordvec/sources.json", "the lock file of the sources")
	flag.StringVar(&o.mirror, "mirror", "", "the folder of the clones")
	flag.StringVar(&o.out, "out", "internal/lang/wordvec/table.bin", "the table")
	flag.BoolVar(&o.update, "update", false,
		"write the hashes of what is read into the lock file instead of checking them")
	flag.Parse()
	if err := run(o); err != nil {
		log.Fatal("wordvec: ", err)
	}
}

type options struct {
	lock, mirror, out string
	update            bool
}

// Parameters of the table and of its training.
const (
	seed         = 1
	learnedWords = 48000 // with vectors while learning
	shippedWords = 24000 // of them, the most frequent
	shippedStems = 12000
)

func run(o options) error {
	sources, err := readLock(o.lock)
	if err != nil {
		return err
	}
	t, err := read(sources, o.mirror, o.update)
	if err != nil {
		return err
	}
	if o.update {
		if err := writeLock(o.lock, sources); err != nil {
			return err
		}
	}
	common := stems(t, shippedStems)
	v, s := count(t, learnedWords)
	pairs := number(v, t, seed)
	information := cooccur(v, s, seed)
	fmt.Printf("%d words, of which %d pairs occur together more than by chance\n", len(v.words),
		len(information.values))
	e := start(v, information, wordvec.Dims, seed)
	train(e, pairs, training{steps: 1300, batch: 512, rate: 0.02, temperature: 0.15, dropout: 0.1, seed: seed})
	return os.WriteFile(o.out, wordvec.Encode(entries(v, e, shippedWords), common), 0o644)
}
