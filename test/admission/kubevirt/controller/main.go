// Command controller runs KubeVirt's own code that acts on VirtualMachines, for
// an API server that tests start: virt-controller's controllers of
// VirtualMachines and VirtualMachinePools, and the subresources by which
// virt-api restarts, starts and stops a VirtualMachine. The tests do the work of
// nodes and storage.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"k8s.io/client-go/tools/clientcmd"
	"kubevirt.io/client-go/kubecli"
	"kubevirt.io/client-go/log"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "controller: %v\n", err)
		os.Exit(1)
	}
}

// run runs the controllers and the server with these arguments:
//
//	--kubeconfig FILE --address HOST:PORT --cert FILE --key FILE
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("controller", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "file that names the API server")
	address := flags.String("address", "127.0.0.1:9445", "where to serve the subresource")
	cert := flags.String("cert", "", "file with the certificate")
	key := flags.String("key", "", "file with its key")
	if err := flags.Parse(args); err != nil {
		return err
	}
	log.InitializeLogging("virt-controller")
	client, err := connect(*kubeconfig)
	if err != nil {
		return err
	}
	if err := install(ctx, client); err != nil {
		return err
	}
	if err := control(ctx, client); err != nil {
		return err
	}
	return serve(client, *address, *cert, *key)
}

func connect(kubeconfig string) (kubecli.KubevirtClient, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 200, 400 // the values of virt-controller
	return kubecli.GetKubevirtClientFromRESTConfig(config)
}
