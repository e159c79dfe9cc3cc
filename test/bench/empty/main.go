//go:build ignore

// Command empty does nothing but load KubeVirt's types, which every program
// does that imports them: the least that a cold start of vmrender could cost.
// It is built in vmrender's module, for the same version of them.
package main

import (
	"fmt"

	_ "kubevirt.io/api/core/v1"
)

func main() { fmt.Println() }
