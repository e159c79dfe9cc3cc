package sizing

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/template"

	contract "github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/plugin"
)

//go:embed values.yaml.tmpl
var valuesTemplate string

// Values returns values for Argo CD's chart, as YAML, with servers for the fleet. They include the sidecar with
// the given image, or with the placeholder of the plugin's values if it is empty.
func (m *Model) Values(f Fleet, image string) ([]byte, error) {
	s := m.Servers(f)
	container, err := sidecar(s, image)
	if err != nil {
		return nil, err
	}
	t, err := template.New("values").Funcs(template.FuncMap{
		"number": numberOf, "duration": duration,
		"mib":  func(bytes int64) string { return number(math.Ceil(mib(bytes))) },
		"half": func(seconds int) int { return seconds / 2 },
	}).Parse(valuesTemplate)
	if err != nil {
		return nil, err
	}
	unvalidated, err := newModel(true)
	if err != nil {
		return nil, err
	}
	all := m.Cost(All, f).CPU
	var text bytes.Buffer
	err = t.Execute(&text, map[string]any{
		"Fleet": f, "Servers": s, "Container": container, "Soon": float64(Soon), "Earlier": Earlier,
		"All": m.Deployed(All, f, s), "One": m.Deployed(One, f, s),
		"Refresh": m.Cost(Refresh, f).CPU[Controller], "Controller": all[Controller],
		"Unvalidated": unvalidated.Cost(All, f).CPU[Controller],
		"RepoServer":  all[RepoServer], "Sidecar": all[Sidecar],
	})
	return text.Bytes(), err
}

// sidecar returns the lists of the plugin's values with the memory of the servers.
func sidecar(s Servers, image string) (string, error) {
	const list = "  extraContainers:\n"
	_, lists, found := strings.Cut(plugin.HelmValues, list)
	if !found {
		return "", fmt.Errorf("the values of the plugin have no %q", list)
	}
	limit := s.SidecarProcesses + s.SidecarDirectory
	for _, r := range []struct{ from, to string }{
		{"value: 768MiB\n", fmt.Sprintf("value: %dMiB\n", s.SidecarProcesses*3/4)},
		{`limits: {cpu: "2", memory: 2Gi}`, fmt.Sprintf(`limits: {cpu: "2", memory: %dMi}`, limit)},
		{"sizeLimit: 1Gi}", fmt.Sprintf("sizeLimit: %dMi}", s.SidecarDirectory)},
	} {
		if strings.Count(lists, r.from) != 1 {
			return "", fmt.Errorf("the values of the plugin do not have %q once", r.from)
		}
		lists = strings.Replace(lists, r.from, r.to, 1)
	}
	if image != "" {
		lists = strings.ReplaceAll(lists, contract.Placeholder, image)
	}
	return list + lists, nil
}

// numberOf returns a number of the templates as text.
func numberOf(n any) (string, error) {
	switch x := n.(type) {
	case int:
		return number(float64(x)), nil
	case int64:
		return number(float64(x)), nil
	case float64:
		return number(x), nil
	}
	return "", fmt.Errorf("not a number: %v", n)
}

// number returns a number as text: with two significant digits if it is small and has a fraction, otherwise as a
// whole number with commas.
func number(x float64) string {
	if math.Abs(x) < 10 && x != math.Trunc(x) {
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	digits := strconv.Itoa(int(math.Round(x)))
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// duration returns a time in seconds as text: in seconds below two minutes, otherwise in minutes.
func duration(seconds float64) string {
	if seconds < 120 {
		return number(math.Ceil(seconds)) + " s"
	}
	return number(math.Ceil(seconds/60)) + " min"
}
