package fleet

import (
	"fmt"
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// impure are functions that sprig's hermetic set still holds although they
// look at the clock or roll dice, or wait for things without a bound
// (Masterminds/sprig, functions.go, v3.3.0).
var impure = []string{
	"ago", "bcrypt", "derivePassword", "durationRound", "encryptAES", "genCA", "genCAWithKey", "genPrivateKey",
	"genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey", "htpasswd",
	"mustToDate", "randInt", "seq", "shuffle", "toDate", "untilStep",
}

// hermetic are the functions that templates can call: the same input always gives the same text.
var hermetic = sync.OnceValue(func() template.FuncMap {
	funcs := sprig.HermeticTxtFuncMap()
	for _, name := range impure {
		delete(funcs, name)
	}
	funcs["until"] = until
	funcs["repeat"] = repeat
	funcs[stepFunc] = func() string { return "" }
	return funcs
})

// until counts from 0 to below n.
func until(n int) ([]int, error) {
	if n < 0 || n > maxSteps {
		return nil, fmt.Errorf("until %d: want a number from 0 to %d", n, maxSteps)
	}
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out, nil
}

// repeat strings n copies of s together.
func repeat(n int, s string) (string, error) {
	if n < 0 || n*len(s) > maxText || n > maxText {
		return "", fmt.Errorf("repeat %d: makes more than %d bytes", n, maxText)
	}
	return strings.Repeat(s, n), nil
}
