package recipes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// comment is a comment as GitHub and GitLab list it.
type comment struct {
	ID     int            `json:"id"`
	Body   string         `json:"body"`
	User   map[string]any `json:"user"`   // GitHub
	Author map[string]any `json:"author"` // GitLab
}

// forge is the part of GitHub's and GitLab's APIs that recipes use. It accepts no request
// without the token, and no comment that GitHub would refuse.
type forge struct {
	*httptest.Server
	mu       sync.Mutex
	comments []comment
	labels   []string
	changes  []string // requests that write, such as "POST /issues/7/comments"
}

const (
	token = "t0ken"
	me    = 42
)

func newForge(t *testing.T) *forge {
	t.Helper()
	f := &forge{}
	mux := http.NewServeMux()
	// GitHub
	mux.HandleFunc("GET /repos/o/r/issues/7/comments", f.list)
	mux.HandleFunc("POST /repos/o/r/issues/7/comments", f.create)
	mux.HandleFunc("PATCH /repos/o/r/issues/comments/{id}", f.update)
	mux.HandleFunc("GET /repos/o/r/issues/7/labels", f.listLabels)
	mux.HandleFunc("POST /repos/o/r/issues/7/labels", f.addLabels)
	mux.HandleFunc("DELETE /repos/o/r/issues/7/labels/{name}", f.removeLabel)
	// GitLab
	mux.HandleFunc("GET /user", func(w http.ResponseWriter, _ *http.Request) { reply(w, map[string]any{"id": me}) })
	mux.HandleFunc("GET /projects/3/merge_requests/7/notes", f.list)
	mux.HandleFunc("POST /projects/3/merge_requests/7/notes", f.create)
	mux.HandleFunc("PUT /projects/3/merge_requests/7/notes/{id}", f.update)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+token && r.Header.Get("PRIVATE-TOKEN") != token {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		if r.Method != http.MethodGet {
			f.changes = append(f.changes, r.Method+" "+r.URL.Path)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// add adds a comment of another user.
func (f *forge) add(author int, body string) {
	logins := map[int]string{me: "bot[bot]"}
	f.comments = append(f.comments, comment{
		ID: 100 + len(f.comments), Body: body, User: map[string]any{"login": logins[author]}, Author: map[string]any{"id": author},
	})
}

func (f *forge) list(w http.ResponseWriter, r *http.Request) {
	page := 1
	_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
	start := min((page-1)*100, len(f.comments))
	reply(w, append([]comment{}, f.comments[start:min(start+100, len(f.comments))]...))
}

// body returns the comment in a request: JSON, or a form.
func body(w http.ResponseWriter, r *http.Request) (string, bool) {
	var text string
	if r.Header.Get("Content-Type") == "application/x-www-form-urlencoded" {
		text = r.PostFormValue("body")
	} else {
		var in struct{ Body string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return "", false
		}
		text = in.Body
	}
	if text == "" || len([]rune(text)) > 65536 {
		http.Error(w, "body is too long or empty", http.StatusUnprocessableEntity)
		return "", false
	}
	return text, true
}

func (f *forge) create(w http.ResponseWriter, r *http.Request) {
	if text, ok := body(w, r); ok {
		f.add(me, text)
		w.WriteHeader(http.StatusCreated)
	}
}

func (f *forge) update(w http.ResponseWriter, r *http.Request) {
	i := slices.IndexFunc(f.comments, func(c comment) bool { return fmt.Sprint(c.ID) == r.PathValue("id") })
	if i < 0 || f.comments[i].Author["id"] != me {
		http.Error(w, "not yours", http.StatusForbidden)
		return
	}
	if text, ok := body(w, r); ok {
		f.comments[i].Body = text
	}
}

func (f *forge) listLabels(w http.ResponseWriter, _ *http.Request) {
	out := []map[string]string{}
	for _, l := range f.labels {
		out = append(out, map[string]string{"name": l})
	}
	reply(w, out)
}

func (f *forge) addLabels(w http.ResponseWriter, r *http.Request) {
	var in struct{ Labels []string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.labels = append(f.labels, in.Labels...)
	slices.Sort(f.labels)
	f.labels = slices.Compact(f.labels)
}

func (f *forge) removeLabel(_ http.ResponseWriter, r *http.Request) {
	f.labels = slices.DeleteFunc(f.labels, func(l string) bool { return l == r.PathValue("name") })
}

// requireBodies checks the comments in the forge.
func (f *forge) requireBodies(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, c := range f.comments {
		got = append(got, c.Body)
	}
	require.Equal(t, strings.Join(want, "\n---\n"), strings.Join(got, "\n---\n"))
}
