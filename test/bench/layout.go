package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// fleetHeader is the fleet.yaml of the workload: catalog and defaults.
//
//go:embed fleet.yaml
var fleetHeader []byte

// layout is a way to spread a fleet's virtual machines over files.
type layout string

const (
	filePerVM layout = "file per VM"
	oneFile   layout = "one file"
	nothing   layout = "–" // for the empty program
)

// warmUps returns how often a new repository is rendered before that is measured. In the first render, repo-server
// clones it. In the second, git reads all files again, which may have changed after it wrote its index (git,
// Documentation/technical/racy-git); this takes time if there are many.
func (l layout) warmUps() int {
	if l == filePerVM {
		return 2
	}
	return 1
}

// filesPerDirectory is the maximum number of files per directory in the layout filePerVM.
const filesPerDirectory = 1000

// writeFleet writes a fleet of n virtual machines to dir, which must not exist.
func writeFleet(dir string, n int, spread layout) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "fleet.yaml"), fleetHeader, 0o644); err != nil {
		return err
	}
	if spread == oneFile {
		return writeOneFile(filepath.Join(dir, "vms.yaml"), n)
	}
	return writeFiles(filepath.Join(dir, "vms"), n, machine.itself)
}

// writeFiles writes n virtual machines, as changed by seen, one file each.
func writeFiles(dir string, n int, seen func(machine) machine) error {
	var text []byte
	for i := range n {
		inside := filepath.Join(dir, fmt.Sprintf("%03d", i/filesPerDirectory))
		if i%filesPerDirectory == 0 {
			if err := os.MkdirAll(inside, 0o755); err != nil {
				return err
			}
		}
		vm := seen(newMachine(i))
		text = vm.appendFleet(append(text[:0], "vms:\n"...))
		if err := os.WriteFile(filepath.Join(inside, vm.Name+".yaml"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeOneFile(path string, n int) error {
	return writeList(path, n, machine.appendFleet)
}

// writeValues writes the same n virtual machines as a list, the values of the chart.
func writeValues(path string, n int) error {
	return writeList(path, n, machine.appendValues)
}

func writeList(path string, n int, appendVM func(machine, []byte) []byte) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, file.Close()) }()
	out := bufio.NewWriterSize(file, 1<<20)
	if _, err := io.WriteString(out, "vms:\n"); err != nil {
		return err
	}
	var text []byte
	for i := range n {
		text = appendVM(newMachine(i), text[:0])
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	return out.Flush()
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// appendFleet appends the VM as an entry of vmrender's map of VMs.
func (m machine) appendFleet(text []byte) []byte {
	return fmt.Appendf(text, `  %s:
    os: %s
    cpu: %d
    memory: %s
    disks: {root: {size: %s, storageClass: %s}, data0: {size: %s, storageClass: %s}}
    nics: [pod, %s]
    cloudInit: {user: %s, sshKeys: [%s]}
    vars: {team: %s}
`, m.Name, m.OS, m.Cores, m.Memory, m.RootDisk, m.StorageClass, m.DataDisk, m.StorageClass,
		m.Network, m.User, m.SSHKey, m.Team)
}

// appendValues appends the VM as an item of the chart's list of VMs.
func (m machine) appendValues(text []byte) []byte {
	return fmt.Appendf(text, `  - name: %s
    os: %s
    cores: %d
    memory: %s
    rootDisk: %s
    dataDisk: %s
    storageClass: %s
    network: %s
    team: %s
    user: %s
    sshKey: %s
`, m.Name, m.OS, m.Cores, m.Memory, m.RootDisk, m.DataDisk, m.StorageClass,
		m.Network, m.Team, m.User, m.SSHKey)
}
