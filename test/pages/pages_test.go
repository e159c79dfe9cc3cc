// Package pages tests in headless Chromium the web pages that vmrender writes. Every test
// fails if the console shows a problem or if a page makes a request.
package pages

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRowsAreLazy checks that rows are built only when they are about to come into view.
func TestRowsAreLazy(t *testing.T) {
	for _, page := range large {
		t.Run(page, func(t *testing.T) {
			b := open(t, page, look{})
			require.Equal(t, "5,000 VMs", b.status())
			require.LessOrEqual(t, len(b.rows()), 200)
			before := len(b.rows())
			eval[any](b, `scrollTo(0, document.body.scrollHeight), null`)
			b.wait(`document.querySelectorAll('tr.row').length > %d`, before)
			b.press('j', end)
			require.Len(t, b.rows(), 5000)
			require.Equal(t, b.rows()[4999], b.focused())
		})
	}
}

func TestSearch(t *testing.T) {
	for page, want := range map[string]string{
		"fleet-10": "1 of 10 VMs", "plan-10": "1 of 10 VMs", "fleet-5000": "1 of 5,000 VMs", "plan-5000": "1 of 5,000 VMs",
	} {
		t.Run(page, func(t *testing.T) {
			b := open(t, page, look{})
			all := b.status()
			b.press('/')
			require.Equal(t, "search", b.focused())
			b.insert("VM-0007 team-7")
			require.Equal(t, want, b.status())
			require.Equal(t, []string{"vm-0007"}, b.rows())
			b.insert(" nowhere")
			require.Empty(t, b.rows())
			require.True(t, eval[bool](b, `document.body.innerText.includes('Nothing matches.')`))
			b.press(escape)
			require.Equal(t, all, b.status())
			require.Empty(t, eval[string](b, `document.getElementById('search').value`))
		})
	}
}

// TestSearchFindsDetails checks that the search finds text that is only in the details.
func TestSearchFindsDetails(t *testing.T) {
	b := open(t, "fleet-5000", look{})
	b.press('/')
	b.insert("10.3.9.2")
	require.Equal(t, []string{"vm-0609"}, b.rows())
	b = open(t, "plan-5000", look{})
	b.press('/')
	b.insert("of 4998")
	require.Equal(t, []string{"vm-4998"}, b.rows())
}

func TestFilters(t *testing.T) {
	b := open(t, "plan-10", look{})
	tile := func(level string) string {
		return `(() => { const tile = document.querySelector('[data-value="` + level + `"]');
			tile.click(); return tile.getAttribute('aria-pressed'); })()`
	}
	require.Equal(t, "true", eval[string](b, tile("restart")))
	require.Equal(t, "4 of 10 VMs", b.status())
	require.Equal(t, "true", eval[string](b, tile("none")))
	require.Equal(t, "7 of 10 VMs", b.status())
	require.Equal(t, "false", eval[string](b, tile("restart")))
	require.Equal(t, "3 of 10 VMs", b.status())
	b.press(escape)
	require.Equal(t, "10 VMs", b.status())
	require.Zero(t, eval[int](b, `document.querySelectorAll('[aria-pressed=true][data-filter]').length`))

	for _, page := range []string{"plan-10", "fleet-10"} {
		b := open(t, page, look{})
		eval[any](b, `(() => { const s = document.querySelector('.tools select');
			s.value = 'team-3'; s.dispatchEvent(new Event('change')); })(), null`)
		require.Equal(t, "1 of 10 VMs", b.status())
		require.Equal(t, []string{"vm-0003"}, b.rows())
		eval[any](b, `document.querySelector('.clear').click(), null`)
		require.Equal(t, "10 VMs", b.status())
	}
}

func TestKeyboard(t *testing.T) {
	for _, page := range small {
		t.Run(page, func(t *testing.T) {
			b := open(t, page, look{})
			rows := b.rows()
			b.press('j')
			require.Equal(t, rows[0], b.focused())
			b.press('j', arrowDown)
			require.Equal(t, rows[2], b.focused())
			b.press('k', arrowUp, 'k')
			require.Equal(t, rows[0], b.focused())
			require.Equal(t, "false", expanded(b))
			b.press(enter)
			require.Equal(t, "true", expanded(b))
			require.Greater(t, eval[int](b,
				`document.getElementById(document.activeElement.getAttribute('aria-controls')).innerText.length`), 20)
			b.press(escape)
			require.Equal(t, "false", expanded(b))
			require.Equal(t, 0, eval[int](b, `document.querySelectorAll('tr.details').length`))
			b.press('/', arrowDown)
			require.Equal(t, rows[0], b.focused())
			b.press('/')
			b.insert("vm-0003")
			b.press(enter)
			require.Equal(t, "vm-0003", b.focused())
			b.press(escape)
			require.Equal(t, "vm-0003", b.focused())
			require.Len(t, b.rows(), 10)
		})
	}
}

func expanded(b *tab) string {
	return eval[string](b, `document.activeElement.getAttribute('aria-expanded')`)
}

// TestTexts checks that hostile values are shown literally.
func TestTexts(t *testing.T) {
	b := open(t, "plan-10", look{})
	openAll(b)
	require.True(t, eval[bool](b, `document.body.innerText.includes('after <b> </script> of 3')`))
}

// openAll opens the details of all rows that have been built.
func openAll(b *tab) {
	eval[any](b, `document.querySelectorAll('tr.row button[aria-expanded=false]').forEach((b) => b.click()), null`)
}

// TestWidths checks that no page is wider than its window, even with all details open.
func TestWidths(t *testing.T) {
	for _, page := range everyPage() {
		widths := []int64{320, 390, 760, 1280}
		if slices.Contains(large, page) {
			widths = []int64{390}
		}
		b := open(t, page, look{width: widths[0]})
		openAll(b)
		for _, width := range widths {
			b.resize(width)
			require.LessOrEqual(t, eval[int64](b, `document.documentElement.scrollWidth`), width, "%s at %d", page, width)
		}
	}
}

// TestThemes checks that a page follows the theme of the system, that its button changes
// the theme, and that all texts have enough contrast in both themes (WCAG 2.2, success
// criterion 1.4.3).
func TestThemes(t *testing.T) {
	const paper = `getComputedStyle(document.body).backgroundColor`
	for _, page := range append(small, "plan-none") {
		t.Run(page, func(t *testing.T) {
			light, dark := open(t, page, look{theme: "light"}), open(t, page, look{theme: "dark"})
			require.NotEqual(t, eval[string](light, paper), eval[string](dark, paper))
			for _, b := range []*tab{light, dark} {
				openAll(b)
				require.Empty(t, eval[[]string](b, faint))
			}
			eval[any](dark, `document.querySelector('.theme').click(), null`)
			require.Equal(t, eval[string](light, paper), eval[string](dark, paper))
			require.Equal(t, "false", eval[string](dark, `document.querySelector('.theme').getAttribute('aria-pressed')`))
			require.Empty(t, eval[[]string](dark, faint))
			eval[any](dark, `localStorage.clear(), null`)
		})
	}
}

// faint lists the texts whose contrast with their background is below 4.5.
const faint = `(() => {
	const parse = (color) => color.match(/[\d.]+/g).map(Number);
	const light = (rgb) => rgb.slice(0, 3).map((c) => c / 255)
		.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const color = parse(getComputedStyle(e).backgroundColor);
			if (color.length < 4 || color[3] === 1) return color;
		}
		return [255, 255, 255];
	};
	const found = [];
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const e = texts.currentNode.parentElement;
		if (!texts.currentNode.data.trim() || !e.getClientRects().length) continue;
		if (e.closest('script, noscript, title, .symbols')) continue;
		const style = getComputedStyle(e);
		const a = light(parse(e.closest('svg') ? style.fill : style.color)), b = light(behind(e));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) found.push(contrast.toFixed(2) + ' ' + texts.currentNode.data.trim());
	}
	return [...new Set(found)];
})()`

// TestNames checks that every control has a name, and every table and drawing a role or a label.
func TestNames(t *testing.T) {
	for _, page := range small {
		b := open(t, page, look{})
		openAll(b)
		require.Empty(t, eval[[]string](b, `[...document.querySelectorAll('button, select, input')]
			.filter((e) => !(e.textContent.trim() || e.closest('label'))).map((e) => e.outerHTML)`))
		require.Empty(t, eval[[]string](b, `[...document.querySelectorAll('svg')]
			.filter((e) => !e.getAttribute('aria-hidden') && !e.getAttribute('aria-label')).map((e) => e.outerHTML)`))
		require.Empty(t, eval[[]string](b, `[...document.querySelectorAll('[id]')].map((e) => e.id)
			.filter((id, i, all) => all.indexOf(id) !== i)`))
		require.Empty(t, eval[[]string](b, `[...document.querySelectorAll('[aria-controls], [aria-labelledby]')]
			.filter((e) => !document.getElementById(e.getAttribute('aria-controls') || e.getAttribute('aria-labelledby')))
			.map((e) => e.outerHTML)`))
	}
}

// TestWithoutScript checks that there is a table without JavaScript.
func TestWithoutScript(t *testing.T) {
	for page, rows := range map[string]int{"fleet-10": 10, "plan-10": 7, "fleet-5000": 1000, "plan-5000": 1000} {
		t.Run(page, func(t *testing.T) {
			b := open(t, page, look{noScript: true, width: 390})
			require.Equal(t, rows, eval[int](b, `document.querySelectorAll('noscript tbody tr').length`))
			require.Equal(t, 0, eval[int](b, `document.querySelectorAll('.tools').length`))
			require.LessOrEqual(t, eval[int](b, `document.documentElement.scrollWidth`), 390)
		})
	}
}

// overruns lists the texts of drawings that reach out of the drawing, out of their box, into another text, or from their
// row into the lines.
const overruns = `[...document.querySelectorAll(".drawing svg")].flatMap(svg => {
	const wrong = [], seen = []
	for (const text of svg.querySelectorAll("text")) {
		if (!text.firstChild) continue
		const at = text.getBBox(), what = text.firstChild.textContent
		const box = text.closest("g.box")?.querySelector("rect"), wire = text.closest("g.row")?.querySelector("path.wire")
		const right = at.x + at.width
		if (at.x < -1 || right > svg.viewBox.baseVal.width) wrong.push(what + " leaves the drawing")
		if (box && right > box.getBBox().x + box.getBBox().width) wrong.push(what + " leaves its box")
		if (wire && right > wire.getBBox().x) wrong.push(what + " runs into the lines")
		for (const other of seen)
			if (at.x < other.x + other.width && other.x < right && at.y + 3 < other.y + other.height && other.y + 3 < at.y + at.height)
				wrong.push(what + " covers another text")
		seen.push(at)
	}
	return wrong
})`

// The texts of drawings stay in their places, however long names are.
func TestDrawings(t *testing.T) {
	for _, p := range append(everyPage(), "drawings") {
		t.Run(p, func(t *testing.T) {
			b := open(t, p, look{width: 1280})
			require.Empty(t, eval[[]string](b, overruns))
		})
	}
	b := open(t, "drawings", look{width: 1280})
	require.Greater(t, eval[int](b, `document.querySelectorAll(".drawing text").length`), 300)
}
