package drill_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/drill"
)

// kept is what keeps all disks of all namespaces elsewhere.
const kept = oadp + `
---
{apiVersion: velero.io/v1, kind: Schedule, metadata: {name: all, namespace: adp}, ` +
	`spec: {template: {snapshotMoveData: true}}}`

// of returns the VM db with parts of the spec of its instance, and of its own spec.
func of(instance string, own ...string) string {
	return `
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db, namespace: prod}, spec: {` +
		strings.Join(append([]string{`runStrategy: Always, template: {spec: {` + instance + `}}`}, own...), ", ") + `}}`
}

// disk returns a DataVolume with a source, and a VM with it.
func disk(source string) string {
	return of(`volumes: [{name: root, dataVolume: {name: d}}]`) +
		object("cdi.kubevirt.io/v1beta1", "DataVolume", "prod", "d", source+`, storage: {}`)
}

const (
	nic = `domain: {devices: {interfaces: [{name: lan, bridge: {}}]}}, networks: [{name: lan, ` +
		`multus: {networkName: lan}}]`
	fixed = `domain: {devices: {interfaces: [{name: lan, bridge: {}, macAddress: "02:00:00:00:00:01"}]}}, networks: ` +
		`[{name: lan, multus: {networkName: lan}}]`
	lan = "\n---\n{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: {name: lan, " +
		"namespace: prod}}"
	tpm  = `domain: {devices: {tpm: {persistent: true}}}`
	efi  = `domain: {firmware: {bootloader: {efi: {persistent: true}}}}`
	ages = "\n---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: persistent-state-for-db-x, " +
		"namespace: prod, " +
		"labels: {persistent-state-for: db}}}"
	other = "\n---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: other, namespace: prod}}"
)

// losses are VMs in Git and in the cluster, and what they lose. Without a cluster, it has the same as Git.
var losses = []struct {
	name, git, live string
	want            []string
}{
	{
		"Secrets and ConfigMaps", of(`volumes: [{name: a, secret: {secretName: s}}, {name: b, configMap: {name: c}}, ` +
			`{name: d, configMap: {name: kube-root-ca.crt}}, {name: e, secret: {secretName: o, optional: true}}, ` +
			`{name: f, cloudInitNoCloud: {secretRef: {name: u}, networkDataSecretRef: {name: net}}}, ` +
			`{name: g, sysprep: {configMap: {name: sys}}}, {name: h, containerDisk: {image: i, imagePullSecret: p}}], ` +
			`accessCredentials: [{sshPublicKey: {source: {secret: {secretName: k}}}}]`),
		"",
		[]string{
			"secret the SSH keys in Secret prod/k: Git does not render it",
			"secret the network data in Secret prod/net: Git does not render it",
			"secret the credentials of a registry in Secret prod/p: Git does not render it",
			"secret the volume of Secret prod/s: Git does not render it",
			"secret the user data in Secret prod/u: Git does not render it",
			"configmap the volume of ConfigMap prod/c: Git does not render it",
			"configmap the answer file in ConfigMap prod/sys: Git does not render it",
		},
	},
	{
		"Secrets that others make", of(`volumes: [{name: a, secret: {secretName: a}}, {name: b, secret: {secretName: b}}, `+
			`{name: c, secret: {secretName: c}}, {name: d, secret: {secretName: d}}]`) +
			object("external-secrets.io/v1", "ExternalSecret", "prod", "a", "") +
			object("external-secrets.io/v1", "ExternalSecret", "prod", "x", "target: {name: b}") +
			object("bitnami.com/v1alpha1", "SealedSecret", "prod", "c", "") +
			object("cert-manager.io/v1", "Certificate", "prod", "x", "secretName: d"), "", nil,
	},
	{
		"hooks",
		strings.Replace(of(""), "template: {", `template: {metadata: {annotations: {hooks.kubevirt.io/hookSidecars: `+
			`'[{"configMap": {"name": "h"}}, {"image": "i"}]'}}, `, 1), "",
		[]string{"configmap the hook in ConfigMap prod/h: Git does not render it"},
	},
	{
		"a network", of(fixed), of(fixed) + lan,
		[]string{"network NetworkAttachmentDefinition prod/lan: Git does not render it"},
	},
	{
		"a network that is gone", of(fixed), of(fixed) + strings.ReplaceAll(lan, "name: lan", "name: old"),
		[]string{"network NetworkAttachmentDefinition prod/lan: neither Git nor the cluster has it"},
	},
	{"a network in Git", of(fixed) + lan, of(fixed), nil},
	{"a network of OVN", of(fixed) + object("k8s.ovn.org/v1", "UserDefinedNetwork", "prod", "lan", ""), of(fixed), nil},
	{
		"a network of OVN in some namespaces", of(fixed) + "\n---\n{apiVersion: k8s.ovn.org/v1, " +
			"kind: ClusterUserDefinedNetwork, " +
			"metadata: {name: lan}, spec: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: prod}}}}",
		of(fixed), nil,
	},
	{
		"a primary network", of(`networks: [{name: default, pod: {}}]`),
		of(`networks: [{name: default, pod: {}}]`) +
			object("k8s.ovn.org/v1", "UserDefinedNetwork", "prod", "own", "layer2: {role: Primary}"),
		[]string{"network the pod network of UserDefinedNetwork prod/own: Git does not render it"},
	},
	{"a common instance type", of("", "instancetype: {name: u1.medium}, preference: {name: fedora}"), "", nil},
	{
		"an unknown instance type", of("", "instancetype: {name: own}"), "", []string{
			"instancetype [?] the instancetype VirtualMachineClusterInstancetype own: Git does not render it",
		},
	},
	{
		"an instance type of the cluster", of("", "instancetype: {kind: VirtualMachineInstancetype, name: own}"),
		of("", "instancetype: {kind: VirtualMachineInstancetype, name: own}") +
			object("instancetype.kubevirt.io/v1beta1", "VirtualMachineInstancetype", "prod", "own", ""),
		[]string{"instancetype the instancetype VirtualMachineInstancetype prod/own: Git does not render it"},
	},
	{"the TPM", of(tpm), of(tpm) + ages, []string{
		"state the state of the TPM in persistent-state-for-db-x: no backup or replica of it leaves this site",
	}},
	{"a VM that has never run with its TPM", of(tpm), of(tpm) + other, nil},
	{"EFI, and no claims", of(efi), "", []string{
		"state [?] the variables of EFI in persistent-state-for-db: no backup or replica of it leaves this site",
	}},
	{"a TPM that a backup keeps", of(tpm), of(tpm) + ages + kept, nil},
	{
		"an image of the cluster", disk(`sourceRef: {kind: DataSource, name: i}`),
		disk(`sourceRef: {kind: DataSource, name: i}`) + object("cdi.kubevirt.io/v1beta1", "DataSource", "prod", "i", ""),
		[]string{"disk d: %", "image the image DataSource prod/i: Git does not render it"},
	},
	{
		"an image that is gone", disk(`sourceRef: {kind: DataSource, namespace: images, name: i}`),
		disk(`sourceRef: {kind: DataSource, namespace: images, name: i}`) +
			"\n---\n{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataSource, metadata: {name: i, namespace: images}, status: " +
			`{conditions: [{type: Ready, status: "False"}]}}`,
		[]string{"disk d: %", "image the image DataSource images/i is not ready: it has no content"},
	},
	{
		"an image that Git imports", disk(`sourceRef: {kind: DataSource, namespace: images, name: i}`) +
			object("cdi.kubevirt.io/v1beta1", "DataImportCron", "images", "c", "managedDataSource: i"), "",
		[]string{"disk d: %"},
	},
	{
		"an image of a clone of the cluster", disk(`sourceRef: {kind: DataSource, name: i}`) +
			object("cdi.kubevirt.io/v1beta1", "DataSource", "prod", "i", "source: {pvc: {name: g, namespace: images}}"), "",
		[]string{"disk d: %", "image the image PersistentVolumeClaim images/g: Git does not render it"},
	},
	{
		"an image of OpenShift", disk(`sourceRef: {kind: DataSource, name: i, ` +
			`namespace: openshift-virtualization-os-images}`),
		"",
		[]string{
			"disk d: %", "image [?] the image DataSource openshift-virtualization-os-images/i: Git does not render it",
		},
	},
	{
		"an image that the platform brings", disk(`sourceRef: {kind: DataSource, name: i, namespace: kubevirt-os-images}`),
		disk(`sourceRef: {kind: DataSource, name: i, namespace: kubevirt-os-images}`) +
			"\n---\n{apiVersion: hco.kubevirt.io/v1beta1, kind: HyperConverged, metadata: {name: h, namespace: h}, status: " +
			"{dataImportCronTemplates: [{spec: {managedDataSource: i}, " +
			"status: {commonTemplate: true}}]}}",
		[]string{"disk d: %"},
	},
	{
		"a snapshot", disk(`source: {snapshot: {name: s, namespace: prod}}`), "",
		[]string{"disk d: %", "image the image VolumeSnapshot prod/s: snapshots stay at this site"},
	},
	{
		"a ring of clones", disk(`source: {pvc: {name: d, namespace: prod}}`), "", []string{"disk d: %"},
	},
	{
		"an upload", disk(`source: {upload: {}}`), "",
		[]string{"disk d: %", "image its content was uploaded, which a rebuild cannot repeat"},
	},
	{
		"credentials of a download", disk(`source: {http: {url: u, secretRef: s, certConfigMap: c}}`), "", []string{
			"disk d: %", "secret the credentials of a download in Secret prod/s: Git does not render it",
			"configmap the certificates of a download in ConfigMap prod/c: Git does not render it",
		},
	},
	{"an image of a disk that a backup keeps", disk(`source: {upload: {}}`) + kept, "", nil},
	{
		"a CD-ROM", of(`domain: {devices: {disks: [{name: iso, cdrom: {}}]}}, volumes: [{name: iso, `+
			`dataVolume: {name: d}}]`) +
			object("cdi.kubevirt.io/v1beta1", "DataVolume", "prod", "d", `source: {http: {url: u}}`), "", nil,
	},
	{
		"a claim that Git does not have", of(`volumes: [{name: a, persistentVolumeClaim: {claimName: c}}]`),
		of(`volumes: [{name: a, persistentVolumeClaim: {claimName: c}}]`) + strings.ReplaceAll(claim, "db-root", "c"),
		[]string{"disk c: Git does not render the claim, and no backup or replica of it leaves this site"},
	},
	{
		"a claim that nothing has", of(`volumes: [{name: a, persistentVolumeClaim: {claimName: c}}]`),
		of(`volumes: [{name: a, persistentVolumeClaim: {claimName: c}}]`) + other,
		[]string{"disk c: neither Git nor the cluster has the claim"},
	},
	{"a disk that is not there yet", disk(`source: {blank: {}}`), of(`volumes: [{name: root, `+
		`dataVolume: {name: d}}]`) + other, nil},
}

func TestLosses(t *testing.T) {
	const schedule = "\n---\n{apiVersion: velero.io/v1, kind: Schedule, metadata: {name: none, namespace: adp}, spec: " +
		"{template: {includedNamespaces: [none]}}}" // so that backups are known
	for _, c := range losses {
		t.Run(c.name, func(t *testing.T) {
			live := c.live
			if live == "" {
				live = c.git
			}
			want := []string{}
			for _, line := range c.want {
				want = append(want, "prod/db "+strings.ReplaceAll(line, "%", "no backup or replica of it leaves this site"))
			}
			_, got := run(t, drill.Input{Git: read(t, c.git), Live: read(t, live+schedule)})
			require.Equal(t, want, got)
		})
	}
}

// Addresses and identities that the cluster shows and Git does not set are lost, and those of the pod network are not.
func TestAddresses(t *testing.T) {
	const instance = `
---
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: db, namespace: prod}
spec:
  domain: {firmware: {uuid: u, serial: s}, devices: {interfaces: [{name: lan, ` +
		`macAddress: "02:00:00:00:00:01"}, {name: pod, macAddress: "02:00:00:00:00:02"}]}}
  networks: [{name: lan, multus: {networkName: lan}}, {name: pod, pod: {}}]
status: {phase: Running, interfaces: [{name: lan, ipAddresses: [10.0.0.5, "fe80::1"]}, {name: pod, ` +
		`ipAddresses: [10.128.0.4]}]}`
	_, got := run(t, drill.Input{Git: read(t, of(nic)+lan), Live: read(t, of(nic)+lan+instance)})
	require.Equal(t, []string{
		"prod/db address the IP address 10.0.0.5 in prod/lan: Git does not set it",
		"prod/db address the MAC address 02:00:00:00:00:01 in prod/lan: Git does not set it",
		"prod/db identity the UUID u: Git does not set it",
		"prod/db identity the serial number s: Git does not set it",
	}, got)
	all := strings.Replace(of(nic+`, volumes: [{name: ci, cloudInitNoCloud: `+
		`{networkData: "{ethernets: {e: {addresses: [10.0.0.5/24]}}}"}}]`),
		"{name: lan, bridge: {}}", `{name: lan, bridge: {}, macAddress: "02:00:00:00:00:01"}`, 1)
	all = strings.Replace(all, "domain: {", "domain: {firmware: {uuid: u, serial: s}, ", 1)
	_, got = run(t, drill.Input{Git: read(t, all+lan), Live: read(t, all+lan+instance)})
	require.Empty(t, got)
	// A VM that may run, and whose instance the state lacks.
	_, got = run(t, drill.Input{Git: read(t, of(nic)+lan), Live: read(t, of(nic)+lan)})
	require.Equal(t, []string{"prod/db address [?] the MAC address of the NIC lan: Git does not set it"}, got)
	stopped := strings.Replace(of(nic), "}}}}", "}}}, status: {printableStatus: Stopped}}", 1)
	_, got = run(t, drill.Input{Git: read(t, of(nic)+lan), Live: read(t, stopped+lan)})
	require.Empty(t, got)
}

// Two VMs of Git that have one address clash in a rebuild, unless one of them is halted.
func TestClashes(t *testing.T) {
	db := of(fixed)
	web := strings.Replace(db, "name: db", "name: web", 1)
	_, got := run(t, drill.Input{Git: read(t, db+web+lan), Live: read(t, lan)})
	const mac = "the MAC address 02:00:00:00:00:01 in prod/lan is also that of VirtualMachine prod/"
	require.Equal(t, []string{"prod/db clash " + mac + "web", "prod/web clash " + mac + "db"}, got)
	_, got = run(t, drill.Input{Git: read(t, db+strings.Replace(web, "Always", "Halted", 1)+lan), Live: read(t, lan)})
	require.Empty(t, got)
}

// Changes in the cluster are lost, and what Git has changed since the last sync is not. Without a record of the last
// sync, it is unknown which of both it is.
func TestDrift(t *testing.T) {
	vm := func(cores, last string) string {
		annotations := ""
		if last != "" {
			annotations = `, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"spec": {"template": {"spec": ` +
				`{"domain": {"cpu": {"cores": ` + last + `}}}}}}'}`
		}
		return "\n---\n{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db, " +
			"namespace: prod" + annotations +
			"}, spec: {runStrategy: Always, template: {spec: {domain: {cpu: {cores: " + cores + "}}}}}}"
	}
	const loss = "VirtualMachine prod/db has other values in the cluster: cpu"
	for live, want := range map[string][]string{
		vm("4", "2"): {"prod/db drift " + loss}, vm("4", "4"): {}, vm("2", ""): {},
		vm("4", ""): {"prod/db drift [?] " + loss},
	} {
		_, got := run(t, drill.Input{Git: read(t, vm("2", "")), Live: read(t, live)})
		require.Equal(t, want, got)
	}
	service := func(port string) string {
		return object("v1", "Service", "prod", "db", "ports: [{port: "+port+"}]")
	}
	d, got := run(t, drill.Input{Git: read(t, service("80")), Live: read(t, service("81"))})
	require.Equal(t, []string{"prod/db drift [?] Service prod/db has other values in the cluster: ports"}, got)
	require.Empty(t, d.VMs)
	require.Equal(t, 100, d.Score.Percent())
	require.Equal(t, drill.Drift, d.Worst())
}

// A VM that only the cluster has is lost with its disks, also if a backup keeps them. VMs of pools are not listed.
func TestNotInGit(t *testing.T) {
	const owned = "\n---\n{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: pool-0, namespace: prod, " +
		"ownerReferences: [{apiVersion: pool.kubevirt.io/v1beta1, kind: VirtualMachinePool, name: pool, uid: u}]}}"
	d, got := run(t, drill.Input{Live: read(t, base+owned), IsWhole: true})
	require.Equal(t, []string{
		"prod/db not-in-git is in the cluster, but not in Git",
		"prod/db disk db-root (30Gi): Git does not render the claim, and no backup or replica of it leaves this site",
	}, got)
	require.Equal(t, drill.Score{VMs: 1}, d.Score)
	_, got = run(t, drill.Input{Live: read(t, base+kept), IsWhole: true})
	require.Equal(t, []string{"prod/db not-in-git is in the cluster, but not in Git"}, got)
}

// What cattle and pools write to their root disk is not kept anyway, unlike what cattle write to other disks.
func TestCattle(t *testing.T) {
	cattle := strings.Replace(of(`volumes: [{name: r, dataVolume: {name: db-root}}, {name: d, `+
		`dataVolume: {name: db-data}}], `+tpm),
		"namespace: prod}", "namespace: prod, annotations: {vmrender.io/lifecycle: cattle}}", 1) +
		strings.Replace(volume, "labels: {", "labels: {vmrender.io/disk: root, ", 1) +
		strings.ReplaceAll(volume, "db-root", "db-data")
	_, got := run(t, drill.Input{Git: read(t, cattle), Live: read(t, cattle), IsWhole: true})
	require.Equal(t, []string{"prod/db disk db-data (30Gi): no backup or replica of it leaves this site"}, got)
	const pool = `
---
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: pool, namespace: prod}
spec:
  virtualMachineTemplate:
    spec:
      template: {spec: {volumes: [{name: r, dataVolume: {name: root}}]}}
      dataVolumeTemplates: [{metadata: {name: root}, spec: {source: {pvc: {name: golden, namespace: images}}}}]`
	_, got = run(t, drill.Input{Git: read(t, pool), Live: read(t, pool), IsWhole: true})
	require.Equal(t, []string{
		"prod/pool image the image PersistentVolumeClaim images/golden: neither Git nor the cluster has it",
	}, got)
}

// The worst VM comes first, and each kind has a name, a meaning and advice.
func TestOrder(t *testing.T) {
	text := func(name, spec string) string {
		return object("kubevirt.io/v1", "VirtualMachine", "prod", name, "runStrategy: Always, template: {spec: {"+spec+"}}")
	}
	git := text("a", "") + text("b", nic) + text("c", "volumes: [{name: r, persistentVolumeClaim: {claimName: c}}]")
	d, _ := run(t, drill.Input{Git: read(t, git), Live: read(t, git), IsWhole: true})
	names := []string{}
	for _, r := range d.VMs {
		names = append(names, r.ID.Name+" "+r.Worst().String())
	}
	require.Equal(t, []string{"c disk", "b network", "a nothing"}, names)
	require.Equal(t, drill.Score{VMs: 3, Whole: 1}, d.Score)
	require.Equal(t, 33, d.Score.Percent())
	require.Equal(t, drill.Disk, d.Worst())
	seen := map[string]bool{}
	for _, k := range drill.Kinds() {
		require.False(t, seen[k.String()])
		seen[k.String()] = true
		require.NotEmpty(t, k.Meaning())
		require.Equal(t, k == drill.Nothing, k.Advice() == "")
		var back drill.Kind
		require.NoError(t, back.UnmarshalText([]byte(k.String())))
		require.Equal(t, k, back)
	}
	require.Error(t, new(drill.Kind).UnmarshalText([]byte("x")))
}
