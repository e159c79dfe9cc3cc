package plugin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd/plugin"
)

func ExampleDynamicAnnouncements() {
	for _, a := range plugin.DynamicAnnouncements(map[string]string{"tier": "gold"}) {
		fmt.Println(a.Name, a.CollectionType, a.Map)
	}
	// Output:
	// vars map map[tier:gold]
}

func TestWriteAnnouncements(t *testing.T) {
	var out strings.Builder
	require.NoError(t, plugin.WriteAnnouncements(&out, map[string]string{"tier": "gold"}))
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out.String()), &list))
	require.Len(t, list, 1)
	require.Equal(t, map[string]any{"tier": "gold"}, list[0]["map"])
}

// Argo CD shows a parameter twice if it is in both lists.
func TestAnnouncements(t *testing.T) {
	types := map[string]string{}
	all := append(plugin.StaticAnnouncements(), plugin.DynamicAnnouncements(nil)...)
	for _, a := range all {
		types[a.Name] = a.CollectionType
		require.NotEmpty(t, a.Title)
		require.NotEmpty(t, a.Tooltip)
		require.Nil(t, a.Map)
	}
	require.Len(t, types, len(all))
	require.Equal(t, map[string]string{
		"namespace": "string", "vm": "array", "overlay": "array", "defaults": "map", "vars": "map", "layer": "string",
	}, types)
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteAnnouncementsFails(t *testing.T) {
	require.ErrorIs(t, plugin.WriteAnnouncements(full{}, nil), errFull)
}
