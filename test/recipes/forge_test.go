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

// comment is a comment on a pull request.
type comment struct {
	id     int
	author int
	body   string
}

// forge is the part of the APIs of GitHub, GitLab and Gitea that recipes use. It accepts no request without the token.
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
	login = "bot[bot]"
)

// dialect is how the APIs differ.
type dialect struct {
	limit  int // of characters in a comment; 0 for none
	pages  bool
	others bool // whether the token can change the comments of other users
	author string
	name   string
}

var (
	gitHub = dialect{limit: 65_536, pages: true, author: "user", name: "login"}
	gitLab = dialect{limit: 1_000_000, pages: true, author: "author", name: "username"}
	// Gitea lists all comments, stores bodies of any length (go-gitea/gitea 000d87efe1, ListIssueComments and
	// editIssueComment in routers/api/v1/repo/issue_comment.go), and accepts "Bearer" (services/auth/oauth2.go).
	gitea = dialect{others: true, author: "user", name: "login"}
)

func newForge(t *testing.T) *forge {
	t.Helper()
	f := &forge{}
	mux := http.NewServeMux()
	for prefix, d := range map[string]dialect{"/repos/o/r": gitHub, "/api/v1/repos/o/r": gitea} {
		mux.HandleFunc("GET "+prefix+"/issues/7/comments", f.list(d))
		mux.HandleFunc("POST "+prefix+"/issues/7/comments", f.create(d))
		mux.HandleFunc("PATCH "+prefix+"/issues/comments/{id}", f.update(d))
	}
	mux.HandleFunc("GET /repos/o/r/issues/7/labels", f.listLabels)
	mux.HandleFunc("POST /repos/o/r/issues/7/labels", f.addLabels)
	mux.HandleFunc("DELETE /repos/o/r/issues/7/labels/{name}", f.removeLabel)
	mux.HandleFunc("GET /user", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"id": me, "username": login})
	})
	mux.HandleFunc("GET /projects/3/merge_requests/7/notes", f.list(gitLab))
	mux.HandleFunc("POST /projects/3/merge_requests/7/notes", f.create(gitLab))
	mux.HandleFunc("PUT /projects/3/merge_requests/7/notes/{id}", f.update(gitLab))
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+token {
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

// add adds a comment of a user.
func (f *forge) add(author int, body string) {
	f.comments = append(f.comments, comment{100 + len(f.comments), author, body})
}

func (f *forge) list(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page, shown := 1, f.comments
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
		if d.pages {
			start := min((page-1)*100, len(shown))
			shown = shown[start:min(start+100, len(shown))]
		}
		out := []map[string]any{}
		for _, c := range shown {
			name := map[int]string{me: login}[c.author]
			out = append(out, map[string]any{"id": c.id, "body": c.body, d.author: map[string]any{"id": c.author, d.name: name}})
		}
		reply(w, out)
	}
}

// body returns the comment in a request.
func (d dialect) body(w http.ResponseWriter, r *http.Request) (string, bool) {
	var in struct{ Body string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return "", false
	}
	if in.Body == "" || d.limit > 0 && len([]rune(in.Body)) > d.limit {
		http.Error(w, "body is too long or empty", http.StatusUnprocessableEntity)
		return "", false
	}
	return in.Body, true
}

func (f *forge) create(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if text, ok := d.body(w, r); ok {
			f.add(me, text)
			w.WriteHeader(http.StatusCreated)
		}
	}
}

func (f *forge) update(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		i := slices.IndexFunc(f.comments, func(c comment) bool { return fmt.Sprint(c.id) == r.PathValue("id") })
		if i < 0 || f.comments[i].author != me && !d.others {
			http.Error(w, "not yours", http.StatusForbidden)
			return
		}
		if text, ok := d.body(w, r); ok {
			f.comments[i].body = text
		}
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
		got = append(got, c.body)
	}
	require.Equal(t, strings.Join(want, "\n---\n"), strings.Join(got, "\n---\n"))
}
