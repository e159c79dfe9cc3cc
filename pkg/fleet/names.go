package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// maxName is the length that all names keep: they are values of labels too.
const maxName = validation.DNS1123LabelMaxLength

// nameProblem says what is wrong with a DNS label (RFC 1123), or nothing.
func nameProblem(name string) string {
	if plainName(name) {
		return ""
	}
	if len(name) > maxName {
		return fmt.Sprintf("%q has %d characters; at most %d are accepted", name, len(name), maxName)
	}
	return fmt.Sprintf("invalid name %q; expected lower case letters, digits and \"-\", starting and ending with a letter or digit", name)
}

func plainName(name string) bool {
	if name == "" || len(name) > maxName || name[0] == '-' || name[len(name)-1] == '-' {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// plainKey tells label keys of the usual form, such as "app.kubernetes.io/part-of".
func plainKey(key string) bool {
	domain, name, prefixed := strings.Cut(key, "/")
	if !prefixed {
		return plainLabel(key)
	}
	for part := range strings.SplitSeq(domain, ".") {
		if !plainName(part) {
			return false
		}
	}
	return plainLabel(name)
}

// plainLabel tells names of labels, and their values, that hold nothing but
// lower case letters, digits, "-" and ".".
func plainLabel(s string) bool {
	if s == "" || len(s) > maxName || !plainName(s[:1]) || !plainName(s[len(s)-1:]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// labelProblem says what is wrong with a label, or nothing.
func labelProblem(key, value string) string {
	if plainKey(key) && (value == "" || plainLabel(value)) {
		return ""
	}
	const name = "at most 63 letters, digits, \"-\", \"_\" and \".\", starting and ending with a letter or digit"
	if !isLabelKey(key) {
		return fmt.Sprintf("invalid label key %q; expected %s, after a domain and a slash or alone", key, name)
	}
	if len(validation.IsValidLabelValue(value)) > 0 {
		return fmt.Sprintf("invalid label value %q; expected %s", value, name)
	}
	return ""
}

func isLabelKey(key string) bool { return plainKey(key) || len(validation.IsQualifiedName(key)) == 0 }

var uuidForm = pattern(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func isUUID(s string) bool { return uuidForm().MatchString(s) }

// parseVersion takes the first two numbers of a version such as "1.6" or "v3.2.1".
func parseVersion(s string) (major, minor int, ok bool) {
	a, rest, found := strings.Cut(strings.TrimPrefix(s, "v"), ".")
	if !found {
		return 0, 0, false
	}
	b, _, _ := strings.Cut(rest, ".")
	major, errA := strconv.Atoi(a)
	minor, errB := strconv.Atoi(b)
	return major, minor, errA == nil && errB == nil
}

// Before tells whether version s is older than major.minor; an empty one is the newest.
func Before(s string, major, minor int) bool {
	a, b, ok := parseVersion(s)
	return ok && (a < major || a == major && b < minor)
}

// checkNames wants every name that is made from the VM's to be within bounds.
func (s *subject) checkNames() {
	if s.badName {
		return
	}
	if problem := nameProblem(s.m.Name); problem != "" {
		s.errorf(s.key, "bad-name", "", "%s", problem)
		return
	}
	most := maxName - s.nameRoom()
	tooLong := func(name, path string) {
		if len(name) > most {
			s.errorf(s.key, "bad-name", path, "%q has %d characters; at most %d are accepted: shorten the name of the VM", name, len(name), most)
		}
	}
	tooLong(s.m.Name, "")
	if s.m.Lifecycle.Ansible != nil {
		tooLong(s.m.Name+"-ansible-01234567", "lifecycle.ansible")
	}
	for i := range s.m.Disks {
		if d := &s.m.Disks[i]; d.Kind == DiskDataVolume {
			tooLong(d.Claim, "disks."+d.Name)
		}
	}
	for _, svc := range s.m.Services {
		tooLong(svc.Name, "services."+svc.PortName)
	}
	if c := s.m.CloudInit; c != nil {
		tooLong(c.SecretName, "cloudInit")
	}
}

// nameRoom is how many characters the machine's objects get behind their names:
// a hash of the content, or the number of a pool's VM.
func (s *subject) nameRoom() int {
	switch lc := &s.m.Lifecycle; lc.Strategy {
	case BlueGreen:
		return hashLength
	case Pool:
		return 1 + len(strconv.Itoa(int(lc.Replicas)))
	}
	return 0
}
