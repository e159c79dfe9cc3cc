package render_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// keys are the keys of a VM, or of a map within it.
type keys = map[string]any

// situations are VMs in which a key may be rendered differently.
var situations = map[string]keys{
	"pet":        {},
	"kept-disks": {"lifecycle": keys{"keepDisks": false}},
	"rollout":    {"lifecycle": keys{"type": "cattle"}},
	"replace":    {"lifecycle": keys{"type": "cattle", "strategy": "replace"}},
	"blue-green": {"lifecycle": keys{"type": "cattle", "strategy": "blue-green"}},
	"pool":       {"lifecycle": keys{"type": "cattle", "strategy": "pool"}, "replicas": 2},
	"drive":      {"cloudInit": keys{"datasource": "configDrive"}},
	"secret":     {"cloudInit": keys{"store": "secret"}},
	"windows":    {"os": "windows2022", "sysprep": keys{"secret": "answers"}},
	"cloudbase":  {"os": "windows2022", "cloudInit": keys{"datasource": "configDrive"}},
	"preference": {"preference": "rhel.9"},
	"sized":      {"instancetype": "u1.medium", "cpu": nil, "memory": nil},
	"arm64":      {"os": "debian13", "arch": "arm64"},
}

// either is two values, one of which is the default in some situation.
type either [2]any

// marker is a value that must make a difference, with the other keys that it needs.
type marker struct {
	value any
	needs keys
}

var (
	lan    = keys{"network": "net/lan", "mac": "02:00:00:00:00:01", "ip": "10.0.0.5/24"}
	claim  = keys{"source": keys{"claim": "old"}}
	drive  = keys{"type": "cdrom", "source": keys{"claim": "iso"}}
	pinned = keys{"cpu": keys{"cores": 2, "dedicated": true}}
	vddk   = keys{"url": "https://a/b", "uuid": "u", "backingFile": "f", "thumbprint": "t", "secretRef": "s"}
	playb  = keys{"lifecycle": keys{"ansible": keys{"image": "x/y:1", "playbook": "a.yml"}}}
	moving = keys{
		"migrate": keys{"vm": "vm-1", "provider": "vcenter", "warm": true, "run": 1},
		"disks":   keys{"root": keys{"storageClass": "fast"}},
	}
	hooked = merge(moving, keys{"migrate": merge(moving["migrate"].(keys), keys{
		"hooks": keys{"pre": keys{"image": "x/y:1"}, "post": keys{"image": "x/y:1"}},
	})})
	tower = keys{"lifecycle": keys{"ansible": keys{"template": "t", "secret": "s"}}}
)

func disk(d keys) keys { return keys{"disks": keys{"data": d}} }

func nic(n keys) keys { return keys{"nics": []any{n}} }

func route(r keys) keys { return nic(merge(lan, keys{"routes": []any{r}})) }

func port(p keys) keys { return keys{"nics": []any{keys{"network": "pod", "ports": []any{p}}}} }

// markers contains a value for every VM key. The only item of a list of maps is at "[]",
// and that of a map is at "*".
var markers = map[string]marker{
	"os":                {value: "ubuntu24.04"},
	"flavor":            {"u1.4xlarge", nil},
	"instancetype.name": {"u1.large", keys{"cpu": nil, "memory": nil}},
	"instancetype.kind": {
		"VirtualMachineInstancetype",
		keys{"cpu": nil, "memory": nil, "instancetype": keys{"name": "x"}},
	},
	"preference.name": {value: "fedora"},
	"preference.kind": {"VirtualMachinePreference", keys{"preference": keys{"name": "x"}}},

	"instancetype.inferFrom": {"root", keys{"cpu": nil, "memory": nil}},
	"preference.inferFrom":   {"root", nil},

	"resources.requests.*":              {"1", nil},
	"resources.limits.*":                {"1", nil},
	"resources.overcommitGuestOverhead": {true, nil},

	"cpu.sockets":         {3, keys{"cpu": keys{"cores": 2}}},
	"cpu.cores":           {3, keys{"cpu": keys{"sockets": 2}}},
	"cpu.threads":         {2, keys{"cpu": keys{"cores": 2}}},
	"cpu.model":           {"host-passthrough", keys{"cpu": keys{"cores": 2}}},
	"cpu.maxSockets":      {8, keys{"cpu": keys{"cores": 2}}},
	"cpu.dedicated":       {true, keys{"cpu": keys{"cores": 2}}},
	"cpu.isolateEmulator": {true, pinned},
	"cpu.realtime":        {true, pinned},
	"cpu.numa": {true, keys{
		"cpu":    keys{"cores": 2, "dedicated": true},
		"memory": keys{"guest": "4Gi", "hugepages": "2Mi"},
	}},
	"cpu.features[].name":   {"vmx", keys{"cpu": keys{"cores": 2}}},
	"cpu.features[].policy": {"forbid", keys{"cpu": keys{"cores": 2, "features": []any{keys{"name": "vmx"}}}}},
	"memory.guest":          {value: "5Gi"},
	"memory.max":            {"16Gi", keys{"memory": keys{"guest": "4Gi"}}},
	"memory.hugepages":      {"2Mi", keys{"memory": keys{"guest": "4Gi"}}},

	"disks.*.size":          {"7Gi", nil},
	"disks.*.claimName":     {"old", disk(keys{"size": "5Gi"})},
	"disks.*.name":          {"old", disk(keys{"size": "5Gi"})},
	"disks.*.storageClass":  {"fast", disk(keys{"size": "5Gi"})},
	"disks.*.accessMode":    {"ReadWriteMany", disk(keys{"size": "5Gi"})},
	"disks.*.volumeMode":    {"Block", disk(keys{"size": "5Gi"})},
	"disks.*.bus":           {"scsi", disk(keys{"size": "5Gi"})},
	"disks.*.type":          {"lun", disk(claim)},
	"disks.*.bootOrder":     {2, disk(keys{"size": "5Gi"})},
	"disks.*.cache":         {"writeback", disk(keys{"size": "5Gi"})},
	"disks.*.io":            {"threads", disk(keys{"size": "5Gi"})},
	"disks.*.serial":        {"S1", disk(keys{"size": "5Gi"})},
	"disks.*.readOnly":      {true, disk(keys{"size": "5Gi"})},
	"disks.*.shareable":     {true, disk(keys{"size": "5Gi"})},
	"disks.*.hotpluggable":  {true, disk(keys{"size": "5Gi"})},
	"disks.*.preallocation": {true, disk(keys{"size": "5Gi"})},
	"disks.*.keep":          {false, keys{"disks": keys{"data": keys{"size": "5Gi", "keep": true}}}},
	"disks.*.expandTo":      {"9Gi", disk(keys{"size": "5Gi"})},
	"disks.*.ejected":       {true, disk(drive)},
	"disks.*.labels.*":      {"v", disk(keys{"size": "5Gi"})},
	"disks.*.revision":      {3, disk(keys{"size": "5Gi"})},
	"disks.*.overrides":     {keys{"errorPolicy": "ignore"}, disk(keys{"size": "5Gi"})},
	"disks.*.dataVolume":    {keys{"metadata": keys{"annotations": keys{"a": "b"}}}, disk(keys{"size": "5Gi"})},

	"disks.*.source.dataSource":      {"a/b", nil},
	"disks.*.source.image":           {"golden", disk(keys{"size": "5Gi"})},
	"disks.*.source.registry":        {"docker://x/y", disk(keys{"size": "5Gi"})},
	"disks.*.source.http":            {"http://x/y", disk(keys{"size": "5Gi"})},
	"disks.*.source.s3":              {"s3://x/y", disk(keys{"size": "5Gi"})},
	"disks.*.source.gcs":             {"gs://x/y", disk(keys{"size": "5Gi"})},
	"disks.*.source.pvc":             {"a/b", nil},
	"disks.*.source.snapshot":        {"a/b", nil},
	"disks.*.source.claim":           {"old", disk(keys{"size": "5Gi"})},
	"disks.*.source.dataVolume":      {"old", disk(keys{"size": "5Gi"})},
	"disks.*.source.containerDisk":   {"x/y", disk(keys{"size": "5Gi"})},
	"disks.*.source.emptyDisk":       {true, disk(keys{"size": "5Gi"})},
	"disks.*.source.upload":          {true, disk(keys{"size": "5Gi"})},
	"disks.*.source.blank":           {true, disk(keys{"source": keys{"pvc": "a/b"}})},
	"disks.*.source.secret":          {"s", disk(keys{"size": "5Gi", "source": keys{"http": "http://x/y"}})},
	"disks.*.source.certConfigMap":   {"s", disk(keys{"size": "5Gi", "source": keys{"http": "http://x/y"}})},
	"disks.*.source.configMap":       {"c", disk(keys{"size": "5Gi"})},
	"disks.*.source.serviceAccount":  {"a", disk(keys{"size": "5Gi"})},
	"disks.*.source.downwardMetrics": {true, disk(keys{"size": "5Gi"})},
	"disks.*.source.cloudInit":       {true, merge(disk(keys{"bus": "scsi"}), keys{"cloudInit": keys{"user": "me"}})},
	"disks.*.source.sysprep":         {true, disk(keys{"bus": "scsi"})},
	"disks.*.source.volume":          {keys{"hostDisk": keys{"path": "/a", "type": "Disk"}}, disk(keys{"size": "5Gi"})},
	"disks.*.source.vddk":            {vddk, disk(keys{"size": "5Gi"})},
	"disks.*.source.imageio": {keys{
		"url": "https://a/b", "diskId": "d", "secretRef": "s", "certConfigMap": "c",
	}, disk(keys{"size": "5Gi"})},
	"disks.*.source.dataSourceRef": {keys{"apiGroup": "a.b", "kind": "K", "name": "n"}, disk(keys{"size": "5Gi"})},
	"disks.*.source.pullPolicy":    {"Always", disk(keys{"source": keys{"containerDisk": "x/y"}})},
	"disks.*.source.path":          {"/disk/a", disk(keys{"source": keys{"containerDisk": "x/y"}})},
	"disks.*.source.volumeLabel":   {"L", disk(keys{"source": keys{"configMap": "c"}})},
	"disks.*.source.version":       {value: nil}, // names the root disk of cattle; otherwise only a label

	"driversDisk":                  {value: true},
	"filesystems.*.claim":          {value: "c"},
	"filesystems.*.configMap":      {value: "c"},
	"filesystems.*.secret":         {value: "c"},
	"filesystems.*.serviceAccount": {value: "c"},

	"nics[].network":          {"net/other", nil},
	"nics[].name":             {"eth7", nic(keys{"network": "pod"})},
	"nics[].binding":          {"sriov", nic(lan)},
	"nics[].model":            {either{"e1000e", "virtio"}, nic(lan)},
	"nics[].mac":              {"02:00:00:00:00:02", nic(keys{"network": "pod"})},
	"nics[].ip":               {"10.0.0.6/24", nic(lan)},
	"nics[].gateway":          {"10.0.0.1", nic(lan)},
	"nics[].dns[]":            {"10.0.0.2", nic(lan)},
	"nics[].routes[].to":      {"10.9.0.0/16", route(keys{"to": "default", "via": "10.0.0.9"})},
	"nics[].routes[].via":     {"10.0.0.8", route(keys{"to": "10.9.0.0/16", "via": "10.0.0.9"})},
	"nics[].ports[].name":     {"web", port(keys{"port": 80})},
	"nics[].ports[].port":     {81, port(keys{"port": 80})},
	"nics[].ports[].protocol": {"UDP", port(keys{"port": 80})},
	"nics[].bootOrder":        {3, nic(keys{"network": "pod"})},
	"nics[].overrides":        {keys{"acpiIndex": 3}, nic(keys{"network": "pod"})},
	"nics[].state":            {"down", nic(keys{"network": "pod"})},

	"cloudInit.user":           {"me", nil},
	"cloudInit.password":       {"x", nil},
	"cloudInit.passwordSecret": {"p", nil},
	"cloudInit.sshKeys[]":      {"ssh-ed25519 AAAA", nil},
	"cloudInit.sshKeySecret":   {"k", nil},
	"cloudInit.hostname":       {"h", nil},
	"cloudInit.packages[]":     {"vim", nil},
	"cloudInit.runcmd[]":       {"ls", nil},
	"cloudInit.userData":       {"#cloud-config\n{}", nil},
	"cloudInit.networkData":    {"version: 2", nil},
	"cloudInit.secret":         {"s", nil},

	"cloudInit.networkDataSecret": {"s", nil},
	"cloudInit.extra":             {keys{"ssh_pwauth": true}, nil},
	"cloudInit.bus":               {either{"sata", "scsi"}, keys{"cloudInit": keys{"user": "me"}}},
	"cloudInit.store":             {either{"inline", "secret"}, keys{"cloudInit": keys{"user": "me"}}},
	"cloudInit.datasource":        {"configDrive", keys{"cloudInit": keys{"user": "me"}}},
	"sysprep.secret":              {"other", nil},
	"sysprep.configMap":           {"a", nil},

	"firmware.type":        {either{"efi", "bios"}, nil},
	"firmware.persistent":  {either{true, false}, keys{"firmware": keys{"type": "efi"}}},
	"firmware.uuid":        {"5d307ca9-b3ef-428c-8861-06e72d69f223", nil},
	"firmware.serial":      {"s", nil},
	"tpm.persistent":       {either{true, false}, nil},
	"gpus[].device":        {"x/y", nil},
	"gpus[].name":          {"g", keys{"gpus": []any{keys{"device": "x/y"}}}},
	"hostDevices[].device": {"x/y", nil},
	"hostDevices[].name":   {"g", keys{"hostDevices": []any{keys{"device": "x/y"}}}},

	"machineType":                {"q35", nil},
	"arch":                       {"s390x", nil},
	"hostname":                   {"h", nil},
	"labels.*":                   {"x", nil},
	"annotations.*":              {"x", nil},
	"podLabels.*":                {"v", nil},
	"diskLabels.*":               {"v", nil},
	"podAnnotations.*":           {"x", nil},
	"workload":                   {"highperformance", nil},
	"namespace":                  {"other", nil},
	"adopted":                    {true, nil},
	"backup":                     {true, nil},
	"maintenance.window":         {"Mon 01:00-02:00 UTC", nil},
	"maintenance.maxUnavailable": {2, keys{"maintenance": keys{"window": "Sun 01:00-02:00 UTC"}}},
	"maintenance.order": {
		either{"dependsOn", "name"}, keys{"maintenance": keys{"window": "Sun 01:00-02:00 UTC"}},
	},
	"snapshots.schedule":            {"0 */6 * * * UTC", nil},
	"snapshots.keep":                {3, keys{"snapshots": keys{"schedule": "daily 01:30 UTC"}}},
	"power.off":                     {"daily 22:00 UTC", nil},
	"power.on":                      {"Mon-Fri 07:00 UTC", nil},
	"restoreFrom.snapshot":          {"other", nil},
	"restoreFrom.token":             {"1-9aba8981", keys{"restoreFrom": keys{"snapshot": "other"}}},
	"hotpluggable":                  {true, keys{"disks": keys{"data": "5Gi"}}},
	"consoleLabels":                 {either{false, true}, nil},
	"runStrategy":                   {"Manual", nil},
	"running":                       {either{true, false}, keys{"adopted": true}},
	"evictionStrategy":              {"None", nil},
	"nodeSelector.*":                {"x", nil},
	"tolerations":                   {[]any{keys{"key": "x"}}, nil},
	"affinity":                      {keys{"nodeAffinity": keys{}}, nil},
	"topologySpreadConstraints":     {[]any{keys{"maxSkew": 2}}, nil},
	"priorityClassName":             {"x", nil},
	"terminationGracePeriodSeconds": {7, nil},
	"readinessProbe":                {keys{"periodSeconds": 7}, nil},
	"livenessProbe":                 {keys{"periodSeconds": 7}, nil},
	"accessCredentials":             {[]any{keys{"sshPublicKey": keys{}}}, nil},

	"services.*.port":         {81, nil},
	"services.*.targetPort":   {82, keys{"services": keys{"data": 80}}},
	"services.*.protocol":     {"UDP", keys{"services": keys{"data": 80}}},
	"services.*.ports[].port": {82, keys{"services": keys{"data": keys{"ports": []any{keys{"port": 80}}}}}},
	"services.*.ports[].name": {"x", keys{"services": keys{"data": keys{"ports": []any{keys{"port": 80}}}}}},

	"services.*.ports[].targetPort": {82, keys{"services": keys{"data": keys{"ports": []any{keys{"port": 80}}}}}},
	"services.*.ports[].protocol":   {"UDP", keys{"services": keys{"data": keys{"ports": []any{keys{"port": 80}}}}}},
	"services.*.ports[].nodePort": {
		30080, keys{"services": keys{"data": keys{"type": "NodePort", "ports": []any{keys{"port": 80}}}}},
	},
	"services.*.nodePort":      {30080, keys{"services": keys{"data": keys{"port": 80, "type": "NodePort"}}}},
	"services.*.scope":         {either{"group", "vm"}, keys{"replicas": 2, "services": keys{"data": keys{"port": 80}}}},
	"services.*.overrides":     {keys{"spec": keys{"clusterIP": "None"}}, keys{"services": keys{"data": 80}}},
	"services.*.type":          {"NodePort", keys{"services": keys{"data": 80}}},
	"services.*.labels.*":      {"x", keys{"services": keys{"data": keys{"port": 80}}}},
	"services.*.annotations.*": {"x", keys{"services": keys{"data": keys{"port": 80}}}},

	"objects.*": {keys{"apiVersion": "v1", "kind": "ConfigMap", "data": keys{"a": "b"}}, nil},

	"lifecycle.type":           {"cattle", nil},
	"lifecycle.strategy":       {"replace", keys{"lifecycle": keys{"type": "cattle"}}},
	"lifecycle.maxUnavailable": {2, nil},
	"lifecycle.keepOld":        {3, nil},
	"lifecycle.keepDisks":      {true, merge(disk(keys{"size": "5Gi"}), keys{"lifecycle": keys{"keepDisks": false}})},
	"lifecycle.protect":        {true, nil},
	"lifecycle.protection":     {"none", keys{"lifecycle": "pet"}},
	"lifecycle.removal":        {"approved", keys{"lifecycle": "pet"}},

	"lifecycle.scaleInStrategy": {keys{"opportunistic": keys{}}, nil},
	"lifecycle.autohealing":     {keys{"startUpFailureThreshold": 5}, nil},
	"lifecycle.updateStrategy":  {keys{"opportunistic": keys{}}, nil},

	"lifecycle.progressDeadlineSeconds": {77, keys{"lifecycle": keys{"type": "cattle"}}},
	"lifecycle.snapshotBefore":          {true, nil},
	"lifecycle.ansible.template":        {"u", tower},
	"lifecycle.ansible.image":           {"x/z:1", playb},
	"lifecycle.ansible.playbook":        {"b.yml", playb},
	"lifecycle.ansible.secret":          {"z", playb},
	"lifecycle.ansible.extraVars.*":     {"x", playb},
	"lifecycle.ansible.schedule":        {"Sun 03:07 UTC", playb},

	"migrate.vm":                        {"vm-2", moving},
	"migrate.provider":                  {"other", moving},
	"migrate.plan":                      {"wave", moving},
	"migrate.warm":                      {false, moving},
	"migrate.run":                       {2, moving},
	"migrate.cutover":                   {"2026-12-05T22:00:00Z", moving},
	"migrate.powerState":                {"off", moving},
	"migrate.preserveStaticIPs":         {false, moving},
	"migrate.transferNetwork":           {"net/fast", moving},
	"migrate.disks[]":                   {"data", moving},
	"migrate.hooks.pre.image":           {"x/y:2", hooked},
	"migrate.hooks.pre.playbook":        {"- hosts: all", hooked},
	"migrate.hooks.pre.serviceAccount":  {"mover", hooked},
	"migrate.hooks.pre.deadline":        {60, hooked},
	"migrate.hooks.post.image":          {"x/y:2", hooked},
	"migrate.hooks.post.playbook":       {"- hosts: all", hooked},
	"migrate.hooks.post.serviceAccount": {"mover", hooked},
	"migrate.hooks.post.deadline":       {60, hooked},
	"migrate.cancel":                    {true, moving},
	"migrate.done":                      {true, moving},

	"approve.restart": {"none-5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b", nil},
	"approve.delete":  {"none-5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b", nil},
	"approve.data":    {"none-5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b", nil},
	"approve.gate":    {"none-5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b", nil},
	"stage":           {true, nil},
	"wave":            {3, nil},
	"dependsOn[]":     {"other", nil},
	"replicas":        {3, nil},
	"overrides":       {keys{"spec": keys{"template": keys{"spec": keys{"subdomain": "x"}}}}, nil},
	"patches[].op":    {value: nil},
	"patches[].path":  {value: nil},
	"patches[].from":  {value: nil},
	"patches[].value": {value: nil},
	"vars.*":          {value: nil}, // for templates only
}

// Every VM key that is set changes the output or is named in an error or a warning, in
// every kind of VM.
func TestNothingIsDropped(t *testing.T) {
	paths := leaves(reflect.TypeFor[values.VM](), "")
	require.ElementsMatch(t, paths, slices.Collect(maps.Keys(markers)), "every key needs a marker")
	for name, situation := range situations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range paths {
				m := markers[path]
				if m.value == nil {
					continue
				}
				without := merge(merge(keys{"cpu": 2, "memory": "4Gi"}, situation), m.needs)
				before, problems := rendered(t, without)
				if problems.HasErrors() {
					continue // a key that this one needs is rejected here
				}
				either, ok := m.value.(either)
				if !ok {
					either[0] = m.value
				}
				assert.True(t, matters(t, without, path, either[0], before) || ok && matters(t, without, path, either[1], before),
					"%s is dropped", path)
			}
		})
	}
}

// matters reports whether a value changes the output or is named in a problem. A value
// that is already set counts.
func matters(t *testing.T, without keys, path string, value any, before string) bool {
	t.Helper()
	with := set(without, path, value)
	if reflect.DeepEqual(with, without) {
		return true
	}
	after, found := rendered(t, with)
	top := strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune(".[", c) })[0]
	named := func(d source.Diagnostic) bool { return strings.Contains(d.String(), top) }
	return before != after || slices.ContainsFunc(found.Sorted(), named)
}

// leaves returns the paths of all keys of a type.
func leaves(t reflect.Type, path string) []string {
	switch {
	case t == reflect.TypeFor[source.Node](), t == reflect.TypeFor[values.Command](),
		t == reflect.TypeFor[values.IntOrPercent](), t == reflect.TypeFor[values.DriversDisk]():
		return []string{path}
	case t.Kind() == reflect.Pointer:
		return leaves(t.Elem(), path)
	case t.Kind() == reflect.Slice:
		return leaves(t.Elem(), path+"[]")
	case t.Kind() == reflect.Map:
		return leaves(t.Elem(), path+".*")
	case t.Kind() != reflect.Struct:
		return []string{path}
	}
	var all []string
	for field := range t.Fields() {
		if key := values.Key(field); key != "" {
			all = append(all, leaves(field.Type, strings.TrimPrefix(path+"."+key, "."))...)
		}
	}
	return all
}

// merge returns base with the keys of over merged over it.
func merge(base, over keys) keys {
	out := maps.Clone(base)
	for k, v := range over {
		below, isMap := out[k].(keys)
		if o, ok := v.(keys); ok && isMap {
			v = merge(below, o)
		}
		out[k] = v
	}
	return out
}

// set returns a copy of keys with a value at a path, in which "*" is the key data, and
// "[]" the only item.
func set(in keys, path string, value any) keys {
	key, rest, _ := strings.Cut(path, ".")
	name, list := strings.CutSuffix(key, "[]")
	if name == "*" {
		name = "data"
	}
	out := merge(keys{}, in)
	switch {
	case rest == "" && list:
		out[name] = []any{value}
	case rest == "":
		out[name] = value
	case list:
		item := keys{}
		if items, ok := out[name].([]any); ok {
			item = items[0].(keys)
		}
		out[name] = []any{set(item, rest, value)}
	default:
		below, _ := out[name].(keys)
		out[name] = set(below, rest, value)
	}
	return out
}

// rendered renders a VM together with another one.
func rendered(t *testing.T, vm keys) (string, *source.Diagnostics) {
	t.Helper()
	dir := t.TempDir()
	header := `{apiVersion: vmrender.io/v1alpha1, kind: Fleet, metadata: {name: f},
target: {image: i, applyOutOfSyncOnly: true}, policy: {maxImpact: delete},
catalog: {images: {golden: {http: "http://g"}}, networks: {pod: {pod: true, vsphere: [lan]}},
storageClasses: {fast: {name: fast, vsphere: [nvme]}}}, defaults: {namespace: ns, os: rhel9}}`
	text, err := json.Marshal(keys{"vms": keys{"it": vm, "other": keys{"flavor": "small"}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(header), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vms.yaml"), text, 0o600))
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{Jobs: 1}, c.Visit)
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.JSON)
	require.NoError(t, render.Write(w, c.Rendered(diags)...))
	require.NoError(t, w.Close())
	return out.String(), diags
}
