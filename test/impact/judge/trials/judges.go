package trials

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/vmrender/vmrender/test/impact/judge"
)

// Judges are the judges of the clusters, created when they are first asked. The zero value is ready to use.
type Judges struct {
	lock sync.Mutex
	all  map[int]*seat
}

// seat is that of a judge, who decides one question at a time.
type seat struct {
	sync.Mutex

	*judge.Judge
}

// Ask lets the judge of a cluster decide.
func (j *Judges) Ask(cluster int, decide func(*judge.Judge) error) error {
	s := j.seat(cluster)
	s.Lock()
	defer s.Unlock()
	if s.Judge == nil {
		var err error
		if s.Judge, err = judge.New(Clusters[cluster].Config); err != nil {
			return err
		}
	}
	return decide(s.Judge)
}

func (j *Judges) seat(cluster int) *seat {
	j.lock.Lock()
	defer j.lock.Unlock()
	if j.all == nil {
		j.all = map[int]*seat{}
	}
	if j.all[cluster] == nil {
		j.all[cluster] = &seat{}
	}
	return j.all[cluster]
}

// AskAll lets the judges decide every trial in its clusters, two clusters at a time, because each takes memory.
func (j *Judges) AskAll(all []Trial, decide func(cluster, trial int, j *judge.Judge) error) error {
	var group errgroup.Group
	group.SetLimit(2)
	found := make([]error, len(Clusters))
	for i := range Clusters {
		group.Go(func() error {
			var problems []error
			for k := range all {
				if !all[k].In(i) {
					continue
				}
				if err := j.Ask(i, func(judge *judge.Judge) error { return decide(i, k, judge) }); err != nil {
					problems = append(problems, fmt.Errorf("%s: %s: %w", Clusters[i].Name, all[k], err))
				}
			}
			found[i] = errors.Join(problems...)
			return nil
		})
	}
	return errors.Join(group.Wait(), errors.Join(found...))
}
