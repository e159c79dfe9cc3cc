package argocd_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd"
)

func ExampleAnnouncements() {
	for _, a := range argocd.Announcements(map[string]string{"tier": "gold"}) {
		fmt.Println(a.Name, a.CollectionType, a.Map)
	}
	// Output:
	// namespace string map[]
	// vm array map[]
	// overlay array map[]
	// vars map map[tier:gold]
}

func TestWriteAnnouncements(t *testing.T) {
	var out strings.Builder
	require.NoError(t, argocd.WriteAnnouncements(&out, map[string]string{"tier": "gold"}))
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out.String()), &list))
	require.Len(t, list, 4)
	require.Equal(t, map[string]any{"tier": "gold"}, list[3]["map"])
	require.NotContains(t, list[0], "map")
}

func TestAnnouncements(t *testing.T) {
	types := map[string]string{}
	for _, a := range argocd.Announcements(map[string]string{"tier": "gold"}) {
		types[a.Name] = a.CollectionType
		require.NotEmpty(t, a.Title)
		require.NotEmpty(t, a.Tooltip)
		require.Equal(t, a.Name == "vars", a.Map != nil)
	}
	require.Equal(t, map[string]string{"namespace": "string", "vm": "array", "overlay": "array", "vars": "map"}, types)
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteAnnouncementsFails(t *testing.T) {
	require.ErrorIs(t, argocd.WriteAnnouncements(full{}, nil), errFull)
}
