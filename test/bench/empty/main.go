//go:build ignore

// Command empty does nothing but load KubeVirt's types, as every program does
// that imports them. It is the least that a cold start of vmrender could cost.
// It is built in vmrender's module to use the same version of the types.
package main

import (
	"fmt"

	_ "kubevirt.io/api/core/v1"
)

func main() { fmt.Println() }
