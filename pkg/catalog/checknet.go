package catalog

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/vmrender/vmrender/internal/sizes"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

func (c *checker) checkNetwork(f *source.Field, path string) {
	if strings.Contains(f.Key, "/") {
		c.diags.Errorf(f.Pos(), rule.BadName, path,
			"invalid name %q; a name with a slash is that of a NetworkAttachmentDefinition", f.Key)
	}
	c.checkForm(f.Value.Get("gateway"), path+".gateway", ipProblem)
	c.checkForm(f.Value.Get("dns"), path+".dns", ipProblem)
	c.checkForm(f.Value.Get("cidr"), path+".cidr", subnetProblem)
	n := c.set.entry("networks", f.Key)
	var net Network
	decode(n, &net)
	switch {
	case net.NAD != "" && net.Pod:
		c.diags.Errorf(f.Pos(), rule.Conflict, path, "exactly one of nad and pod; found both")
	case net.NAD == "" && !net.Pod:
		c.diags.Errorf(f.Pos(), rule.MissingKey, path, "exactly one of nad and pod; found neither")
	case net.NAD != "":
		if p := networkProblem(net.NAD); p != "" {
			c.diags.Errorf(n.Get("nad").Pos(), rule.BadValue, path+".nad", "%s", p)
		}
	}
	c.checkBinding(n, &net, path)
	c.checkGateway(n, &net, path)
}

// networkProblem returns what is wrong with the name of a NetworkAttachmentDefinition, or "": a name alone is in the
// namespace of each VM.
func networkProblem(nad string) string {
	if !strings.Contains(nad, "/") && nameProblem("", nad) == "" {
		return ""
	}
	problem := referenceProblem("network", nad)
	if problem == "" {
		return ""
	}
	return problem + ", or the name of one in the namespace of each VM"
}

// checkBinding reports what KubeVirt rejects: masquerade on other networks than the pod
// network, sriov on the pod network (kubevirt pkg/network/admitter, v1.9).
func (c *checker) checkBinding(n *source.Node, net *Network, path string) {
	path += ".binding"
	switch {
	case net.Binding == "masquerade" && net.NAD != "":
		c.diags.Errorf(n.Get("binding").Pos(), rule.Conflict, path,
			"masquerade is for the pod network only; accepted: bridge, sriov, or a network binding plugin")
	case net.Binding == "sriov" && net.Pod:
		c.diags.Errorf(n.Get("binding").Pos(), rule.Conflict, path,
			"sriov is not for the pod network; accepted: masquerade, bridge, or a network binding plugin")
	case net.Binding == "sriov" && net.Model != "":
		c.diags.Errorf(n.Get("model").Pos(), rule.Conflict, path[:len(path)-len("binding")]+"model",
			"an sriov NIC is a device of the host; leave its model out")
	}
}

func (c *checker) checkGateway(n *source.Node, net *Network, path string) {
	gateway, errA := netip.ParseAddr(net.Gateway)
	subnet, errB := netip.ParsePrefix(net.CIDR)
	if errA == nil && errB == nil && !subnet.Contains(gateway) {
		c.diags.Errorf(n.Get("gateway").Pos(), rule.BadValue, path+".gateway",
			"gateway %q is outside the subnet %s; expected an address in it", net.Gateway, subnet.Masked())
	}
}

func (c *checker) checkStorageClass(f *source.Field, path string) {
	name := c.set.entry("storageClasses", f.Key).Get("name")
	switch {
	case name == nil || name.Kind == source.String && name.Text == "":
		c.diags.Errorf(f.Pos(), rule.MissingKey, path, "no name; expected the `name` of the cluster's StorageClass")
	case name.Kind == source.String:
		if p := nameProblem("name", name.Text); p != "" {
			c.diags.Errorf(name.Pos(), rule.BadValue, path+".name", "%s", p)
		}
	}
}

// checkVSphere reports a network or datastore of vSphere that leads to several entries: a migration can lead it to one.
// leads are the entries so far, by what leads to them.
func (c *checker) checkVSphere(kind string, f *source.Field, path string, leads map[string]string) {
	n := c.set.entry(kind, f.Key).Get("vsphere")
	if n == nil {
		return
	}
	for i, item := range n.Items {
		at := source.IndexPath(path+".vsphere", i)
		switch other, taken := leads[item.Text]; {
		case item.Kind != source.String: // reported as a wrong type
		case item.Text == "":
			c.diags.Errorf(item.Pos(), rule.BadValue, at, "empty name; expected that of vSphere, or its managed object ID")
		case taken:
			c.diags.Errorf(item.Pos(), rule.Duplicate, at,
				"%q leads to %q already; a migration leads it to one", item.Text, other)
		}
		leads[item.Text] = f.Key
	}
}

// checkFlavor checks the short forms. The long forms are VM keys, which are not part of
// this package.
func (c *checker) checkFlavor(f *source.Field, path string) {
	if p := labelProblem(f.Key); p != "" {
		c.diags.Errorf(f.Pos(), rule.BadName, path, "%s", p)
	}
	n := c.set.entry("flavors", f.Key)
	cpu, memory := n.Get("cpu"), n.Get("memory")
	if cpu == nil && memory == nil {
		c.diags.Errorf(f.Pos(), rule.MissingKey, path, "no size; expected cpu, memory or both")
	}
	if n := vcpus(cpu); cpu != nil && cpu.Kind != source.Map && (n < 1 || n > sizes.MostCPUs) {
		c.diags.Errorf(cpu.Pos(), rule.BadValue, path+".cpu",
			"invalid cpu; expected a number of virtual CPUs up to %d, or a map", sizes.MostCPUs)
	}
	if memory != nil && (memory.Kind == source.Bool || memory.Kind == source.List) {
		c.diags.Errorf(memory.Pos(), rule.WrongType, path+".memory",
			"wrong type; expected a quantity such as \"16Gi\", or a map")
	}
	c.checkQuantity(scalar(memory), path+".memory", OfMemory)
}

// scalar returns nil for a map or a list, and any other value as it is.
func scalar(n *source.Node) *source.Node {
	if n != nil && (n.Kind == source.Map || n.Kind == source.List) {
		return nil
	}
	return n
}

// labelProblem returns what is wrong with a name that becomes the value of a Kubernetes
// label, as the name of a flavor does in kubevirt.io/size, or "" if nothing is.
func labelProblem(name string) string {
	const longest = 63
	if len(name) > longest {
		return fmt.Sprintf("name has %d characters; at most %d are accepted", len(name), longest)
	}
	dashed := strings.NewReplacer(".", "-", "_", "-").Replace(strings.ToLower(name))
	if strings.Trim(name, "._-") != name || !isLabel(dashed) {
		return fmt.Sprintf("invalid name %q; "+
			"expected letters, digits, \"-\", \"_\" and \".\", starting and ending with a letter or digit", name)
	}
	return ""
}
