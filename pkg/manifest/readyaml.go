package manifest

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// The YAML reader reads one document and silently ignores what follows it. This
// file must therefore find such text: an object that is not read looks like one
// that is to be deleted.
var (
	errTrailing = errors.New("text after the end of the object; --- separates documents")
	errBreak    = errors.New("document marker after a Unicode line separator; --- stands on a line of its own")
)

// unicodeBreaks are the characters that end a line in YAML 1.1, and in few other
// formats.
var unicodeBreaks = []string{"\u0085", "\u2028", "\u2029"}

// toJSON converts a YAML document, which must end where the text does. Keys that
// occur twice are an error.
func toJSON(text []byte) ([]byte, error) {
	for _, br := range unicodeBreaks {
		for _, marker := range []string{"---", "..."} {
			if bytes.Contains(text, []byte(br+marker)) {
				return nil, errBreak
			}
		}
	}
	converted, err := yaml.YAMLToJSONStrict(text)
	if err == nil && !(bytes.HasPrefix(converted, []byte("{")) && hasOneMapping(text)) {
		err = checkEnd(text)
	}
	return converted, err
}

// hasOneMapping reports whether a text whose value is a map is known to end with it, without reading it once more: it
// begins with a key at the start of a line, and no line can begin further left, where the map would end. Markers
// between documents are not in the text, and directives begin with a percent sign.
func hasOneMapping(text []byte) bool {
	for len(text) > 0 && isBlank(text[:lineEnd(text, 0)]) {
		text = text[lineEnd(text, 0):]
	}
	if len(text) == 0 || (text[0]|0x20 < 'a' || text[0]|0x20 > 'z') {
		return false
	}
	for _, br := range append([]string{"\n", "\r"}, unicodeBreaks...) {
		if bytes.Contains(text, []byte(br+"%")) {
			return false
		}
	}
	return true
}

// checkEnd returns an error if a text contains more than one YAML document.
func checkEnd(text []byte) error {
	stream := yamlv3.NewDecoder(bytes.NewReader(text))
	var document yamlv3.Node
	if err := stream.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := stream.Decode(&document); !errors.Is(err, io.EOF) {
		return errTrailing
	}
	return nil
}

// isFlow reports whether a document is an object in braces, after any tag or anchor.
func isFlow(text []byte) bool {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		if len(text) == 0 || text[0] != '!' && text[0] != '&' {
			return len(text) > 0 && text[0] == '{'
		}
		end := bytes.IndexAny(text, " \t\r\n")
		if end < 0 {
			return false
		}
		text = text[end:]
	}
}

// yamlErrors reports the problems in an error of the YAML reader, which is one line,
// or a heading and a line for each problem: "line 3: key "a" already set in map".
func (r *reading) yamlErrors(d document, err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n")
	for problem := range strings.SplitSeq(text, "\n") {
		at := ReadError{Document: d.number, Line: d.line}
		problem = strings.TrimSpace(problem)
		if rest, ok := strings.CutPrefix(problem, "line "); ok {
			number, rest, _ := strings.Cut(rest, ": ")
			if n, err := strconv.Atoi(number); err == nil {
				at.Line += n - 1
				problem = rest
			}
		}
		if strings.HasSuffix(problem, "already set in map") && bytes.Contains(d.text, []byte("<<:")) {
			problem += `; a key that the map sets itself must not come from "<<" as well`
		}
		r.fail(at, "%s", problem)
	}
}
