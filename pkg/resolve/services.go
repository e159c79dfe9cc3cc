package resolve

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// scopeGroup is the scope of a Service for all replicas of an entry.
const scopeGroup = "group"

// services returns the Services, in the order written. One for all replicas belongs to the first of them.
func (d *draft) services() []machine.Service {
	var out []machine.Service
	for _, f := range d.entry.Keys.Get("services").Entries() {
		svc := d.vm.Services[f.Key]
		if svc == nil {
			continue
		}
		s := d.service(&f, svc)
		if !s.Group || *d.ordinal == 0 {
			out = append(out, s)
		}
	}
	return out
}

// groups reports whether a Service is for several VMs that are rendered one by one.
func (d *draft) groups(svc *values.Service) bool { return svc.Scope == scopeGroup && d.ordinal != nil }

func (d *draft) service(f *source.Field, svc *values.Service) machine.Service {
	if problem := values.NameProblem(f.Key); problem != "" {
		d.errorf(f.Pos(), rule.BadName, "services."+f.Key, "%s", problem)
	}
	if d.traits.Pooled && svc.Scope == "vm" {
		d.errorf(d.entry.At("services", f.Key, "scope"), rule.Strategy, "services."+f.Key+".scope",
			"under `strategy: pool` a Service is for all VMs; remove it, or use another strategy")
	}
	if d.isPlain() && (d.traits.Pooled || d.traits.NamedByContent) {
		d.errorf(d.entry.KeyAt("consoleLabels"), rule.Strategy, "consoleLabels",
			"under `strategy: %s` the Service at %s selects pods by one of these labels; remove one of the two",
			d.strategy, catalog.Where(f.Pos()))
	}
	d.checkLabels(svc.Labels, "services", f.Key, "labels")
	d.checkAnnotations(svc.Annotations, "services", f.Key, "annotations")
	out := machine.Service{
		Name: d.name + "-" + f.Key, Key: f.Key, Group: d.groups(svc), Ports: d.servicePorts(f, svc),
		Type: cmp.Or(svc.Type, "ClusterIP"), Labels: svc.Labels, Annotations: svc.Annotations, Overrides: svc.Overrides,
	}
	if out.Group {
		out.Name = d.entry.Name + "-" + f.Key
	}
	d.checkNodePorts(&out)
	return out
}

// servicePorts returns the ports of a Service, with names and protocols filled in.
func (d *draft) servicePorts(f *source.Field, svc *values.Service) []values.ServicePort {
	path := "services." + f.Key
	switch {
	case svc.Ports == nil && svc.Port == 0:
		d.errorf(f.Pos(), rule.MissingKey, path+".port", "missing port; expected a number from 1 to 65535, or `ports`")
		return nil
	case svc.Ports == nil:
		return []values.ServicePort{{
			Name: f.Key, Port: svc.Port, TargetPort: svc.TargetPort, Protocol: cmp.Or(svc.Protocol, "TCP"),
			NodePort: svc.NodePort,
		}}
	case len(svc.Ports) == 0:
		d.errorf(d.entry.At("services", f.Key, "ports"), rule.MissingKey, path+".ports",
			"no port; a Service has at least one")
	}
	for _, key := range []string{"port", "targetPort", "protocol", "nodePort"} {
		if n := f.Value.Get(key); n.IsSet() {
			d.errorf(d.entry.KeyAt("services", f.Key, key), rule.Conflict, path+"."+key,
				"must not be mixed with `ports` at %s; set it there", catalog.Where(d.entry.At("services", f.Key, "ports")))
		}
	}
	return d.listedPorts(f, svc.Ports)
}

// listedPorts returns the ports of a list, whose names must differ, and so must their numbers for each protocol.
func (d *draft) listedPorts(f *source.Field, in []values.ServicePort) []values.ServicePort {
	out := make([]values.ServicePort, len(in))
	seen := map[string]bool{}
	for i, p := range in {
		p.Protocol = cmp.Or(p.Protocol, "TCP")
		number := fmt.Sprintf("%s-%d", strings.ToLower(p.Protocol), p.Port)
		p.Name = cmp.Or(p.Name, number)
		at, path := d.servicePortAt(f, i), source.IndexPath("services."+f.Key+".ports", i)
		if problem := values.NameProblem(p.Name); problem != "" {
			d.errorf(at, rule.BadName, path+".name", "%s", problem)
		}
		if seen["name "+p.Name] {
			d.errorf(at, rule.Duplicate, path, "duplicate name %q of a port; give it a `name` of its own", p.Name)
		} else if seen[number] {
			d.errorf(at, rule.Duplicate, path, "duplicate port %d/%s", p.Port, p.Protocol)
		}
		seen["name "+p.Name], seen[number] = true, true
		out[i] = p
	}
	return out
}

func (d *draft) servicePortAt(f *source.Field, i int) source.Pos {
	if list := f.Value.Get("ports"); list != nil && i < len(list.Items) {
		return list.Items[i].Pos()
	}
	return f.Pos()
}

// checkNodePorts reports ports of nodes that a Service does not have, or that several would have. Kubernetes v1.34,
// pkg/apis/core/validation/validation.go, ValidateService.
func (d *draft) checkNodePorts(s *machine.Service) {
	for i := range s.Ports {
		if s.Ports[i].NodePort == 0 {
			continue
		}
		at, path := d.entry.At("services", s.Key), "services."+s.Key
		switch {
		case s.Type == "ClusterIP":
			d.errorf(at, rule.Conflict, path, "`nodePort` needs `type: NodePort` or `LoadBalancer`")
		case d.ordinal != nil && !s.Group:
			d.errorf(at, rule.Conflict, path,
				"a port of the nodes is for one Service, and every replica has one; set `scope: group`, or remove `nodePort`")
		}
		return
	}
}
