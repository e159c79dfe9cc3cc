package html

import "strings"

// Widths of characters in em, in DejaVu Sans Bold: of the fonts that browsers choose for a page, it is the widest.
// Characters that are not listed are as wide as most small letters; those beyond ASCII as the widest.
const (
	usualWidth  = 0.72
	widestWidth = 1.11
)

// widths lists the characters with other widths.
var widths = []struct {
	characters string
	em         float64
}{
	{"ijl|'.,:;! ", 0.41},
	{"-()[]/\\ftrI", 0.5},
	{"ABCDEFGHJKLNOPQRSTUVXYZ&", 0.86},
	{"w+=<>~#", 0.93},
	{"mMW%@", widestWidth},
}

// Sizes of the texts of drawings in pixels, as in page.css.
const (
	nameSize = 13
	subSize  = 12
)

// pixels returns the width of a text, which it has at most.
func pixels(text string, size float64) float64 {
	sum := 0.0
	for _, r := range text {
		sum += widthOf(r)
	}
	return sum * size
}

func widthOf(r rune) float64 {
	if r > '~' {
		return widestWidth
	}
	for _, w := range widths {
		if strings.ContainsRune(w.characters, r) {
			return w.em
		}
	}
	return usualWidth
}

// fit returns a text with an end, of whose beginning as much is left out as makes both fit into so many pixels.
func fit(most, size float64, text, end string) string {
	if pixels(text+end, size) <= most {
		return text + end
	}
	runes := []rune(text)
	for len(runes) > 0 && pixels(string(runes)+"…"+end, size) > most {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…" + end
}

// fitName returns the first line of a drawn text, and fitSub the second one, for a width in pixels.
func fitName(most int, text, end string) string { return fit(float64(most), nameSize, text, end) }
func fitSub(most int, text, end string) string  { return fit(float64(most), subSize, text, end) }

// label returns the first names and how many follow, for a width in pixels.
func label(most int, names []string, shown int) string {
	if len(names) <= shown {
		return fitName(most, strings.Join(names, ", "), "")
	}
	return fitName(most, strings.Join(names[:shown], ", "), " and "+thousands(len(names)-shown)+" more")
}
