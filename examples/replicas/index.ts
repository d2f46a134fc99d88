import * as pulumi from "@pulumi/pulumi";
import { Endpoint } from "pulumi-compute-endpoint";
import { AppConfig } from "./app-config";

const config = new pulumi.Config();
const projectId = config.require("projectId");
const branchId = config.require("branchId");

// A branch has one primary, and a new project has it already: take it over. See examples/basic.
const primary = new Endpoint("primary", {
  projectId,
  branchId,
  adopt: true,
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 4,
});

// Read replicas can be as many as you like, and smaller. No `dependsOn` is needed: the computes of a branch take
// one change at a time, and the provider waits for its turn.
const replicas = ["reports", "search"].map(
  (name) =>
    new Endpoint(name, {
      projectId,
      branchId,
      type: "read_only",
      autoscalingLimitMinCu: 0.25,
      autoscalingLimitMaxCu: 1,
      // After five minutes without a query it suspends, and starts again with the next one.
      suspendTimeoutSeconds: 300,
    }),
);

// Hosts stay the same through every update, so resizing a compute shows no change here: not in the preview either.
const app = new AppConfig("app", {
  host: primary.poolerHost,
  readHosts: replicas.map((replica) => replica.host),
});

export const host = primary.host;
export const readHosts = replicas.map((replica) => replica.host);
export const appEnv = app.env;
