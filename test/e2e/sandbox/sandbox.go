// Package sandbox runs a test binary in its own namespaces. Its network has only a
// loopback device, so that no server of a test can be reached from outside or collide
// with another one. Its own process IDs let the kernel end everything that a test has
// started when the test ends, for whatever reason.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// variable passes a text to the binary in the sandbox, and shows the binary that it
// is there.
const variable = "VMRENDER_E2E_SANDBOX"

// handed returns the message that [start] was given, for the binary in a sandbox. It
// is false outside.
func handed() (string, bool) {
	return os.LookupEnv(variable)
}

// start runs this binary again, with the same arguments, in a sandbox, and returns
// its exit status. It needs either user namespaces or root.
func start(message string) (int, error) {
	runtime.LockOSThread() // the sandbox ends with the thread that created it
	defer runtime.UnlockOSThread()
	err := command(message, true).Run()
	if errors.Is(err, syscall.EPERM) && os.Geteuid() == 0 {
		err = command(message, false).Run()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode(), nil
	case errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC):
		return 1, fmt.Errorf("a network of the tests' own needs user namespaces, or root: %w", err)
	}
	return 1, err
}

func command(message string, userNamespace bool) *exec.Cmd {
	c := exec.Command("/proc/self/exe", os.Args[1:]...)
	c.Args[0] = os.Args[0]
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), variable+"="+message)
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWPID,
		Pdeathsig:  syscall.SIGKILL,
	}
	if userNamespace {
		// Only a process with user ID 0 keeps the right to configure its network
		// after exec.
		c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return c
}

// enter activates the loopback device. The binary calls it first in a sandbox.
func enter() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket) //nolint:errcheck // it holds nothing
	device, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	device.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, device); err != nil {
		return fmt.Errorf("starting the loopback device: %w", err)
	}
	return nil
}
