package impact

// weakened holds for a limit that lets more changes pass than before, or is gone.
var weakened = Condition{"raised or removed", func(e *Edit) bool {
	return Weakens(e.Old, e.New, e.Path[len(e.Path)-1])
}, unseen}

const sourceGate = "vmrender, docs/how-to/gate.md"

// rulesGate are the rules of the annotations of a gate.
var rulesGate = []Rule{
	{Path: `metadata.annotations."vmrender.io/becomes"`, Level: None, Code: "content", Reason: "it only records that something else changes", Source: sourceGate},
	gateWeakened("approve-from", "policy.approve"), gateWeakened("max-impact", "policy.maxImpact"),
}

func gateWeakened(key, policy string) Rule {
	return Rule{
		Path: `metadata.annotations."vmrender.io/` + key + `"`, If: weakened, Level: Metadata, Code: "gate-weakened",
		Reason: policy + " of the fleet permits more, from the next change of the VM",
		Advice: "approve it for each VM, with the token of `vmrender plan`", Warning: true, Source: sourceGate,
	}
}
