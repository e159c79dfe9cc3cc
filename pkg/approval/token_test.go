package approval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/approval"
)

const (
	before = "1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d"
	after  = "5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b"
)

func some() approval.Token {
	return approval.Token{Risks: []string{"restart", "data"}, Changes: []approval.Change{
		{VM: approval.VMOf("prod", "web", after), From: before},
		{VM: approval.VMOf("prod", "db", after), From: approval.None},
		{VM: approval.VMOf("stage", "web", after), From: before},
	}}
}

// A token is read as it was written, whatever the order of its VMs was.
func TestTokenIsRead(t *testing.T) {
	written := some()
	read, err := approval.Parse(written.String())
	require.NoError(t, err)
	require.Equal(t, written.Risks, read.Risks)
	require.ElementsMatch(t, written.Changes, read.Changes)
	require.Equal(t, written.String(), read.String())
	require.Regexp(t, `^restart\+data\.`+written.Name()+`\.[\w-]+$`, written.String())
	written.Changes[0], written.Changes[2] = written.Changes[2], written.Changes[0]
	require.Equal(t, read.String(), written.String())
}

// Whatever differs in a change is another token.
func TestTokenBinds(t *testing.T) {
	base, seen := some(), map[string]string{}
	for name, change := range map[string]func(*approval.Token){
		"nothing":      func(*approval.Token) {},
		"a risk":       func(t *approval.Token) { t.Risks = t.Risks[:1] },
		"a namespace":  func(t *approval.Token) { t.Changes[0].VM = approval.VMOf("pro", "dweb", after) },
		"a name":       func(t *approval.Token) { t.Changes[0].VM = approval.VMOf("prod", "web2", after) },
		"what it was":  func(t *approval.Token) { t.Changes[0].From = approval.None },
		"what becomes": func(t *approval.Token) { t.Changes[0].VM = approval.VMOf("prod", "web", before) },
		"one less":     func(t *approval.Token) { t.Changes = t.Changes[:2] },
		"one more": func(t *approval.Token) {
			t.Changes = append(t.Changes, approval.Change{VM: approval.VMOf("prod", "c", after), From: before})
		},
	} {
		other := some()
		change(&other)
		require.Empty(t, seen[other.Name()], name)
		seen[other.Name()] = name
		require.Equal(t, name == "nothing", other.String() == base.String(), name)
	}
}

// What is not a token, or not all of it, is refused.
func TestTokenRefused(t *testing.T) {
	base := some()
	text := base.String()
	head, rest, _ := strings.Cut(text, ".")
	for name, wrong := range map[string]string{
		"nothing":         "",
		"one approval":    before + "-" + after,
		"cut":             text[:len(text)-43],
		"one character":   text[:len(text)-1],
		"another list":    text[:len(text)-2] + "zz",
		"another risk":    "restart+delete." + rest,
		"an unknown risk": "reboot." + rest,
		"wrong order":     "data+restart." + rest,
		"a risk twice":    "restart+restart." + rest,
		"no risk":         "." + rest,
		"spaces":          " " + text,
		"upper case":      head + "." + strings.ToUpper(rest),
	} {
		_, err := approval.Parse(wrong)
		require.Error(t, err, name)
	}
}

// A token that is accepted has one spelling, so that nothing can be hidden in another one.
func FuzzParse(f *testing.F) {
	base := some()
	f.Add(base.String())
	f.Add("restart." + before + ".AAAA")
	f.Add("gate+restart..")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := approval.Parse(text)
		if err == nil {
			require.Equal(t, text, token.String())
			require.NotEmpty(t, token.Changes)
		}
	})
}
