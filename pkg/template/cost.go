package template

import (
	"math"
	"reflect"
	"regexp/syntax"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// A cost returns the work of a call beyond reading its arguments once, as an
// upper bound in bytes that it reads or produces.
type cost func(args []reflect.Value) int

// costs contains the functions whose work or result exceeds a small multiple
// of their arguments.
var costs = map[string]cost{
	"addf": decimals, "add1f": decimals, "subf": decimals, "mulf": decimals, "divf": decimals,
	"indent": indentation, "nindent": indentation,
	"join":      func(a []reflect.Value) int { return times(items(a[1]), size(a[0])) },
	"printf":    format,
	"regexFind": matching, "regexFindAll": matching, "regexMatch": matching, "regexSplit": matching,
	"mustRegexFind": matching, "mustRegexFindAll": matching, "mustRegexMatch": matching, "mustRegexSplit": matching,
	"regexReplaceAll": replacing, "regexReplaceAllLiteral": replacing,
	"mustRegexReplaceAll": replacing, "mustRegexReplaceAllLiteral": replacing,
	"repeat":  func(a []reflect.Value) int { return times(whole(a[0]), size(a[1])+1) },
	"replace": func(a []reflect.Value) int { return times(strings.Count(a[2].String(), a[0].String()), size(a[1])) },
	"split":   splitting, "splitList": splitting, "splitn": splitting,
	"until": counting, "untilStep": counting, "seq": counting,
	"uniq": comparing, "mustUniq": comparing, "without": comparing, "mustWithout": comparing,
	"wrapWith": func(a []reflect.Value) int { return times(size(a[2]), size(a[1])) },
}

// endless is a cost above any budget.
const endless = math.MaxInt32

// times multiplies two numbers that are not negative, without overflow.
func times(a, b int) int {
	if a < endless && b < endless && a*b < endless {
		return a * b
	}
	return endless
}

// whole returns the absolute value of a number, at most endless.
func whole(v reflect.Value) int {
	n := v.Int()
	if n <= -endless || n >= endless {
		return endless
	}
	return int(max(n, -n))
}

// size returns the length of a string.
func size(v reflect.Value) int { return len(v.String()) }

// items returns the number of items of a list, or 1 for any other value.
func items(v reflect.Value) int {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice {
		return v.Len()
	}
	return 1
}

const listItem = 32 // bytes per item of a list, in addition to its text

// splitting returns the cost of a list with at most one item per character.
func splitting(args []reflect.Value) int { return times(size(args[len(args)-1]), listItem) }

// counting returns the cost of a list with an item for every step between the first
// and the last number.
func counting(args []reflect.Value) int {
	if args[0].Kind() == reflect.Slice { // of seq, whose step is between the two
		numbers := make([]reflect.Value, args[0].Len())
		for i := range numbers {
			numbers[i] = args[0].Index(i)
		}
		args = numbers
	}
	total := 2
	for _, n := range args {
		total += whole(n)
	}
	return times(total, listItem)
}

// comparing returns the cost of comparing every item of the lists with every other.
func comparing(args []reflect.Value) int {
	count, weight := 0, 0
	for _, a := range args {
		count += items(a)
		weight += weigh(a, maxWork)
	}
	return times(count, weight)
}

func indentation(args []reflect.Value) int {
	return times(whole(args[0]), strings.Count(args[1].String(), "\n")+1)
}

// decimals returns the cost of arithmetic on numbers of up to 600 digits, whose
// digits add up.
func decimals(args []reflect.Value) int {
	count := 1
	for _, a := range args {
		count += items(a)
	}
	return times(times(count, count), 64)
}

// maxPattern is the maximum length of a regular expression, in bytes.
const maxPattern = 1000

// matching returns the cost of trying every character at every position of the
// expression. Repetitions such as a{1000} create many positions.
func matching(args []reflect.Value) int {
	pattern := args[0].String()
	if len(pattern) > maxPattern {
		return endless
	}
	places := 1 // of a broken expression, which the function reports
	if re, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		if prog, err := syntax.Compile(re.Simplify()); err == nil {
			places = len(prog.Inst)
		}
	}
	return times(size(args[1])+1, places+listItem)
}

// replacing returns the cost of matching, and of inserting the replacement for
// every character. References in it such as $1 insert at most the whole text,
// in total, for each of its characters.
func replacing(args []reflect.Value) int {
	return times(size(args[1])+1, size(args[2])+1) + matching(args)
}

// maxWidth is the maximum width to which fmt pads (fmt, print.go, Go 1.26).
const maxWidth = 1_000_000

// verbs matches every % of a format, with the characters up to the next letter
// or %.
var verbs = lazyregexp.New(`%[^a-zA-Z%]*`)

// format returns the cost of printing all arguments for every verb, at its width.
func format(args []reflect.Value) int {
	weight, total := weigh(args[1], maxWork), 0
	for _, v := range verbs().FindAllString(args[0].String(), -1) {
		if strings.Contains(v, "*") {
			total += maxWidth
		}
		if total += weight + widths(v); total > maxWork {
			return endless
		}
	}
	return total
}

// widths returns the sum of the numbers in a verb.
func widths(verb string) int {
	total, n := 0, 0
	for _, c := range []byte(verb + "%") {
		if c >= '0' && c <= '9' {
			n = min(n*10+int(c-'0'), maxWidth)
			continue
		}
		total, n = total+n, 0
	}
	return total
}

// weigh returns the length of all text in a value, plus a constant per item.
// It stops above most: a value with shared parts can exceed that without using
// memory.
func weigh(v reflect.Value, most int) int {
	switch v.Kind() {
	case reflect.String:
		return v.Len() + 1
	case reflect.Interface:
		return weigh(v.Elem(), most)
	case reflect.Slice, reflect.Array:
		total := 1
		for i := 0; i < v.Len() && total <= most; i++ {
			total += listItem/2 + weigh(v.Index(i), most-total)
		}
		return total
	case reflect.Map:
		total := 1
		for each := v.MapRange(); each.Next() && total <= most; {
			total += listItem + weigh(each.Key(), most-total) + weigh(each.Value(), most-total)
		}
		return total
	}
	return 1
}
