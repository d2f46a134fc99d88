import pulumi
import pulumi_compute as compute

config = pulumi.Config()
project_id = config.require("projectId")
branch_id = config.require("branchId")

# A branch has one primary, and a new project has it already: take it over.
primary = compute.Endpoint(
    "primary",
    project_id=project_id,
    branch_id=branch_id,
    adopt=True,
    autoscaling_limit_min_cu=1,
    autoscaling_limit_max_cu=4,
)

# Read replicas can be as many as you like, and smaller. They need no depends_on: the computes of a branch take one change
# at a time, and the provider waits for its turn.
replicas = [
    compute.Endpoint(
        name,
        project_id=project_id,
        branch_id=branch_id,
        type="read_only",
        autoscaling_limit_min_cu=0.25,
        autoscaling_limit_max_cu=1,
        # After five minutes without a query it suspends, and starts again with the next one.
        suspend_timeout_seconds=300,
    )
    for name in ["reports", "search"]
]

read_hosts = [replica.host for replica in replicas]
pulumi.export("host", primary.host)
pulumi.export("readHosts", read_hosts)
# Hosts stay the same through every update, so resizing a compute shows no change here: not in the preview either.
pulumi.export("appEnv", {
    "DATABASE_HOST": primary.pooler_host,
    "DATABASE_READ_HOSTS": pulumi.Output.all(*read_hosts).apply(",".join),
})
