package transfer

import (
	"bufio"
	"bytes"
	"io"
	"iter"

	"github.com/trilith-memory/trilith"
)

// element is one JSON value of a file.
type element struct {
	line int    // where it begins
	text []byte // valid until the next element is read
}

// elements reads the JSON values of a file one by one: the elements of a list if the file is one, else the values that
// follow each other. It looks at brackets and quotes only, so one element that is wrong inside, or longer than max,
// costs no other, and no more than one is held in memory. A failing reader is an error that ends; all others are
// [*LineError].
func elements(in input, max int) iter.Seq2[element, error] {
	return func(yield func(element, error) bool) {
		s := splitter{r: bufio.NewReaderSize(in.r, 256<<10), max: max, line: 1}
		s.skipMark()
		list, ended, empty := false, false, true
		for {
			c, err := s.next()
			switch {
			case err == io.EOF:
				switch {
				case empty:
					yield(element{}, in.bad(1, trilith.Errorf(trilith.Invalid, "holds no JSON")))
				case list && !ended:
					yield(element{}, in.bad(s.line, trilith.Errorf(trilith.Invalid, "the list ends too early")))
				}
				return
			case err != nil:
				yield(element{}, trilith.WrapError(trilith.Internal, "transfer.Read", err))
				return
			case c == '[' && empty:
				list, empty = true, false
				continue
			case c == ']' && list && !ended:
				ended = true
				continue
			case c == ',' && list && !ended:
				continue
			}
			empty = false
			line := s.line
			stray := ended || c == ']' || c == '}' || c == ',' || c == ':'
			text, err := s.value(c, stray)
			switch {
			case err == io.EOF:
				if !yield(element{}, in.bad(
					line, trilith.Errorf(trilith.Invalid, "the file ends in the middle of the item that begins here"))) {
					return
				}
				ended = true
			case err != nil:
				yield(element{}, trilith.WrapError(trilith.Internal, "transfer.Read", err))
				return
			case stray:
				if !yield(element{}, in.bad(line, trilith.Errorf(trilith.Invalid, "does not belong between the items"))) {
					return
				}
			case text == nil:
				if !yield(element{}, in.bad(line, trilith.Errorf(trilith.Invalid, "is longer than %d bytes", max))) {
					return
				}
			case !yield(element{line: line, text: text}, nil):
				return
			}
		}
	}
}

// splitter finds where JSON values begin and end.
type splitter struct {
	r    *bufio.Reader
	buf  []byte
	max  int
	line int
}

func (s *splitter) skipMark() {
	if head, _ := s.r.Peek(len(bom)); bytes.Equal(head, bom) {
		_, _ = s.r.Discard(len(bom)) // they were peeked
	}
}

// next returns the next byte that is no white space.
func (s *splitter) next() (byte, error) {
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			s.line++
		case ' ', '\t', '\r':
		default:
			return c, nil
		}
	}
}

// value reads to the end of the value that begins with c. It returns nil for one that is too long, and for one that is
// dropped.
func (s *splitter) value(c byte, drop bool) ([]byte, error) {
	s.buf = append(s.buf[:0], c)
	whole := !drop
	depth, quoted, escaped := 0, c == '"', false
	switch c {
	case '{', '[':
		depth = 1
	case '"':
	default:
		depth = -1 // a word or a number: it ends before white space, a comma or a bracket
	}
	for {
		if _, err := s.r.Peek(1); err != nil {
			if err == io.EOF && depth < 0 {
				return s.taken(whole), nil
			}
			return nil, err
		}
		part, _ := s.r.Peek(s.r.Buffered())
		n := 0
		done := false
	scan:
		for n < len(part) {
			c := part[n]
			if depth < 0 {
				switch c {
				case ' ', '\t', '\r', '\n', ',', ']', '}', '{', '[', '"':
					done = true
					break scan
				}
				n++
				continue
			}
			n++
			switch {
			case escaped:
				escaped = false
			case quoted:
				switch c {
				case '\\':
					escaped = true
				case '"':
					quoted = false
					done = depth == 0
				}
			case c == '"':
				quoted = true
			case c == '{' || c == '[':
				depth++
			case c == '}' || c == ']':
				depth--
				done = depth == 0
			}
			if done {
				break
			}
		}
		s.line += bytes.Count(part[:n], []byte{'\n'})
		if whole = whole && len(s.buf)+n <= s.max; whole {
			s.buf = append(s.buf, part[:n]...)
		}
		_, _ = s.r.Discard(n) // they were peeked
		if done {
			return s.taken(whole), nil
		}
	}
}

func (s *splitter) taken(whole bool) []byte {
	if !whole {
		return nil
	}
	return s.buf
}
