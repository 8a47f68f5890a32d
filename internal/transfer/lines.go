package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/trilith-memory/trilith"
)

// MaxLineBytes is the longest line of a JSON Lines file: enough for a memory of [trilith.MaxTextBytes] in its longest
// JSON form, and for the tombstones of a very large erasure.
const MaxLineBytes = 64 << 20

// bom is the byte order mark that some editors write before UTF-8 text.
var bom = []byte("\xef\xbb\xbf")

type line struct {
	n    int
	text []byte // valid until the next line is read
}

// lines reads the lines of a file that are not blank. A line over max is a [*LineError]; a failing reader is any other
// error and ends.
func lines(in input, max int) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		br := bufio.NewReaderSize(in.r, 64<<10)
		var buf []byte
		for n := 1; ; n++ {
			buf = buf[:0]
			tooLong := false
			var part []byte
			err := bufio.ErrBufferFull
			for errors.Is(err, bufio.ErrBufferFull) {
				part, err = br.ReadSlice('\n')
				if tooLong = tooLong || len(buf)+len(part) > max+1; !tooLong {
					buf = append(buf, part...)
				}
			}
			if err != nil && err != io.EOF {
				yield(line{}, trilith.WrapError(trilith.Internal, "transfer.Read", err))
				return
			}
			if n == 1 {
				buf = bytes.TrimPrefix(buf, bom)
			}
			switch text := bytes.TrimSpace(buf); {
			case tooLong:
				if !yield(line{n: n}, in.bad(n, trilith.Errorf(trilith.Invalid, "is longer than %d bytes", max))) {
					return
				}
			case len(text) > 0:
				if !yield(line{n: n, text: text}, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
		}
	}
}

func isLineError(err error) bool {
	_, ok := errors.AsType[*LineError](err)
	return ok
}

// decode reads the one JSON value that data holds.
func decode(data []byte, v any, strict bool) error {
	if err := trilith.CheckJSON(data); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(v); err != nil {
		return invalidJSON("line", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return trilith.Errorf(trilith.Invalid, "holds more than one JSON value")
	}
	return nil
}

// invalidJSON describes, in terms of the file, why a value is not in the expected format. what names the value.
func invalidJSON(what string, err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field != "" {
			what = e.Field
		}
		return trilith.Errorf(trilith.Invalid, "%s: %s does not belong here", what, e.Value)
	}
	return trilith.Errorf(trilith.Invalid, "%s: %s", what, strings.TrimPrefix(err.Error(), "json: "))
}
