package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/upgrade"
	"github.com/vmrender/vmrender/pkg/versions"
)

// versionsOf returns the versions by product of a repeated flag such as
// "--target-from kubevirt=1.8"; nil if there are none.
func versionsOf(flag string, given []string) (map[string]string, error) {
	var out map[string]string
	var all []error
	for _, text := range given {
		name, version, found := strings.Cut(text, "=")
		product, err := productOf(flag, name)
		switch {
		case err != nil:
			all = append(all, err)
			continue
		case !found || !product.Knows(version):
			all = append(all, fmt.Errorf("--%s %s: unknown version %q; accepted: %s to %s, or a patch release of them",
				flag, name, version, product.Oldest, product.Newest))
		case out[name] != "":
			all = append(all, fmt.Errorf("--%s %s=%s and %s=%s; expected one version", flag, name, out[name], name, version))
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = version
	}
	return out, errors.Join(all...)
}

// productOf returns a product by its name.
func productOf(flag, name string) (*upgrade.Product, error) {
	var names []string
	for _, p := range upgrade.Products() {
		if p.Name == name {
			return &p, nil
		}
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("--%s: unknown product %q; %s", flag, name, suggest.DidYouMean(name, names))
}

// upgradeOf returns the upgrade that the targets of both sides are about; nil if there is none.
func upgradeOf(targetFrom, targetTo []string) (*upgrade.Upgrade, error) {
	from, errFrom := versionsOf("target-from", targetFrom)
	to, errTo := versionsOf("target-to", targetTo)
	if err := errors.Join(errFrom, errTo); err != nil || from == nil && to == nil {
		return nil, err
	}
	var all []error
	for _, p := range upgrade.Products() {
		was, now := from[p.Name], to[p.Name]
		switch {
		case was == "" && now != "":
			all = append(all, fmt.Errorf("--target-to %s=%s; expected also --target-from %s=VERSION", p.Name, now, p.Name))
		case was != "" && now == "":
			all = append(all, fmt.Errorf("--target-from %s=%s; expected also --target-to %s=VERSION", p.Name, was, p.Name))
		case was != "" && versions.Before(now, was):
			all = append(all, fmt.Errorf("--target-from %s=%s is newer than --target-to %s=%s; expected an upgrade",
				p.Name, was, p.Name, now))
		}
	}
	if slices.Equal(slices.Sorted(slices.Values(targetFrom)), slices.Sorted(slices.Values(targetTo))) {
		all = append(all, errors.New("--target-from and --target-to have the same versions; expected an upgrade"))
	}
	return &upgrade.Upgrade{From: withKubeVirt(from), To: withKubeVirt(to)}, errors.Join(all...)
}

// withKubeVirt returns versions with that of KubeVirt which a release of OpenShift has.
func withKubeVirt(target map[string]string) map[string]string {
	c := versions.OpenShift{Release: target["openshift"]}
	if own := c.KubeVirt(); own != "" && target["kubevirt"] == "" {
		target["kubevirt"] = own
	}
	return target
}
