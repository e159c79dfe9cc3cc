package world

import (
	"encoding/base64"
	"net/netip"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// NetworkData returns the network data of cloud-init that an instance of a spec gets, or "". Without a way to find
// Secrets, that in a Secret is not found.
func NetworkData(spec any, secret func(name string) manifest.Tree) string {
	for _, v := range manifest.List(spec, "volumes") {
		for _, kind := range []string{"cloudInitNoCloud", "cloudInitConfigDrive"} {
			if text := dataOf(manifest.At(v, kind), secret); text != "" {
				return text
			}
		}
	}
	return ""
}

// dataOf returns the network data of a volume of cloud-init: inline, as base64, or in a Secret.
func dataOf(source any, find func(name string) manifest.Tree) string {
	if text := manifest.Text(source, "networkData"); text != "" {
		return text
	}
	if text := decoded(manifest.Text(source, "networkDataBase64")); text != "" {
		return text
	}
	name := manifest.Text(source, "networkDataSecretRef", "name")
	if name == "" || find == nil {
		return ""
	}
	secret := find(name)
	for _, key := range []string{"networkdata", "networkData"} {
		if text := manifest.Text(secret, "stringData", key); text != "" {
			return text
		}
		if text := decoded(manifest.Text(secret, "data", key)); text != "" {
			return text
		}
	}
	return ""
}

// decoded returns the text of base64, or "".
func decoded(text string) string {
	out, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	return string(out)
}

// AddressesIn returns the static IP addresses in network data, sorted: of version 1 and 2 of cloud-init's format, and
// of OpenStack's. What cannot be read has none.
func AddressesIn(data string) []string {
	var doc tree
	if yaml.Unmarshal([]byte(data), &doc) != nil {
		return nil
	}
	if inner, ok := doc["network"].(tree); ok {
		doc = inner
	}
	var out []string
	add := func(v any) {
		s, _ := v.(string)
		s, _, _ = strings.Cut(s, "/")
		if ip, err := netip.ParseAddr(s); err == nil && !slices.Contains(out, ip.String()) {
			out = append(out, ip.String())
		}
	}
	for _, kind := range []string{"ethernets", "bonds", "bridges", "vlans"} {
		for _, device := range manifest.Map(doc, kind) {
			for _, a := range manifest.List(device, "addresses") {
				add(a)
			}
		}
	}
	for _, n := range manifest.List(doc, "networks") {
		add(manifest.At(n, "ip_address"))
	}
	for _, device := range manifest.List(doc, "config") {
		for _, subnet := range manifest.List(device, "subnets") {
			add(manifest.At(subnet, "address"))
		}
	}
	slices.Sort(out)
	return out
}
