package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/process"
)

//go:embed multus.yaml
var multusYAML []byte

// Admit starts the servers of KubeVirt's and CDI's webhooks, and installs what they report
// that their operators would install, with their definitions.
func (c *Cluster) Admit(ctx context.Context) error {
	multus, err := Objects(multusYAML)
	if err != nil {
		return err
	}
	if err := c.Install(ctx, multus); err != nil {
		return err
	}
	pair, err := c.authority.Issue("webhooks", pkix.Name{CommonName: "webhooks"})
	if err != nil {
		return err
	}
	client := c.webhookClient()
	for name, address := range map[string]string{"virt-api": c.host + ":9443", "cdi-apiserver": c.host + ":9444"} {
		url := "https://" + address
		err := c.run(ctx, process.Server{
			Name: name, Path: c.programs[name], Ready: process.Answers(client, url+"/install"),
			Args: []string{"--address=" + address, "--cert=" + pair.Cert, "--key=" + pair.Key},
		})
		if err != nil {
			return err
		}
		if err := c.install(ctx, client, url); err != nil {
			return fmt.Errorf("installing %s: %w", name, err)
		}
	}
	return nil
}

func (c *Cluster) webhookClient() *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(c.authority.PEM)
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}}}
}

func (c *Cluster) install(ctx context.Context, client *http.Client, url string) error {
	list, err := download(ctx, client, url+"/install")
	if err != nil {
		return err
	}
	objects, err := Objects(list)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if err := c.redirect(o, url); err != nil {
			return err
		}
	}
	return c.Install(ctx, objects)
}

// redirect sends the webhooks of a configuration to a URL instead of a Service.
func (c *Cluster) redirect(configuration *unstructured.Unstructured, url string) error {
	webhooks, found, err := unstructured.NestedSlice(configuration.Object, "webhooks")
	if !found || err != nil {
		return err
	}
	for _, w := range webhooks {
		webhook, ok := w.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: a webhook is no object", configuration.GetName())
		}
		path, _, err := unstructured.NestedString(webhook, "clientConfig", "service", "path")
		if err != nil {
			return err
		}
		webhook["clientConfig"] = map[string]any{
			"url": url + path, "caBundle": base64.StdEncoding.EncodeToString(c.authority.PEM),
		}
	}
	return unstructured.SetNestedSlice(configuration.Object, webhooks, "webhooks")
}

// Install applies objects in order, and waits until the kinds that they define are served.
// Definitions lose their descriptions, which are most of their text: servers and clients
// read it again with each of them. Where their cost is measured, they keep them.
func (c *Cluster) Install(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		unstructured.RemoveNestedField(o.Object, "status")
		unstructured.RemoveNestedField(o.Object, "metadata", "creationTimestamp")
		if o.GetKind() == definitionKind && !c.described {
			withoutDescriptions(o.Object)
		}
		if err := c.Apply(ctx, o); err != nil {
			return err
		}
	}
	for _, o := range objects {
		if o.GetKind() != definitionKind {
			continue
		}
		err := process.Poll(ctx, func(ctx context.Context) error { return c.established(ctx, o) })
		if err != nil {
			return fmt.Errorf("%s: %w", o.GetName(), err)
		}
	}
	return nil
}

const definitionKind = "CustomResourceDefinition"

// withoutDescriptions removes the descriptions of schemas. A field with that name has a
// schema, not text, and stays.
func withoutDescriptions(value any) {
	switch v := value.(type) {
	case map[string]any:
		if _, text := v["description"].(string); text {
			delete(v, "description")
		}
		for _, field := range v {
			withoutDescriptions(field)
		}
	case []any:
		for _, item := range v {
			withoutDescriptions(item)
		}
	}
}

func (c *Cluster) established(ctx context.Context, definition *unstructured.Unstructured) error {
	live, err := c.Get(ctx, definition.GroupVersionKind(), "", definition.GetName())
	if err != nil {
		return err
	}
	conditions, _, err := unstructured.NestedSlice(live.Object, "status", "conditions")
	if err != nil {
		return err
	}
	for _, condition := range conditions {
		if c, ok := condition.(map[string]any); ok && c["type"] == "Established" && c["status"] == "True" {
			return nil
		}
	}
	return errors.New("not established")
}

func download(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(response.Body)
	return content, errors.Join(err, response.Body.Close())
}
