// Package revision reads the files of a commit of a Git repository into a private
// temporary directory, from which they can be rendered. It reads objects only: it
// changes neither the work tree nor anything under .git, and runs no program that the
// repository names, such as hooks, filters and monitors of the file system.
//
// A revision is anything that names a commit for Git, such as "main", "v1.2" or "HEAD~3".
// "main..." is the merge base of main and the other side, as for `git diff main...`.
// "worktree" is not a commit, but the files as they are.
package revision
