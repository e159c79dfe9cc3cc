// Command write writes generated fleets into directories, for checks in other modules.
//
//	go run ./internal/fleetgen/write -first 1 -fleets 100 DIR
package main

import (
	"flag"
	"log"
	"path/filepath"
	"strconv"

	"github.com/vmrender/vmrender/internal/fleetgen"
)

func main() {
	first := flag.Uint64("first", 1, "`seed` of the first fleet")
	fleets := flag.Uint64("fleets", 100, "`number` of fleets")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("expected one argument: the directory to write to")
	}
	for seed := *first; seed < *first+*fleets; seed++ {
		dir := filepath.Join(flag.Arg(0), strconv.FormatUint(seed, 10))
		if err := fleetgen.New(seed).Write(dir); err != nil {
			log.Fatal(err)
		}
	}
}
