package main

import (
	"example.com/pulumi-compute/sdk/go/compute"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")
		projectID := pulumi.String(settings.Require("projectId"))
		branchID := pulumi.String(settings.Require("branchId"))

		// A branch has one primary, and a new project has it already: take it over.
		primary, err := compute.NewEndpoint(ctx, "primary", &compute.EndpointArgs{
			ProjectId:             projectID,
			BranchId:              branchID,
			Adopt:                 pulumi.Any(true),
			AutoscalingLimitMinCu: pulumi.Float64(1),
			AutoscalingLimitMaxCu: pulumi.Float64(4),
		})
		if err != nil {
			return err
		}

		// Read replicas can be as many as you like, and smaller. They need no DependsOn: the computes of a branch take
		// one change at a time, and the provider waits for its turn.
		readHosts := pulumi.StringArray{}
		for _, name := range []string{"reports", "search"} {
			replica, err := compute.NewEndpoint(ctx, name, &compute.EndpointArgs{
				ProjectId:             projectID,
				BranchId:              branchID,
				Type:                  pulumi.String("read_only"),
				AutoscalingLimitMinCu: pulumi.Float64(0.25),
				AutoscalingLimitMaxCu: pulumi.Float64(1),
				// After five minutes without a query it suspends, and starts again with the next one.
				SuspendTimeoutSeconds: pulumi.Int(300),
			})
			if err != nil {
				return err
			}
			readHosts = append(readHosts, replica.Host)
		}

		ctx.Export("host", primary.Host)
		ctx.Export("readHosts", readHosts)
		// Hosts stay the same through every update, so resizing a compute shows no change here: not in the preview either.
		ctx.Export("appEnv", pulumi.StringMap{
			"DATABASE_HOST":       primary.PoolerHost,
			"DATABASE_READ_HOSTS": pulumi.Sprintf("%s,%s", readHosts[0], readHosts[1]),
		})
		return nil
	})
}
