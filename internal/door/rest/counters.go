package rest

import (
	"bufio"
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// metricsType is the media type of what [counters.WriteTo] writes: the text format of Prometheus.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// maxLabels bounds the labels of a family: their values are one comparable key.
const maxLabels = 3

type labelValues [maxLabels]string

// counters is an ordered collection of families. The zero value is empty. Families are added before it is used; counting
// and writing are safe for concurrent use. Counting costs a look-up and an atomic addition, and allocates nothing once a
// combination of label values was seen. Each combination is a series for as long as the program runs, so the values of
// labels must come from small closed sets.
type counters struct{ families []familyWriter }

type familyWriter interface{ write(w *bufio.Writer) }

type countingWriter struct {
	w io.Writer
	n int64
}

// WriteTo writes all families in the order in which they were added, series by their labels.
func (s *counters) WriteTo(w io.Writer) (int64, error) {
	counted := &countingWriter{w: w}
	b := bufio.NewWriter(counted)
	for _, f := range s.families {
		f.write(b)
	}
	err := b.Flush()
	return counted.n, err
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// counter is a family of whole numbers.
type counter struct{ family[atomic.Int64] }

// Counter adds a family that only grows. A family without labels begins at 0, others have no series until they are
// counted.
func (s *counters) Counter(name, help string, labels ...string) *counter {
	return s.numbers(name, help, "counter", labels)
}

// Gauge adds a family that is made for one answer: the caller adds the current values.
func (s *counters) Gauge(name, help string, labels ...string) *counter {
	return s.numbers(name, help, "gauge", labels)
}

func (s *counters) numbers(name, help, kind string, labels []string) *counter {
	c := &counter{newFamily(name, help, kind, labels, func() *atomic.Int64 { return new(atomic.Int64) })}
	if len(labels) == 0 {
		c.at(labelValues{})
	}
	s.families = append(s.families, c)
	return c
}

func (c *counter) write(w *bufio.Writer) {
	c.each(w, func(key labelValues, n *atomic.Int64) { c.sample(w, "", key, "", strconv.FormatInt(n.Load(), 10)) })
}

// family is a name with its series, whose numbers are an S each.
type family[S any] struct {
	name, help, kind string
	labels           []string

	mu     sync.RWMutex
	series map[labelValues]*S
	fresh  func() *S
}

// histogram is a family of durations, in buckets.
type histogram struct {
	family[buckets]
	bounds []time.Duration
}

type buckets struct {
	counts []atomic.Int64 // one for each bound, and one beyond
	sum    atomic.Int64   // nanoseconds
}

// Histogram adds a family of durations, which are written in seconds. The bounds are the upper ends of its buckets.
func (s *counters) Histogram(name, help string, bounds []time.Duration, labels ...string) *histogram {
	h := &histogram{bounds: bounds}
	h.family = newFamily(name, help, "histogram", labels,
		func() *buckets { return &buckets{counts: make([]atomic.Int64, len(bounds)+1)} })
	s.families = append(s.families, h)
	return h
}

func newFamily[S any](name, help, kind string, labels []string, fresh func() *S) family[S] {
	if len(labels) > maxLabels {
		panic("metrics: " + name + " has more labels than a key holds")
	}
	return family[S]{name: name, help: help, kind: kind, labels: labels, series: map[labelValues]*S{}, fresh: fresh}
}

// Observe counts a duration in the series of the labels' values.
func (h *histogram) Observe(took time.Duration, labels ...string) {
	b := h.at(valuesOf(labels))
	at, _ := slices.BinarySearchFunc(h.bounds, took, cmp.Compare[time.Duration])
	b.counts[at].Add(1)
	b.sum.Add(int64(took))
}

// Add counts n more in the series of the labels' values, which are given in the order of the labels.
func (c *counter) Add(n int, labels ...string) { c.at(valuesOf(labels)).Add(int64(n)) }

func (f *family[S]) at(key labelValues) *S {
	f.mu.RLock()
	s := f.series[key]
	f.mu.RUnlock()
	if s != nil {
		return s
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if s = f.series[key]; s == nil {
		s = f.fresh()
		f.series[key] = s
	}
	return s
}

func valuesOf(in []string) (key labelValues) {
	copy(key[:], in)
	return key
}

func (h *histogram) write(w *bufio.Writer) {
	h.each(w, func(key labelValues, b *buckets) {
		var n int64
		for i, bound := range h.bounds {
			n += b.counts[i].Load()
			h.sample(w, "_bucket", key, seconds(bound), strconv.FormatInt(n, 10))
		}
		n += b.counts[len(h.bounds)].Load()
		h.sample(w, "_bucket", key, "+Inf", strconv.FormatInt(n, 10))
		h.sample(w, "_sum", key, "", seconds(time.Duration(b.sum.Load())))
		h.sample(w, "_count", key, "", strconv.FormatInt(n, 10))
	})
}

// each writes the head of the family and hands out its series by the byte order of their labels.
func (f *family[S]) each(w *bufio.Writer, line func(key labelValues, s *S)) {
	f.mu.RLock()
	series := maps.Clone(f.series)
	f.mu.RUnlock()
	w.WriteString("# HELP " + f.name + " " + f.help + "\n# TYPE " + f.name + " " + f.kind + "\n")
	for _, key := range slices.SortedFunc(
		maps.Keys(series), func(a, b labelValues) int { return slices.Compare(a[:], b[:]) }) {
		line(key, series[key])
	}
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// sample writes one line; le is the bound of a bucket, or empty.
func (f *family[S]) sample(w *bufio.Writer, suffix string, key labelValues, le, value string) {
	w.WriteString(f.name + suffix)
	open := "{"
	for i, label := range f.labels {
		w.WriteString(open + label + `="` + escapeLabel.Replace(key[i]) + `"`)
		open = ","
	}
	if le != "" {
		w.WriteString(open + `le="` + le + `"`)
		open = ","
	}
	if open == "," {
		w.WriteByte('}')
	}
	w.WriteString(" " + value + "\n")
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) }
