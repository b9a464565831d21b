package tools

import (
	"encoding/json"
	"errors"
)

// The bounds of a message. A call is read without being held: what is over a bound is passed over, the rest of it is
// still understood, and the answer can name the argument.
const (
	maxText      = 16 << 20  // bytes of one argument
	maxTextLines = 1_000_000 // lines of one argument
	maxCall      = 64 << 20  // bytes of all arguments of a call
	maxArgs      = 256       // how many arguments
	maxName      = 4 << 10   // bytes of a member's name, and of a message's id
	maxEnvelope  = 4 << 20   // bytes of a message without the arguments of a call
)

// frame is one line of JSON-RPC.
type frame struct {
	envelope []byte     // the message, with {} in the place of params.arguments
	args     *Arguments // params.arguments; nil when there are none
	id       []byte     // a string or number as it was written; nil when there is none, or none was found
	err      error      // errSyntax, errBatch or errFrameTooLarge: the envelope is not complete
}

var (
	errSyntax        = errors.New("the line is not a JSON object")
	errBatch         = errors.New("batches are not supported: send one message on each line")
	errFrameTooLarge = errors.New("the message is too large")
)

// parser reads frames. The tools' arguments, which may be as large as files, are decoded on the way and taken out of the
// message: the SDK goes over every message several times, and holds as many copies of it.
type parser struct {
	lines  *lineReader
	pieces pieces
}

// frame reads the next line that is not blank. The error is the stream's: io.EOF, or another that ends it.
func (p *parser) frame() (*frame, error) {
	for {
		if err := p.lines.more(); err != nil {
			return nil, err
		}
		p.blank()
		f := &frame{}
		switch p.lines.peek() {
		case '\n':
			if err := p.lines.next(); err != nil {
				return nil, err
			}
			continue
		case '{':
			f.err = p.message(f)
		case '[':
			f.err = errBatch
		default:
			f.err = errSyntax
		}
		p.pieces.release()
		if err := p.lines.next(); err != nil && f.err != nil {
			return nil, err // the stream was cut in the middle of a line: nobody waits for an answer
		}
		return f, nil
	}
}

// message reads the object that a line holds.
func (p *parser) message(f *frame) error {
	env := bounded{limit: maxEnvelope}
	ok := p.object(&env, func(key string) bool {
		switch {
		case key == "id":
			id := bounded{limit: maxName}
			ok := p.value(&id) && !id.over && json.Valid(id.bytes)
			if !ok {
				return false
			}
			env.add(id.bytes...)
			if c := id.bytes[0]; c == '"' || c == '-' || '0' <= c && c <= '9' {
				f.id = id.bytes
			}
			return true
		case key == "params" && p.lines.peek() == '{':
			f.args = nil // of two members of one name, the last counts
			return p.object(&env, func(key string) bool {
				if key == "arguments" && p.lines.peek() == '{' {
					env.add('{', '}')
					f.args = &Arguments{}
					return p.arguments(f.args)
				}
				return p.value(&env)
			})
		}
		return p.value(&env)
	})
	p.blank()
	if !ok || p.lines.peek() != '\n' {
		return errSyntax
	}
	if env.over {
		return errFrameTooLarge
	}
	f.envelope = env.bytes
	return nil
}

// object copies an object to dst. After each key, member is called to take the value, and to copy it or something else.
// It is false when the text is no object.
func (p *parser) object(dst *bounded, member func(key string) bool) bool {
	p.take(dst)
	p.blank()
	if p.lines.peek() == '}' {
		p.take(dst)
		return true
	}
	for {
		raw := bounded{limit: maxName}
		if p.lines.peek() != '"' || !p.rawText(&raw) || raw.over {
			return false
		}
		var key string
		if json.Unmarshal(raw.bytes, &key) != nil {
			return false
		}
		dst.add(raw.bytes...)
		p.blank()
		if p.lines.peek() != ':' {
			return false
		}
		p.take(dst)
		p.blank()
		if !member(key) {
			return false
		}
		p.blank()
		c := p.lines.peek()
		if c != ',' && c != '}' {
			return false
		}
		p.take(dst)
		if c == '}' {
			return true
		}
		p.blank()
	}
}

// value copies one value as it is written. Only its end is looked for: whoever decodes the copy sees whether it is one.
func (p *parser) value(dst *bounded) bool {
	depth := 0
	for {
		switch c := p.lines.peek(); c {
		case '\n':
			return depth == 0 // a bare value may end with the line, and then the object does not
		case '"':
			if !p.rawText(dst) {
				return false
			}
		case '{', '[':
			depth++
			p.take(dst)
		case '}', ']':
			if depth == 0 {
				return true // of the object around a bare value
			}
			depth--
			p.take(dst)
		case ',', ' ', '\t', '\r':
			if depth == 0 {
				return true
			}
			p.take(dst)
		default:
			p.take(dst)
			continue // of a bare value: a number, true, false or null
		}
		if depth == 0 {
			return true
		}
	}
}

// rawText copies a string as it is written, with its quotes.
func (p *parser) rawText(dst *bounded) bool {
	p.take(dst)
	for {
		w := p.lines.window()
		n := plainLen(w)
		dst.add(w[:n]...)
		p.lines.skip(n)
		if n == len(w) && n > 0 {
			continue
		}
		switch p.lines.peek() {
		case '"':
			p.take(dst)
			return true
		case '\\':
			p.take(dst)
			if p.lines.peek() == '\n' {
				return false
			}
			p.take(dst)
		default:
			return false
		}
	}
}

// blank skips blanks, which a copy does not need.
func (p *parser) blank() {
	for {
		switch p.lines.peek() {
		case ' ', '\t', '\r':
			p.lines.skip(1)
		default:
			return
		}
	}
}

// take copies one byte.
func (p *parser) take(dst *bounded) {
	dst.add(p.lines.peek())
	p.lines.skip(1)
}

// bounded is a copy of text up to a limit. What comes after it is dropped.
type bounded struct {
	bytes []byte
	limit int
	over  bool
}

func (b *bounded) add(more ...byte) {
	if b.over || len(b.bytes)+len(more) > b.limit {
		b.over = true
		return
	}
	b.bytes = append(b.bytes, more...)
}
