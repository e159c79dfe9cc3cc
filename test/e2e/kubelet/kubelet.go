// Package kubelet plays the part of a node: it runs the command of a Pod as a
// process of this machine, as the Pod's ServiceAccount. A process finds its
// token where it finds it in a container, so that it talks to the cluster as it
// would there, with the same permissions.
package kubelet

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/vmrender/vmrender/test/e2e/cluster"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// Kubelet runs the Pods of a cluster.
type Kubelet struct {
	client *cluster.Client
	dir    string // for logs and tokens
	bin    string // directory with the programs of all images
	errors func(error)

	lock sync.Mutex
	pods map[types.UID]context.CancelFunc // that run, or have run
}

// Run runs all Pods with one container until the context is done. Their
// programs are those of the directory bin, whatever their image; their logs are
// written to dir. It hands out the errors of its own.
func Run(ctx context.Context, client *cluster.Client, dir, bin string, errors func(error)) {
	k := &Kubelet{client: client, dir: dir, bin: bin, errors: errors, pods: map[types.UID]context.CancelFunc{}}
	informers := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	_, err := informers.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { k.admit(ctx, object) },
		DeleteFunc: k.kill,
	})
	if err != nil {
		errors(err)
		return
	}
	informers.Start(ctx.Done())
	<-ctx.Done()
}

// admit starts a Pod that is new.
func (k *Kubelet) admit(ctx context.Context, object any) {
	pod := &corev1.Pod{}
	u, ok := object.(*unstructured.Unstructured)
	if !ok || runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod) != nil || pod.Status.Phase != corev1.PodPending {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	k.lock.Lock()
	k.pods[pod.UID] = cancel
	k.lock.Unlock()
	go func() {
		defer cancel()
		if err := k.run(ctx, pod); err != nil && ctx.Err() == nil && !apierrors.IsNotFound(err) {
			k.errors(err)
		}
	}()
}

// kill ends the process of a Pod that is deleted.
func (k *Kubelet) kill(object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	u, ok := object.(*unstructured.Unstructured)
	if !ok {
		return
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	if cancel, ok := k.pods[u.GetUID()]; ok {
		cancel()
	}
}

// run runs a Pod to its end.
func (k *Kubelet) run(ctx context.Context, pod *corev1.Pod) error {
	secrets, err := k.credentials(ctx, pod)
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(k.dir, pod.Namespace+"_"+pod.Name+".log"))
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the process has written what it had to say
	command := container(ctx, &pod.Spec.Containers[0], k.bin, secrets)
	command.Stdout, command.Stderr = log, log
	if err := k.report(ctx, pod, corev1.PodRunning, 0); err != nil {
		return err
	}
	if err := command.Run(); err != nil {
		return k.report(ctx, pod, corev1.PodFailed, command.ProcessState.ExitCode())
	}
	return k.report(ctx, pod, corev1.PodSucceeded, 0)
}

// container is the process of a container. It sees the credentials in the place
// of Kubernetes, because it has a /run of its own, which /var/run leads to.
func container(ctx context.Context, c *corev1.Container, bin, credentials string) *exec.Cmd {
	const script = `
set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/secrets/kubernetes.io
cp -r "$0" /run/secrets/kubernetes.io/serviceaccount
PATH=$BIN exec "$@"`
	arguments := append([]string{"-c", script, credentials}, c.Command...)
	command := exec.CommandContext(ctx, "/bin/sh", append(arguments, c.Args...)...)
	command.Dir = "/"
	command.Env = []string{"PATH=/usr/bin:/bin", "BIN=" + bin, "KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=6443"}
	for _, variable := range c.Env {
		command.Env = append(command.Env, variable.Name+"="+variable.Value)
	}
	command.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	return command
}

// report writes the Pod's status.
func (k *Kubelet) report(ctx context.Context, pod *corev1.Pod, phase corev1.PodPhase, exit int) error {
	pods := k.client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(pod.Namespace)
	for {
		live, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedField(live.Object, status(pod, phase, exit), "status"); err != nil {
			return err
		}
		if _, err = pods.UpdateStatus(ctx, live, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			return err
		}
	}
}

func status(pod *corev1.Pod, phase corev1.PodPhase, exit int) map[string]any {
	c := pod.Spec.Containers[0]
	state := map[string]any{"running": map[string]any{}}
	if phase != corev1.PodRunning {
		state = map[string]any{"terminated": map[string]any{"exitCode": int64(exit)}}
	}
	return map[string]any{
		"phase": string(phase),
		"containerStatuses": []any{map[string]any{
			"name": c.Name, "image": c.Image, "imageID": "", "ready": phase == corev1.PodRunning, "restartCount": int64(0), "state": state,
		}},
	}
}
