package inventory

import "github.com/vmrender/vmrender/pkg/rule"

// checkHeld warns of files that hold VMs which the fleet does not have.
func (w *wide) checkHeld() {
	files := w.fleet.HeldFiles()
	if len(files) == 0 || w.fleet.Part() != "." || w.fleet.Incomplete() {
		return
	}
	found := make(map[machineKey]bool, len(w.records))
	for _, r := range w.records {
		found[r.machineKey] = true
	}
	for _, file := range files {
		if !found[machineKey{file.Namespace, file.Name}] {
			w.diags.Warnf(file.Pos(), rule.Held, "",
				"holds the VM %s/%s, which the fleet does not have; run `vmrender hold`, which removes the file",
				file.Namespace, file.Name)
		}
	}
}
