package object

import (
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A Judge returns the problems of an object, one line each, or nothing if it
// accepts the object. It may judge several objects at the same time.
type Judge func(Object) []string

// Except returns a judge that ignores problems with one of the texts.
func (j Judge) Except(texts ...string) Judge {
	return func(o Object) []string {
		return slices.DeleteFunc(j(o), func(problem string) bool {
			return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(problem, text) })
		})
	}
}

// JudgeAll runs every judge on every object, on all processors, and returns
// `kind namespace/name: problem` lines in the order of the objects and judges.
func JudgeAll(objects []Object, judges ...Judge) []string {
	found := make([][]string, len(objects))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				found[i] = judgeOne(objects[i], judges)
			}
		})
	}
	for i := range objects {
		next <- i
	}
	close(next)
	workers.Wait()

	var problems []string
	for _, lines := range found {
		problems = append(problems, lines...)
	}
	return problems
}

func judgeOne(o Object, judges []Judge) []string {
	var problems []string
	for _, judge := range judges {
		for _, problem := range judge(o) {
			problems = append(problems, o.String()+": "+problem)
		}
	}
	return problems
}

// OfKind returns the objects of one kind, such as VirtualMachine, in order.
func OfKind(objects []Object, kind string) []Object {
	var matching []Object
	for _, o := range objects {
		if o.Kind == kind {
			matching = append(matching, o)
		}
	}
	return matching
}
