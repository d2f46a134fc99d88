import { Endpoint } from "pulumi-compute-endpoint";

const projectId = "quiet-meadow-40718263";
const branchId = "br-copper-lagoon-a5n7v3hd";

// The branch has a primary already: it is taken over.
const primary = new Endpoint("primary", {
  projectId,
  branchId,
  adopt: true,
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 2,
  suspendTimeoutSeconds: 300,
});

// A read replica is created.
const replica = new Endpoint("replica", {
  projectId,
  branchId,
  type: "read_only",
  size: 0.5,
});

export const host = primary.host;
export const replicaHost = replica.host;
export const memoryGb = primary.capacity.memoryGb;
