package secret

import "slices"

// fields are the fields of objects that can contain secrets.
var fields = []string{
	"userData", "userDataBase64", "networkData", "networkDataBase64", "data", "stringData", "binaryData",
	"password", "token", "extra_vars", "extravars.json", "playbook",
}

// IsField reports whether a field of an object, by its key, can contain secrets: what a guest reads at its first boot,
// the data of Secrets, passwords. Its value is not shown.
func IsField(key string) bool { return slices.Contains(fields, key) }
