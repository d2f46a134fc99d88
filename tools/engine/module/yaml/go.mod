module compute-endpoint-yaml-host

go 1.26.6

require github.com/pulumi/pulumi-yaml v1.25.0
