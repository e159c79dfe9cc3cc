// The schemas in yaml-language-server, as editors run it: kept apart because it needs Node.js.
module github.com/vmrender/vmrender/test/editor

go 1.26.0

require github.com/stretchr/testify v1.12.1

require go.yaml.in/yaml/v3 v3.0.5 // indirect
