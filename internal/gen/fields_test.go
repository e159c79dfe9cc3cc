package main

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	backupv1 "kubevirt.io/api/backup/v1alpha1"
	clonev1 "kubevirt.io/api/clone/v1beta1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	exportv1 "kubevirt.io/api/export/v1beta1"
	instancetypev1 "kubevirt.io/api/instancetype/v1beta1"
	migrationsv1 "kubevirt.io/api/migrations/v1alpha1"
	pluginv1 "kubevirt.io/api/plugin/v1alpha1"
	poolv1 "kubevirt.io/api/pool/v1beta1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	forkliftv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/forklift/v1beta1"

	"github.com/vmrender/vmrender/internal/golden"
)

// guarded matches names of fields that name an image, an address, a service account, patches or a
// namespace, or have them as a text.
var guarded = regexp.MustCompile(`(?i)image|url|serviceaccount|patch|namespace|annotations`)

// guards lists where the fields are judged: by a policy of the governance chart, or, after a dash, by none, for a
// reason. The first expression that matches a path counts.
var guards = []struct{ path, by string }{
	{
		`^(KubeVirt|CDI|CDIConfig|StorageProfile|ObjectTransfer|MigrationPolicy|Plugin)\.`,
		"- it belongs to administrators: no ClusterRole of KubeVirt or CDI for tenants contains it",
	},
	{`\.imagePull(Policy|Secret)$`, "- it names no image"},
	{`^VirtualMachine(Cluster)?(Instancetype|Preference)\.spec\.annotations$`, "images"},
	{`(\.template\.metadata|\.dataVolumeTemplates\[\]\.metadata|\.volumeRestoreOverrides\[\])\.annotations$`, "images"},
	{`\.annotations$`, "- KubeVirt and CDI read no image from it"},
	{`\.(image|imageStream|initImageURL|url)$`, "images"},
	{`\.serviceAccountName$`, "serviceAccounts"},
	{`\.patches$`, "images"},
	{`\.podAff|\.podAnti`, "- it selects the pods near which the VM runs, and reads nothing of them"},
	{`\.volumeBackups\[\]\.`, "- a restore sets the source of a claim to the snapshot"},
	{`(metadata|emplate\.metadata)\.namespace$`, "- the objects of a template get the namespace of its owner"},
	{`\.(pvc|snapshot|dataSource|sourceRef|dataSourceRef)\.namespace$`, "cloneSources"},
	{`\.sendTo\.connectURL$`, "- a migration needs the ClusterRole kubevirt.io:migrate, which tenants do not have"},
	{
		`\.forklift|^(OvirtVolumePopulator|OpenstackVolumePopulator)\.`,
		"- forklift creates it, for imports of administrators",
	},
}

// Every such field of a kind of KubeVirt or CDI is judged by a policy, or is an exception with a reason.
// The policies are evaluated for each field of the list in test/impact/gate.
func TestGuardedFields(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		kubevirtv1.AddToScheme, poolv1.AddToScheme, clonev1.AddToScheme, exportv1.AddToScheme, snapshotv1.AddToScheme,
		instancetypev1.AddToScheme, migrationsv1.AddToScheme, backupv1.AddToScheme, pluginv1.AddToScheme,
		cdiv1.AddToScheme, forkliftv1.AddToScheme,
	} {
		require.NoError(t, add(scheme))
	}
	fields := map[string]bool{}
	for kind, of := range scheme.AllKnownTypes() {
		if spec, found := of.FieldByName("Spec"); found && strings.HasSuffix(kind.Group, "kubevirt.io") {
			collectGuarded(spec.Type, kind.Kind+".spec", nil, fields)
		}
	}
	var list strings.Builder
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		by := guardOf(path)
		require.NotEmpty(t, by, "%s is in no policy and no exception", path)
		fmt.Fprintf(&list, "%s: %s\n", path, by)
	}
	golden.Equal(t, "../../charts/governance/testdata/fields.golden.txt", list.String())
}

func guardOf(path string) string {
	for _, g := range guards {
		if regexp.MustCompile(g.path).MatchString(path) {
			return g.by
		}
	}
	return ""
}

// collectGuarded adds the paths of a type's guarded fields that are texts, or lists or maps of texts.
func collectGuarded(of reflect.Type, path string, above []reflect.Type, fields map[string]bool) {
	lists := 0
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		if of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct {
			lists++
		}
		of = of.Elem()
	}
	path += strings.Repeat("[]", lists)
	if of.Kind() != reflect.Struct || slices.Contains(above, of) {
		return
	}
	above = append(slices.Clone(above), of)
	for f := range of.Fields() {
		at := path
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			at += "." + name
			if guarded.MatchString(name) && isText(f.Type) {
				fields[at] = true
			}
		}
		collectGuarded(f.Type, at, above, fields)
	}
}

func isText(of reflect.Type) bool {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	return of.Kind() == reflect.String
}
