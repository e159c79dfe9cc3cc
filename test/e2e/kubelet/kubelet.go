// Package kubelet plays the part of a node: it runs the command of a Pod as a
// process of this machine, as the Pod's ServiceAccount. A process finds its
// token at the same path as in a container, so that it talks to the cluster with
// the same permissions.
package kubelet

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// Kubelet runs the Pods of a cluster.
type Kubelet struct {
	client   *cluster.Client
	dir      string // for logs and tokens
	bin      string // directory with the programs of all images
	complain func(error)

	lock  sync.Mutex
	kill  map[types.UID]context.CancelFunc // of the Pods that have been started
	hurry map[string][2]string             // arguments to replace, by namespace
}

// Start runs all Pods with one container until the context is done. Their
// programs come from the directory bin, whatever their image; their logs are
// written to dir. It passes its own errors to complain.
func Start(ctx context.Context, client *cluster.Client, dir, bin string, complain func(error)) *Kubelet {
	k := &Kubelet{
		client: client, dir: dir, bin: bin, complain: complain,
		kill: map[types.UID]context.CancelFunc{}, hurry: map[string][2]string{},
	}
	informers := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	_, err := informers.ForResource(pods).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { k.admit(ctx, object) },
		DeleteFunc: k.remove,
	})
	if err != nil {
		complain(err)
	}
	informers.Start(ctx.Done())
	return k
}

var pods = corev1.SchemeGroupVersion.WithResource("pods")

// Hurry replaces an argument of the Pods of a namespace, because a test does not
// wait as long as a cluster does.
func (k *Kubelet) Hurry(namespace, argument, by string) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.hurry[namespace] = [2]string{argument, by}
}

// Kill ends the process of a Pod as the kernel does when it is out of memory.
func (k *Kubelet) Kill(pod types.UID) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if kill, ok := k.kill[pod]; ok {
		kill()
	}
}

// Log returns what the Pod has written so far.
func (k *Kubelet) Log(namespace, name string) (string, error) {
	log, err := os.ReadFile(k.log(namespace, name))
	return string(log), err
}

func (k *Kubelet) log(namespace, name string) string {
	return filepath.Join(k.dir, namespace+"_"+name+".log")
}

// admit starts a new Pod.
func (k *Kubelet) admit(ctx context.Context, object any) {
	pod := &corev1.Pod{}
	u, ok := object.(*unstructured.Unstructured)
	if !ok || runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod) != nil || pod.Status.Phase != corev1.PodPending {
		return
	}
	running, kill := context.WithCancel(ctx)
	k.lock.Lock()
	k.kill[pod.UID] = kill
	k.lock.Unlock()
	go func() {
		defer kill()
		if err := k.run(ctx, running, pod); err != nil && ctx.Err() == nil && !apierrors.IsNotFound(err) {
			k.complain(err)
		}
	}()
}

// remove ends the process of a deleted Pod.
func (k *Kubelet) remove(object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	if u, ok := object.(*unstructured.Unstructured); ok {
		k.Kill(u.GetUID())
	}
}

// run runs a Pod to its end, at the latest until the second context is done.
func (k *Kubelet) run(ctx, running context.Context, pod *corev1.Pod) error {
	secrets, err := k.credentials(ctx, pod)
	if err != nil {
		return err
	}
	files, err := k.volumes(ctx, pod)
	if err != nil {
		return err
	}
	log, err := os.Create(k.log(pod.Namespace, pod.Name))
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the process has written what it had to say
	command := container(running, pod, k.hurried(pod), k.bin, secrets, files)
	command.Stdout, command.Stderr = log, log
	if err := k.report(ctx, pod, status(pod, corev1.PodRunning, nil)); err != nil {
		return err
	}
	phase := corev1.PodSucceeded
	if err := command.Run(); err != nil {
		phase = corev1.PodFailed
	}
	return k.report(ctx, pod, status(pod, phase, k.terminated(pod, command)))
}

// terminated returns the state of the container of a Pod that has ended. The message is
// the end of the log, if the Pod asks for that (kubernetes v1.36,
// pkg/kubelet/kuberuntime/kuberuntime_container.go).
func (k *Kubelet) terminated(pod *corev1.Pod, command *exec.Cmd) map[string]any {
	exit := exitCode(command)
	state := map[string]any{"exitCode": int64(exit)}
	if pod.Spec.Containers[0].TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError && exit != 0 {
		log, _ := k.Log(pod.Namespace, pod.Name) //nolint:errcheck // as a kubelet, which writes an empty message
		state["message"] = log[max(0, len(log)-messageSize):]
	}
	return state
}

// messageSize is the most of a log, in bytes, that is in a Pod's status.
const messageSize = 2048

// container returns the process of a container. It finds the credentials at
// Kubernetes' path, because it has its own /run, to which /var/run leads.
func container(ctx context.Context, pod *corev1.Pod, args []string, bin, credentials, files string) *exec.Cmd {
	script := `
set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/secrets/kubernetes.io
cp -r "$0" /run/secrets/kubernetes.io/serviceaccount
` + files + `PATH=$BIN exec "$@"`
	env := environment(pod)
	arguments := append([]string{"-c", script, credentials}, pod.Spec.Containers[0].Command...)
	for _, arg := range args {
		arguments = append(arguments, expanded(arg, env))
	}
	command := exec.CommandContext(ctx, "/bin/sh", arguments...)
	command.Dir = "/"
	command.Env = []string{"PATH=/usr/bin:/bin", "BIN=" + bin, "KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=6443"}
	for name, value := range env {
		command.Env = append(command.Env, name+"="+value)
	}
	command.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	return command
}

// environment returns the variables of the Pod's container: values, and labels of the Pod (kubernetes v1.36,
// pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables).
func environment(pod *corev1.Pod) map[string]string {
	out := map[string]string{}
	for _, variable := range pod.Spec.Containers[0].Env {
		out[variable.Name] = variable.Value
		if from := variable.ValueFrom; from != nil && from.FieldRef != nil {
			label := strings.TrimSuffix(strings.TrimPrefix(from.FieldRef.FieldPath, "metadata.labels['"), "']")
			out[variable.Name] = pod.Labels[label]
		}
	}
	return out
}

// expanded returns an argument with the variables that it names.
func expanded(arg string, env map[string]string) string {
	for name, value := range env {
		arg = strings.ReplaceAll(arg, "$("+name+")", value)
	}
	return arg
}

// hurried returns the arguments of the Pod's container.
func (k *Kubelet) hurried(pod *corev1.Pod) []string {
	k.lock.Lock()
	defer k.lock.Unlock()
	args := slices.Clone(pod.Spec.Containers[0].Args)
	if replace, ok := k.hurry[pod.Namespace]; ok {
		if i := slices.Index(args, replace[0]); i >= 0 {
			args[i] = replace[1]
		}
	}
	return args
}

// exitCode returns the exit code of a container, whose runtime counts signals
// from 128.
func exitCode(command *exec.Cmd) int {
	if command.ProcessState == nil {
		return startFailure
	}
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalled + int(status.Signal())
	}
	return command.ProcessState.ExitCode()
}

// These are the exit codes of containers that do not come from their program.
const (
	signalled    = 128
	startFailure = 128
)

// report writes the Pod's status, as soon as the API server lets it.
func (k *Kubelet) report(ctx context.Context, pod *corev1.Pod, status map[string]any) error {
	all := k.client.Resource(pods).Namespace(pod.Namespace)
	return untilGone(ctx, func(ctx context.Context) error {
		live, err := all.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedField(live.Object, status, "status"); err != nil {
			return err
		}
		_, err = all.UpdateStatus(ctx, live, metav1.UpdateOptions{})
		return err
	})
}

// untilGone repeats a request about an object until it succeeds or the object is gone.
func untilGone(ctx context.Context, try func(context.Context) error) error {
	var gone error
	err := process.Poll(ctx, func(ctx context.Context) error {
		err := try(ctx)
		if apierrors.IsNotFound(err) {
			gone, err = err, nil
		}
		return err
	})
	return errors.Join(err, gone)
}

// status returns the status of a Pod, whose container runs or has terminated.
func status(pod *corev1.Pod, phase corev1.PodPhase, terminated map[string]any) map[string]any {
	c := pod.Spec.Containers[0]
	state := map[string]any{"running": map[string]any{}}
	if terminated != nil {
		state = map[string]any{"terminated": terminated}
	}
	return map[string]any{
		"phase": string(phase),
		"containerStatuses": []any{map[string]any{
			"name": c.Name, "image": c.Image, "imageID": "", "ready": phase == corev1.PodRunning, "restartCount": int64(0), "state": state,
		}},
	}
}
