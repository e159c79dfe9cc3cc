package cluster

import (
	"crypto/x509/pkix"
	"path/filepath"

	"github.com/vmrender/vmrender/test/e2e/process"
)

// localhost is the address that the servers of a cluster listen on if it has no other.
const localhost = "127.0.0.1"

// URL returns the URL of the API server.
func (c *Cluster) URL() string { return "https://" + c.host + ":6443" }

// controlPlane returns etcd, kube-apiserver, and kube-controller-manager, which
// collects garbage, deletes namespaces, and creates service accounts.
func (c *Cluster) controlPlane() ([]process.Server, error) {
	server, err := c.authority.Issue("kube-apiserver", pkix.Name{CommonName: "kube-apiserver"})
	if err != nil {
		return nil, err
	}
	accounts, err := c.authority.Issue("service-accounts", pkix.Name{CommonName: "service-accounts"})
	if err != nil {
		return nil, err
	}
	audit, err := c.writeAuditPolicy()
	if err != nil {
		return nil, err
	}
	etcdURL, etcdPeerURL := "http://"+c.host+":2379", "http://"+c.host+":2380"
	return []process.Server{
		{
			Name: "etcd", Path: c.programs["etcd"], Ready: process.Listens(c.host + ":2379"), Env: c.environment,
			Args: []string{
				"--name=e2e", "--data-dir=etcd", "--unsafe-no-fsync", "--log-level=warn",
				"--listen-client-urls=" + etcdURL, "--advertise-client-urls=" + etcdURL,
				"--listen-peer-urls=" + etcdPeerURL, "--initial-advertise-peer-urls=" + etcdPeerURL,
				"--initial-cluster=e2e=" + etcdPeerURL,
			},
		},
		{
			Name: "kube-apiserver", Path: c.programs["kube-apiserver"], Ready: c.ready, Env: c.environment,
			Args: []string{
				"--etcd-servers=" + etcdURL, "--bind-address=" + c.host, "--advertise-address=" + c.host, "--secure-port=6443",
				"--tls-cert-file=" + server.Cert, "--tls-private-key-file=" + server.Key, "--client-ca-file=" + c.authority.CAFile(),
				"--service-account-issuer=https://kubernetes.default.svc",
				"--service-account-key-file=" + accounts.Cert, "--service-account-signing-key-file=" + accounts.Key,
				"--service-cluster-ip-range=10.0.0.0/24", "--authorization-mode=RBAC", "--endpoint-reconciler-type=none",
				"--audit-policy-file=" + audit, "--audit-log-path=" + filepath.Join(c.dir, auditLog),
				"--feature-gates=APIResponseCompression=false", // clients are on the same computer
			},
		},
		{
			Name: "kube-controller-manager", Path: c.programs["kube-controller-manager"], Ready: process.Listens(c.host + ":10257"),
			Args: []string{
				"--kubeconfig=" + c.Kubeconfig, "--bind-address=" + c.host, "--leader-elect=false", "--use-service-account-credentials",
				"--service-account-private-key-file=" + accounts.Key, "--root-ca-file=" + c.authority.CAFile(),
				"--controllers=*,-cronjob-controller", // package cronjob plays it, with a clock that tests move
			},
		},
	}, nil
}
