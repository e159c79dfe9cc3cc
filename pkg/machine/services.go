package machine

import (
	"cmp"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// services returns the Services, in the order written.
func (d *draft) services() []Service {
	var out []Service
	for _, f := range d.entry.Keys.Get("services").Entries() {
		svc := d.vm.Services[f.Key]
		if svc == nil {
			continue
		}
		if problem := values.NameProblem(f.Key); problem != "" {
			d.errorf(f.Pos(), rule.BadName, "services."+f.Key, "%s", problem)
		}
		if svc.Port == 0 {
			d.errorf(f.Pos(), rule.MissingKey, "services."+f.Key+".port", "missing port; expected a number from 1 to 65535")
		}
		d.checkLabels(svc.Labels, "services", f.Key, "labels")
		d.checkAnnotations(svc.Annotations, "services", f.Key, "annotations")
		out = append(out, Service{
			Name: d.name + "-" + f.Key, PortName: f.Key, Port: svc.Port, TargetPort: svc.TargetPort,
			Protocol: cmp.Or(svc.Protocol, "TCP"), Type: cmp.Or(svc.Type, "ClusterIP"),
			Labels: svc.Labels, Annotations: svc.Annotations,
		})
	}
	return out
}
