package main

// knownDifferences are the fields that vmrender writes and the chart does not.
// They are more work for vmrender, never less.
var knownDifferences = []difference{
	{
		Why: "`firmware.uuid` and `firmware.serial`: vmrender derives them from the VM's name so that a recreated VM " +
			"keeps its identity; a Helm template has no function for it",
		Remove: func(manifest object) {
			firmware, _ := at(manifest, "spec", "template", "spec", "domain", "firmware").(object)
			delete(firmware, "uuid")
			delete(firmware, "serial")
		},
	},
}
