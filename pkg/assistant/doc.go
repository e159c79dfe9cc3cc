// Package assistant serves the commands that only read to assistants, over the Model Context Protocol. A tool is a row
// of a table: its named fields become the arguments of a command, and never its flags. All paths are below one
// directory.
package assistant
