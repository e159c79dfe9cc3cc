package main

import (
	"fmt"
	"time"
)

// realPath has the measurements of Argo CD's own servers. It is empty if they
// were not requested.
type realPath struct {
	Version    string       // of Argo CD
	Work       string       // file system of the servers' directories
	Ways       []*rendering // the same objects, by the plugin and by Argo CD itself
	CMPServer  []*rendering // fleets, one Application each, through cmp-server
	RepoServer []*rendering // Applications of one repository, through repo-server
	Refreshed  []refreshed  // many Applications of one repository, after a commit
}

// Calls returns the table of renderings through cmp-server.
func (p realPath) Calls() string {
	if len(p.CMPServer) == 0 {
		return notMeasured
	}
	rows := make([][]string, len(p.CMPServer))
	for i, r := range p.CMPServer {
		plugin, own := of(r, plugin), of(r, cmpServer)
		rows[i] = []string{
			thousands(r.Size), seconds(of(r, wall)), seconds(plugin), seconds(own), percent(plugin, plugin+own),
			number(float64(of(r, peak)) / (1 << 20)), number(float64(of(r, message)) / (1 << 20)),
		}
	}
	return table([]string{
		"VMs", "wall s", "CPU s of vmrender-cmp", "CPU s of cmp-server", "vmrender's share", "peak MiB of cmp-server", "answer MiB",
	}, rows)
}

// Applications returns the table of ways to divide a repository into Applications.
func (p realPath) Applications() string {
	if len(p.RepoServer) == 0 {
		return notMeasured
	}
	rows := make([][]string, len(p.RepoServer))
	for i, r := range p.RepoServer {
		total := of(r, answer.all)
		rows[i] = []string{
			thousands(r.Size), thousands(r.Applications), thousands(r.Fleets), written(r.Layout),
			seconds(of(r, wall)), seconds(of(r, plugin)), seconds(of(r, cmpServer)), seconds(of(r, answer.repo)),
			seconds(total * time.Duration(r.Applications)),
			number(float64(of(r, message)) / (1 << 20)), number(float64(of(r, status)) / (1 << 20)),
		}
	}
	return table([]string{
		"VMs per Application", "Applications", "fleets", "VMs per file",
		"wall s", "CPU s of vmrender-cmp", "of cmp-server", "of repo-server and git", "CPU s, all Applications",
		"manifests MiB", "status MiB",
	}, rows)
}

func wall(a answer) time.Duration       { return a.Wall }
func plugin(a answer) time.Duration     { return a.Plugin }
func cmpServer(a answer) time.Duration  { return a.CMPServer }
func repoServer(a answer) time.Duration { return a.RepoServer }
func peak(a answer) int64               { return a.Peak }
func repoPeak(a answer) int64           { return a.RepoPeak }
func message(a answer) int64            { return a.Message }
func status(a answer) int64             { return a.Status }

// written returns the number of virtual machines of an estate per file.
func written(spread layout) string {
	if spread == oneFile {
		return "100"
	}
	return "1"
}

func percent(part, whole time.Duration) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}
