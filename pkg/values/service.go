package values

import (
	"github.com/vmrender/vmrender/pkg/source"
)

// Service is the long form of an entry of `services`.
type Service struct {
	// Port of the Service. The name of the port is that of the Service.
	Port int32 `json:"port,omitempty" minimum:"1" maximum:"65535"`
	// Ports of the Service, instead of `port` and the three keys after it. A number is short for `{port: NUMBER}`.
	Ports []ServicePort `json:"ports,omitempty"`
	// Port of the guest. Defaults to `port`.
	TargetPort int32 `json:"targetPort,omitempty" minimum:"1" maximum:"65535"`
	// Protocol. Defaults to TCP.
	Protocol string `json:"protocol,omitempty" enum:"TCP,UDP,SCTP"`
	// Port of every node, for `type: NodePort` and `LoadBalancer`. Defaults to one that the cluster chooses.
	NodePort int32 `json:"nodePort,omitempty" minimum:"1" maximum:"65535"`
	// Type of the Service. Defaults to ClusterIP.
	Type string `json:"type,omitempty" enum:"ClusterIP,NodePort,LoadBalancer"`
	// With `replicas`: whether each VM has a Service, or all share one named `<entry>-<service>`, which belongs to the
	// first replica. Defaults to vm.
	Scope string `json:"scope,omitempty" enum:"vm,group"`
	// Labels of the Service.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the Service.
	Annotations map[string]string `json:"annotations,omitempty"`
	// Merge patch (RFC 7386) on the Service, for fields without a key: `{spec: {clusterIP: None}}` for a headless one,
	// `{spec: {externalTrafficPolicy: Local}}`. Levels merge by key.
	Overrides *source.Node `json:"overrides,omitempty" ref:"Service"`
}

// ServicePort is a port of a Service; a number is short for `{port: NUMBER}`.
type ServicePort struct {
	// Name of the port. Defaults to protocol and number, such as `tcp-443`.
	Name string `json:"name,omitempty"`
	// Port of the Service.
	Port int32 `json:"port" required:"true" minimum:"1" maximum:"65535"`
	// Port of the guest. Defaults to `port`.
	TargetPort int32 `json:"targetPort,omitempty" minimum:"1" maximum:"65535"`
	// Protocol. Defaults to TCP.
	Protocol string `json:"protocol,omitempty" enum:"TCP,UDP,SCTP"`
	// Port of every node, for `type: NodePort` and `LoadBalancer`.
	NodePort int32 `json:"nodePort,omitempty" minimum:"1" maximum:"65535"`
}
