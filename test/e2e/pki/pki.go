// Package pki creates the keys and certificates of a control plane.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority signs certificates and writes them to files in a directory.
type Authority struct {
	dir         string
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
	host        net.IP
	// PEM is the authority's certificate.
	PEM []byte
}

// Pair is the paths of a certificate and its key.
type Pair struct{ Cert, Key string }

// lifetime is the lifetime of all certificates, which is far longer than a
// test.
const lifetime = 24 * time.Hour

// New creates an authority for the servers on an address, with its certificate in ca.crt.
func New(dir, host string) (*Authority, error) {
	a := &Authority{dir: dir, host: net.ParseIP(host)}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "e2e"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	a.certificate = template
	der, err := a.sign(template, a.key)
	if err != nil {
		return nil, err
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	a.PEM = encode("CERTIFICATE", der)
	return a, os.WriteFile(a.CAFile(), a.PEM, 0o600)
}

// CAFile returns the path of the authority's certificate.
func (a *Authority) CAFile() string { return filepath.Join(a.dir, "ca.crt") }

// Issue creates a certificate, for a server on the authority's address and for a client, in
// NAME.crt and NAME.key.
func (a *Authority) Issue(name string, subject pkix.Name) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	der, err := a.sign(&x509.Certificate{
		Subject:     subject,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{a.host},
		DNSNames:    []string{"localhost"},
	}, key)
	if err != nil {
		return Pair{}, err
	}
	encoded, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Pair{}, err
	}
	pair := Pair{filepath.Join(a.dir, name+".crt"), filepath.Join(a.dir, name+".key")}
	if err := os.WriteFile(pair.Cert, encode("CERTIFICATE", der), 0o600); err != nil {
		return Pair{}, err
	}
	return pair, os.WriteFile(pair.Key, encode("EC PRIVATE KEY", encoded), 0o600)
}

func (a *Authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Minute), time.Now().Add(lifetime)
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return nil, fmt.Errorf("signing %s: %w", template.Subject, err)
	}
	return der, nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
