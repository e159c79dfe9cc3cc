package rollout

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// patchJob is what an AnsibleJob or a Job reports of its end. The other type's fields are empty.
type patchJob struct {
	metav1.ObjectMeta `json:"metadata"`

	Status struct {
		Conditions []struct {
			Type    string `json:"type"`
			Status  string `json:"status"`
			Reason  string `json:"reason"`
			Message string `json:"message"`
		} `json:"conditions"`
		Message          string `json:"message"`
		IsFinished       bool   `json:"isFinished"`
		AnsibleJobResult struct {
			Status string `json:"status"`
			URL    string `json:"url"`
		} `json:"ansibleJobResult"`
	} `json:"status"`
}

// failedResults are the ends of a job of Ansible Automation Platform, except "successful" (ansible/awx,
// awx/main/models/unified_jobs.py, STATUS_CHOICES).
var failedResults = []string{"failed", "error", "canceled"}

// end reports whether the job has ended, and why it has failed, or "". A Job has a condition Complete or Failed. An
// AnsibleJob has the result of the platform; isFinished without one means that its pods have failed as often as they
// may, or have ended early (ansible/awx-resource-operator, roles/job/tasks/main.yml).
func (j *patchJob) end() (ended bool, failure string) {
	for _, c := range j.Status.Conditions {
		switch {
		case c.Status != string(metav1.ConditionTrue):
		case c.Type == "Complete":
			return true, ""
		case c.Type == "Failed":
			return true, cmp.Or(c.Message, c.Reason, "see its log")
		}
	}
	result := &j.Status.AnsibleJobResult
	switch {
	case result.Status == "successful":
		return true, ""
	case slices.Contains(failedResults, result.Status):
		return true, "its result is " + result.Status + ": " + cmp.Or(result.URL, "see the platform")
	case j.Status.IsFinished:
		return true, "it has ended without a result: " + cmp.Or(j.Status.Message, "see the log of its Job")
	}
	return false, ""
}
