package adopt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// lineEdit is a line of two texts: ' ' of both, '-' of the first, '+' of the second.
type lineEdit struct {
	op   byte
	text string
}

// unified writes how one text becomes the other, as `diff -u` does.
func unified(out *bytes.Buffer, was, now string) {
	all := lineEdits(lines(was), lines(now))
	const around = 3
	for start := 0; start < len(all); {
		if all[start].op == ' ' {
			start++
			continue
		}
		from, to := max(0, start-around), start+1
		for next := to; next < len(all) && next <= to+2*around; next++ {
			if all[next].op != ' ' {
				to = next + 1
			}
		}
		start = min(len(all), to+around)
		hunk(out, all, from, start)
	}
}

// hunk writes a part of a diff below the lines that it is in.
func hunk(out *bytes.Buffer, all []lineEdit, from, to int) {
	a, b := counts(all[:from])
	n, m := counts(all[from:to])
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(a, n), span(b, m))
	for _, l := range all[from:to] {
		fmt.Fprintf(out, "%c%s\n", l.op, l.text)
	}
}

// span returns the lines of a hunk: the first, and how many; before any, if there are none.
func span(before, n int) string {
	if n > 0 {
		before++
	}
	return fmt.Sprintf("%d,%d", before, n)
}

// counts returns the numbers of lines in the first and in the second text.
func counts(all []lineEdit) (a, b int) {
	for _, l := range all {
		if l.op != '+' {
			a++
		}
		if l.op != '-' {
			b++
		}
	}
	return a, b
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// lineEdits returns the shortest list of edits (E. Myers, An O(ND) Difference Algorithm and Its
// Variations, 1986): reached[d] are the furthest lines on each diagonal after d edits.
func lineEdits(a, b []string) []lineEdit {
	var reached []map[int]int
	far := map[int]int{1: 0}
	for d := 0; ; d++ {
		now := map[int]int{}
		for k := -d; k <= d; k += 2 {
			x := far[k-1] + 1
			if k == -d || k != d && far[k-1] < far[k+1] {
				x = far[k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			now[k] = x
			if x >= len(a) && x-k >= len(b) {
				return traced(a, b, append(reached, now))
			}
		}
		reached, far = append(reached, now), now
	}
}

// traced returns the edits that lead to the last line of both texts, from behind.
func traced(a, b []string, reached []map[int]int) []lineEdit {
	var back []lineEdit
	x, y := len(a), len(b)
	for d := len(reached) - 1; d > 0; d-- {
		far, k := reached[d-1], x-y
		down := k == -d || k != d && far[k-1] < far[k+1]
		from := k - 1
		if down {
			from = k + 1
		}
		startX := far[from]
		for x > startX && y > startX-from && (x > startX+1 || down) && (y > startX-from+1 || !down) {
			x, y = x-1, y-1
			back = append(back, lineEdit{' ', a[x]})
		}
		if down {
			y--
			back = append(back, lineEdit{'+', b[y]})
		} else {
			x--
			back = append(back, lineEdit{'-', a[x]})
		}
	}
	for x > 0 {
		x--
		back = append(back, lineEdit{' ', a[x]})
	}
	slices.Reverse(back)
	return back
}
