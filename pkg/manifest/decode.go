package manifest

import (
	"encoding/json"
	"sync"
	"unicode/utf8"
)

// decoder reads a JSON value into a tree, as encoding/json does with [json.Decoder.UseNumber], in two thirds of
// its time (BenchmarkDecode): a plan decodes every object that changes, and every object in the cluster.
type decoder struct {
	text   []byte
	pos    int
	deep   int
	common map[string]string // see common
}

// deepest is the depth at which encoding/json gives up, too.
const deepest = 10000

// decode returns the value that a text is; false if it is not one value of valid JSON.
func decode(text []byte) (v any, ok bool) {
	d := decoder{text: text, common: common()}
	if v, ok = d.value(); !ok {
		return nil, false
	}
	if d.next(); d.pos < len(text) {
		return nil, false
	}
	return v, true
}

func (d *decoder) space() {
	for d.pos < len(d.text) {
		switch d.text[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

// next returns the next byte after white space without taking it, or 0 at the end.
func (d *decoder) next() byte {
	d.space()
	if d.pos == len(d.text) {
		return 0
	}
	return d.text[d.pos]
}

// take takes a byte after white space, and reports whether it is there.
func (d *decoder) take(c byte) bool {
	if d.next() != c {
		return false
	}
	d.pos++
	return true
}

func (d *decoder) value() (any, bool) {
	switch c := d.next(); {
	case c == '{':
		return nested(d, (*decoder).object)
	case c == '[':
		return nested(d, (*decoder).list)
	case c == '"':
		return d.str()
	case c == '-' || isDigit(c):
		return d.number()
	case c == 't':
		return true, d.word("true")
	case c == 'f':
		return false, d.word("false")
	case c == 'n':
		return nil, d.word("null")
	}
	return nil, false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (d *decoder) word(w string) bool {
	if len(d.text)-d.pos < len(w) || string(d.text[d.pos:d.pos+len(w)]) != w {
		return false
	}
	d.pos += len(w)
	return true
}

// nested reads a value that has others in it.
func nested[T any](d *decoder, read func(*decoder) (T, bool)) (any, bool) {
	d.deep++
	d.pos++
	if d.deep > deepest {
		return nil, false
	}
	v, ok := read(d)
	d.deep--
	return v, ok
}

func (d *decoder) object() (Tree, bool) {
	out := Tree{}
	if d.take('}') {
		return out, true
	}
	for {
		if d.next() != '"' {
			return nil, false
		}
		key, ok := d.str()
		if !ok || !d.take(':') {
			return nil, false
		}
		if out[key], ok = d.value(); !ok {
			return nil, false
		}
		if d.take(',') {
			continue
		}
		return out, d.take('}')
	}
}

func (d *decoder) list() ([]any, bool) {
	out := []any{}
	if d.take(']') {
		return out, true
	}
	for {
		v, ok := d.value()
		if !ok {
			return nil, false
		}
		out = append(out, v)
		if d.take(',') {
			continue
		}
		return out, d.take(']')
	}
}

// str reads a text. Those with escapes are left to encoding/json.
func (d *decoder) str() (string, bool) {
	start := d.pos
	for i := start + 1; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == '"':
			d.pos = i + 1
			return d.plain(d.text[start+1 : i]), true
		case c == '\\':
			return d.escaped(start)
		case c < ' ':
			return "", false
		}
	}
	return "", false
}

// plain returns a text without escapes.
func (d *decoder) plain(b []byte) string {
	if s, ok := d.common[string(b)]; ok { // which is not copied
		return s
	}
	if !utf8.Valid(b) { // encoding/json replaces it
		return string([]rune(string(b)))
	}
	return string(b)
}

// escaped reads a text with escapes from its first quote on.
func (d *decoder) escaped(start int) (s string, ok bool) {
	for i := start + 1; i < len(d.text); i++ {
		switch d.text[i] {
		case '\\':
			i++
		case '"':
			d.pos = i + 1
			return s, json.Unmarshal(d.text[start:d.pos], &s) == nil
		}
	}
	return "", false
}

// number reads a number as it is written.
func (d *decoder) number() (json.Number, bool) {
	start := d.pos
	d.sign('-')
	switch whole := d.digits(); {
	case whole == 0, whole > 1 && d.text[d.pos-whole] == '0':
		return "", false
	}
	if d.at('.') {
		d.pos++
		if d.digits() == 0 {
			return "", false
		}
	}
	if d.at('e') || d.at('E') {
		d.pos++
		d.sign('-')
		if d.text[d.pos-1] != '-' {
			d.sign('+')
		}
		if d.digits() == 0 {
			return "", false
		}
	}
	return json.Number(d.text[start:d.pos]), true
}

func (d *decoder) at(c byte) bool { return d.pos < len(d.text) && d.text[d.pos] == c }

func (d *decoder) sign(c byte) {
	if d.at(c) {
		d.pos++
	}
}

// digits takes digits, and returns their number.
func (d *decoder) digits() int {
	start := d.pos
	for d.pos < len(d.text) && isDigit(d.text[d.pos]) {
		d.pos++
	}
	return d.pos - start
}

// common are the keys and values that most objects have: they are kept once, and not once for each object.
var common = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, s := range []string{
		"accessModes", "annotations", "apiVersion", "app", "autoattachMemBalloon", "blockMultiQueue", "bootOrder",
		"bootloader", "bridge", "bus", "cloudInitNoCloud", "cluster", "conditions", "cores", "cpu", "created",
		"creationTimestamp", "dataVolume", "devices", "disk", "disks", "domain", "driver", "efi",
		"evictionStrategy", "features", "firmware", "generation", "guest", "http", "image", "interfaces",
		"ioThreadsPolicy", "kind", "labels", "lastProbeTime", "lastTransitionTime", "macAddress", "machine",
		"masquerade", "memory", "message", "metadata", "model", "multus", "name", "namespace", "networkData",
		"networkInterfaceMultiqueue", "networkName", "networks", "nodeName", "nodeSelector", "observedGeneration",
		"ownerReferences", "persistentVolumeClaim", "phase", "pod", "printableStatus", "progress", "pvc", "ready",
		"reason", "requests", "resourceVersion", "resources", "rng", "runStrategy", "secretRef", "serial",
		"sockets", "source", "sourceRef", "spec", "status", "storage", "storageClassName", "template",
		"terminationGracePeriodSeconds", "threads", "tpm", "type", "uid", "uuid", "userData", "volumeMode",
		"volumes", "True", "False", "virtio", "rootdisk", "VirtualMachine", "VirtualMachineInstance", "DataVolume",
		"PersistentVolumeClaim", "kubevirt.io/v1", "cdi.kubevirt.io/v1beta1", "v1", "Running", "Ready", "Succeeded",
		"ReadWriteMany",
	} {
		out[s] = s
	}
	return out
})
