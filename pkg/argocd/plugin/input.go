package plugin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// value is a parameter's value, as in an item of ARGOCD_APP_PARAMETERS.
type value struct {
	String *string            `json:"string"`
	Array  *[]string          `json:"array"`
	Map    *map[string]string `json:"map"`
}

// input is one value that the Application sets.
type input struct {
	value
	parameter
	origin string // its name in messages
}

// UnknownNameError is the error for a parameter, or a variable under `plugin.env`, that
// the plugin does not have.
type UnknownNameError struct {
	Kind  string   // "parameter" or "variable"
	Name  string   // as given
	Known []string // all names of the kind
}

// Error returns "unknown parameter", or "unknown variable", with the name.
func (e *UnknownNameError) Error() string { return fmt.Sprintf("unknown %s %q", e.Kind, e.Name) }

// errAmbiguous is the error for a directory with two contents and no layer.
var errAmbiguous = fmt.Errorf("parameter %q: not set, but the directory has both a fleet.yaml and a platform.yaml; "+
	"expected %q for the fleet, %q for the platform, or the name of a layer", LayerParameter, NoLayer, AllLayers)

// meant returns the content that the values are for.
func meant(inputs []input, contents []Content) (Content, error) {
	if len(contents) == 1 {
		return contents[0], nil
	}
	for _, in := range inputs {
		if in.Name == LayerParameter && !in.empty() {
			return in.content(), nil
		}
	}
	return contents[0], errAmbiguous
}

// content returns the content that the value is for, or "" for any. That of the layer
// depends on it.
func (in input) content() Content {
	if in.Name == LayerParameter && in.String != nil && *in.String == NoLayer {
		return Fleet
	}
	return in.of
}

// apply stores the values in order, and returns what is wrong with them.
func (r *Request) apply(inputs []input) []error {
	var errs []error
	seen := map[string]bool{}
	for _, in := range inputs {
		problem := in.problem()
		if of := in.content(); problem == "" && of != "" && of != r.Content && !in.empty() {
			problem = fmt.Sprintf("is for a %s; this Application renders a %s", of, r.Content)
		}
		if seen[in.origin] {
			problem = "given twice; expected it once"
		}
		seen[in.origin] = true
		if problem == "" {
			in.take(r, in.value)
		} else {
			errs = append(errs, fmt.Errorf("%s: %s", in.origin, problem))
		}
	}
	return errs
}

// problem returns what is wrong with the value, without quoting it, or "" if nothing
// is.
func (in input) problem() string {
	if form := in.form(); form != in.CollectionType {
		return fmt.Sprintf("has the value in %s; expected it in %q", form, in.CollectionType)
	}
	switch {
	case in.Array != nil && slices.Contains(*in.Array, ""):
		return fmt.Sprintf("item %d is empty; expected a string, or no item", slices.Index(*in.Array, "")+1)
	case in.Map != nil:
		return keyProblem(slices.Sorted(maps.Keys(*in.Map)))
	}
	return ""
}

// empty reports whether a value sets nothing.
func (v value) empty() bool {
	return (v.String == nil || *v.String == "") &&
		(v.Array == nil || len(*v.Array) == 0) &&
		(v.Map == nil || len(*v.Map) == 0)
}

// form returns the collection types of the value; exactly one is valid.
func (v value) form() string {
	var forms []string
	if v.String != nil {
		forms = append(forms, text)
	}
	if v.Array != nil {
		forms = append(forms, array)
	}
	if v.Map != nil {
		forms = append(forms, dict)
	}
	return cmp.Or(strings.Join(forms, " and "), "none")
}

// keyProblem returns what is wrong with keys that should be dotted, or "" if nothing
// is.
func keyProblem(keys []string) string {
	for _, key := range keys {
		if strings.Contains(key, "=") || strings.Contains("."+key+".", "..") {
			return fmt.Sprintf("invalid key %q; expected a name, with a dot between the names of a path", key)
		}
	}
	return ""
}

// fromParameters parses ARGOCD_APP_PARAMETERS, which is empty if the Application has no
// parameters.
func fromParameters(list string) ([]input, []error) {
	if list == "" {
		return nil, nil
	}
	var items []struct {
		Name string `json:"name"`
		value
	}
	if json.Unmarshal([]byte(list), &items) != nil { // not reported: it may quote the value
		return nil, []error{fmt.Errorf("%s: not what Argo CD writes; "+
			"expected a JSON list of objects with name, and string, array or map", parametersVar)}
	}
	var inputs []input
	var errs []error
	for _, item := range items {
		if p, known := find(item.Name); known {
			inputs = append(inputs, input{item.value, p, fmt.Sprintf("parameter %q", p.Name)})
		} else {
			errs = append(errs, &UnknownNameError{"parameter", item.Name, names(plain)})
		}
	}
	return inputs, errs
}

// fromVariables reads the variables that stand for parameters, for users who cannot set
// parameters: a list is separated by commas, a map is a JSON object.
func fromVariables(env map[string]string) ([]input, []error) {
	var inputs []input
	var errs []error
	for name, given := range env {
		name, ok := strings.CutPrefix(name, pluginVars)
		if !ok || !strings.HasPrefix(name, variable("")) {
			continue
		}
		p, known := find(strings.ToLower(strings.TrimPrefix(name, variable(""))))
		if !known || variable(p.Name) != name {
			errs = append(errs, &UnknownNameError{"variable", name, names(variable)})
			continue
		}
		origin := fmt.Sprintf("variable %q", name)
		v, err := parse(given, p.CollectionType)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", origin, err))
			continue
		}
		inputs = append(inputs, input{v, p, origin})
	}
	return inputs, errs
}

// parse parses the text of a variable; an empty one is an empty list or map.
func parse(given, collectionType string) (value, error) {
	switch collectionType {
	case array:
		items := []string{}
		if strings.TrimSpace(given) != "" {
			items = strings.Split(given, ",")
		}
		for i := range items {
			items[i] = strings.TrimSpace(items[i])
		}
		return value{Array: &items}, nil
	case dict:
		entries := map[string]string{}
		if given != "" && json.Unmarshal([]byte(given), &entries) != nil {
			return value{}, fmt.Errorf("not a map; expected a JSON object of strings, such as %s", `{"tier": "gold"}`)
		}
		return value{Map: &entries}, nil
	}
	return value{String: &given}, nil
}

func sorted(errs []error) []error {
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errs
}
