package pages

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// Keys without a character.
const (
	enter, escape           = '\r', '\u001b'
	arrowDown, arrowUp, end = '\u0301', '\u0304', '\u0305' // as package kb encodes them
)

// look is the way in which a page is viewed.
type look struct {
	width    int64  // of the window in pixels; 1280 if it is 0
	theme    string // that the system prefers: light or dark
	noScript bool
}

// tab is a tab of the browser in which a page is open.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // shown in the console
	requests []string
}

// open opens a page. When the test ends, it fails if the console shows a problem or if the
// page has made a request.
func open(t *testing.T, page string, l look) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, b.note))
	address := (&url.URL{Scheme: "file", Path: filepath.Join(directory, page+".html")}).String()
	if l.width == 0 {
		l.width = 1280
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	b.resize(l.width)
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: l.theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScript})
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate(address)))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		require.Empty(t, b.problems)
		require.Equal(t, []string{address}, b.requests)
	})
	return b
}

// note records the messages of the console and the addresses of requests.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *log.EventEntryAdded:
		b.problems = append(b.problems, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprint("console.", e.Type))
	}
}

// call runs a command of the browser.
func call[P any](b *tab, command cdp.Command[P, cdp.Empty], params P) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})))
}

// eval returns the value of a JavaScript expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err, expression)
	return v
}

// wait waits until an expression is true.
func (b *tab) wait(expression string, args ...any) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[bool](fmt.Sprintf(expression, args...)))
	require.NoError(b.t, err, expression)
}

// resize sets the width of the window. A narrow one is that of a phone.
func (b *tab) resize(width int64) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: 800, DeviceScaleFactor: 1, Mobile: width < 600,
	})
}

// press presses keys one after the other. As on a keyboard, a key types its character only
// if the page does not handle it.
func (b *tab) press(keys ...rune) {
	b.t.Helper()
	for _, key := range keys {
		events := kb.Encode(key)
		down, up := events[0], events[len(events)-1]
		if len(events) == 3 {
			down.Text = events[1].Text
		}
		call(b, input.DispatchKeyEvent, *down)
		call(b, input.DispatchKeyEvent, *up)
	}
}

// insert enters a text at the focus.
func (b *tab) insert(text string) {
	b.t.Helper()
	call(b, input.InsertText, input.InsertTextParams{Text: text})
}

// focused returns the name of the row that has the focus, or the ID of another element.
func (b *tab) focused() string {
	return eval[string](b, `document.activeElement.id || document.activeElement.textContent`)
}

func (b *tab) status() string {
	return eval[string](b, `document.querySelector('.status').textContent`)
}

// rows returns the names of the rows that have been built.
func (b *tab) rows() []string {
	return eval[[]string](b, `[...document.querySelectorAll('tr.row > th')].map((h) => h.textContent)`)
}

// small and large are the pages with rows.
var small, large = []string{"fleet-10", "plan-10"}, []string{"fleet-5000", "plan-5000"}

func everyPage() []string { return slices.Concat(small, large, []string{"plan-none"}) }
