module github.com/vmrender/vmrender/test/impact/judge/kubevirt

go 1.26.0
