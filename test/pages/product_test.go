package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	directory string          // of the pages
	browser   context.Context // of the browser that all tests use
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run writes the pages with the product, starts a browser, and runs the tests.
func run(m *testing.M) int {
	var err error
	if directory, err = os.MkdirTemp("", "pages"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(directory)
	if err := writePages(); err != nil {
		panic(err)
	}
	// When run as root, as in CI, Chromium starts only without its sandbox.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.Flag("no-sandbox", true))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	if browser, cancel = chromedp.NewContext(allocator); err != nil {
		panic(err)
	}
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		panic(fmt.Errorf("starting Chromium: %w", err))
	}
	return m.Run()
}

// writePages builds the product and writes a page of each kind and size.
func writePages() error {
	bin := filepath.Join(directory, "vmrender")
	build := exec.Command("go", "build", "-o", bin, "./cmd/vmrender")
	build.Dir, build.Stderr = "../..", os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building vmrender: %w", err)
	}
	for _, n := range []int{10, 5000} {
		if err := page(fmt.Sprintf("fleet-%d", n), fleetOf(n), bin, "report", "-", "--image", "registry.example.com/vmrender:1"); err != nil {
			return err
		}
		before := filepath.Join(directory, "before.json")
		if err := os.WriteFile(before, []byte(manifestsOf(n, false)), 0o600); err != nil {
			return err
		}
		if err := page(fmt.Sprintf("plan-%d", n), manifestsOf(n, true), bin, "plan", before, "-", "-o", "html"); err != nil {
			return err
		}
		if err := page("plan-none", manifestsOf(n, false), bin, "plan", before, "-", "-o", "html"); err != nil {
			return err
		}
	}
	fleet, err := fleetWithLongNames(1000)
	if err != nil {
		return err
	}
	return page("drawings", "", bin, "report", fleet, "--image", "registry.example.com/vmrender:1")
}

// page writes the standard output of a command to the file of a page.
func page(name, stdin string, command ...string) error {
	out, err := os.Create(filepath.Join(directory, name+".html"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args[1:], " "), err)
	}
	return nil
}

// fleetOf returns a values file with VMs in ten namespaces. Every second VM waits for
// the one before it.
func fleetOf(n int) string {
	var b strings.Builder
	b.WriteString("defaults: {os: rhel9, flavor: small}\nvms:\n")
	for i := range n {
		fmt.Fprintf(&b, "  vm-%04d: {namespace: team-%d, disks: {root: 40Gi, data: 10Gi}, "+
			"nics: [pod, {network: lab/vlan%d, ip: 10.%d.%d.2/8}]", i, i%10, i%7, i/200, i%200)
		if i%2 == 1 {
			fmt.Fprintf(&b, ", lifecycle: cattle, dependsOn: [team-%d/vm-%04d]", (i-1)%10, i-1)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// fleetWithLongNames writes a fleet with VMs in twenty namespaces and on ten networks, whose names are as long as they
// come, and of wide letters. It returns the directory.
func fleetWithLongNames(n int) (string, error) {
	var settings, vms strings.Builder
	settings.WriteString("apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: drawn}\ncatalog:\n  networks:\n")
	for i := range 10 {
		fmt.Fprintf(&settings, "    mmm-warehouse-management-%d: {nad: lab/vlan%d, vlan: %d, cidr: \"2001:db8:ffff:ffff:%x::/80\"}\n",
			i, i, 1000+i, 40960+i)
	}
	vms.WriteString("defaults: {os: rhel9, flavor: small}\nvms:\n")
	for i := range n {
		fmt.Fprintf(&vms, "  wwwwww-warehouse-management-%04d: {namespace: mmmmmm-warehouse-management-%02d, "+
			"nics: [pod, mmm-warehouse-management-%d]", i, i%20, i%10)
		if i%4 > 0 {
			fmt.Fprintf(&vms, ", dependsOn: [mmmmmm-warehouse-management-%02d/wwwwww-warehouse-management-%04d]", (i-1)%20, i-1)
		}
		vms.WriteString("}\n")
	}
	dir := filepath.Join(directory, "long-names")
	for name, text := range map[string]string{"fleet.yaml": settings.String(), "vms.yaml": vms.String()} {
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// manifestsOf returns VirtualMachines in ten namespaces. After the change, one third has
// less memory and another label, and one third has only another label.
func manifestsOf(n int, changed bool) string {
	type object = map[string]any
	items := make([]object, n)
	for i := range items {
		memory, label := "4Gi", "before"
		if changed && i%3 == 0 {
			memory = "2Gi"
		}
		if changed && i%3 < 2 {
			label = "after <b> </script> of " + fmt.Sprint(i)
		}
		items[i] = object{
			"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
			"metadata": object{
				"name": fmt.Sprintf("vm-%04d", i), "namespace": fmt.Sprintf("team-%d", i%10),
				"annotations": object{"example.com/text": label},
			},
			"spec": object{"runStrategy": "Always", "template": object{"spec": object{"domain": object{
				"devices": object{}, "memory": object{"guest": memory},
			}}}},
		}
	}
	out, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		panic(err)
	}
	return string(out)
}
