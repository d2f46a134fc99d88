import * as pulumi from "@pulumi/pulumi";
import { Endpoint } from "pulumi-compute-endpoint";

// The key is not here: it comes from COMPUTE_API_KEY, or from the stack's secret `compute:apiKey`.
const config = new pulumi.Config();

const primary = new Endpoint("primary", {
  projectId: config.require("projectId"),
  branchId: config.require("branchId"),

  // A new project has its primary already. Take it over, rather than fail because there is one: its id and its host
  // stay as they are, and `pulumi destroy` lets go of it instead of deleting it.
  adopt: true,

  // Scales between the two by itself, without a restart. Changing either of them restarts the compute: the preview
  // says so before anything happens.
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 4,
});

/** Where to connect. It stays the same through every update. */
export const host = primary.host;

/** The same behind the connection pooler, for many short-lived clients. */
export const poolerHost = primary.poolerHost;

/** What the size gives: vCPU, memory, connections. */
export const capacity = primary.capacity;
