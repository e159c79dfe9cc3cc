// Package wording puts messages of clusters and counts into sentences for people.
package wording

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/secret"
)

// Because returns a message of the cluster as the rest of a sentence.
func Because(message string) string {
	if message == "" {
		return ""
	}
	return ": " + Sentence(message)
}

// Sentence returns a message of the cluster for users: in one line, cut, and without
// secrets.
func Sentence(message string) string {
	line := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, message)
	return Cut(secret.MaskedIn(line))
}

// longest is the most of a value that is shown, in bytes.
const longest = 200

// Cut shortens a text at the end of a character.
func Cut(s string) string {
	if len(s) <= longest {
		return s
	}
	end := longest
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// Plural returns a number with its noun: "one VM", "3 VMs".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "one " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Count returns a number with its noun in digits: "1 VM", "3 VMs".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Most is the most names of a list that are shown.
const Most = 5

// Some returns the first names of a list, and the number of the others.
func Some(names []string) string {
	if len(names) <= Most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:Most], ", "), len(names)-Most)
}

// NumberOf returns "3 are", "one is" or "none is".
func NumberOf(n int) string {
	switch n {
	case 0:
		return "none is"
	case 1:
		return "one is"
	}
	return fmt.Sprintf("%d are", n)
}

// InBrackets returns a message of the cluster in the middle of a sentence.
func InBrackets(message string) string {
	if message == "" {
		return ""
	}
	return " (" + Sentence(message) + ")"
}

// Minutes returns a duration in whole minutes, or from two hours on in whole hours, rounded up.
func Minutes(d time.Duration) string {
	if d >= 2*time.Hour {
		return fmt.Sprintf("%d hours", int((d+time.Hour-1)/time.Hour))
	}
	return Plural(int((d+time.Minute-1)/time.Minute), "minute", "minutes")
}
