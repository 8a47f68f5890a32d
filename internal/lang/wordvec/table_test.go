package wordvec

import (
	"fmt"
	"testing"
)

// The shipped table opens, and every word and stem in it is found where it lies.
func TestShippedTable(t *testing.T) {
	t.Parallel()
	table, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(file) > 8<<20 {
		t.Errorf("the table has %d bytes, want at most 8 MB: it is in every binary", len(file))
	}
	for name, l := range map[string]*lexicon{"words": &table.words, "stems": &table.stems} {
		for i := range len(l.ends) / 4 {
			if got := l.find(l.at(i)); got != i {
				t.Fatalf("%s: find(%q) = %d, want %d", name, l.at(i), got, i)
			}
		}
	}
	for i := range len(table.shares) / 4 {
		if s := float32At(table.shares, i); !(s > 0 && s < 1) {
			t.Errorf("share of %q = %v, want it between 0 and 1", table.stems.at(i), s)
		}
	}
}

func TestEncodeAndOpen(t *testing.T) {
	t.Parallel()
	var words, stems []Entry
	for i := range 300 {
		w := Entry{Text: fmt.Sprintf("word%d", i), Scale: float32(i) / 7}
		w.Vector[i%Dims] = int8(i - 128)
		words = append(words, w)
		stems = append(stems, Entry{Text: fmt.Sprintf("stem%d", i), Share: float32(i) / 300})
	}
	data := string(Encode(words, stems))
	got, err := open(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range words {
		if n := got.words.find(w.Text); n != i {
			t.Fatalf("find(%q) = %d, want %d", w.Text, n, i)
		}
		var sum Sum
		got.addRow(&sum, i, 2)
		if want := 2 * w.Scale * float32(w.Vector[i%Dims]); sum[i%Dims] != want {
			t.Errorf("component of %q = %v, want %v", w.Text, sum[i%Dims], want)
		}
		if s := float32At(got.shares, got.stems.find(stems[i].Text)); s != stems[i].Share {
			t.Errorf("share of %q = %v, want %v", stems[i].Text, s, stems[i].Share)
		}
	}
	for _, short := range []string{"", data[:7], data[:20], data[:len(data)-1], data + "x", "wordvec2" + data[8:]} {
		if _, err := open(short); err == nil {
			t.Errorf("open of %d bytes of a table of %d: no error", len(short), len(data))
		}
	}
}
