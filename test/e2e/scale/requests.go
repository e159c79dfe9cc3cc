package scale

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/test/e2e/cluster"
)

// counter is the metric of an API server that counts the requests that it has answered.
const counter = "apiserver_request_total{"

// requests returns the number of requests that the API servers have answered, by verb. A watch counts when it ends.
func requests(ctx context.Context, clusters []*cluster.Cluster) (map[string]int, error) {
	all := map[string]int{}
	for _, c := range clusters {
		metrics, err := c.Metrics(ctx)
		if err != nil {
			return nil, err
		}
		if err := addRequests(all, metrics); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addRequests adds the counts in the metrics of one API server, in the text format of Prometheus.
func addRequests(all map[string]int, metrics []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(metrics))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		labels, is := strings.CutPrefix(lines.Text(), counter)
		if !is {
			continue
		}
		labels, value, _ := strings.Cut(labels, "} ")
		_, verb, _ := strings.Cut(labels, `verb="`)
		verb, _, found := strings.Cut(verb, `"`)
		count, err := strconv.ParseFloat(value, 64) // large counts have an exponent
		if !found || err != nil {
			return fmt.Errorf("unexpected metric %q", lines.Text())
		}
		all[verb] += int(count)
	}
	return lines.Err()
}

// since returns what was counted after before.
func since(before, after map[string]int) map[string]int {
	more := map[string]int{}
	for verb, n := range after {
		if n -= before[verb]; n > 0 {
			more[verb] = n
		}
	}
	return more
}
