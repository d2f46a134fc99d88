import * as pulumi from "@pulumi/pulumi";
import { Endpoint, getConnectionUriOutput } from "pulumi-compute-endpoint";
import { App } from "./app";

const config = new pulumi.Config();
const projectId = config.require("projectId");

// A branch has one primary, and a new project has it already: take it over. See examples/basic.
const primary = new Endpoint("primary", {
  projectId,
  branchId: config.require("branchId"),
  adopt: true,
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 4,
});

// Host, role and password in one. It is asked for when the compute is there, because the compute's id is needed for it, and
// it is a secret: encrypted in the state, hidden in what Pulumi prints.
const databaseUrl = (pooled: boolean) =>
  getConnectionUriOutput({
    projectId,
    endpointId: primary.id,
    databaseName: config.require("databaseName"),
    roleName: config.require("roleName"),
    pooled,
  });

const app = new App("app", {
  // Through the connection pooler, which takes up to 10,000 clients.
  databaseUrl: databaseUrl(true),
  // Straight to Postgres, for what a pooler can't carry: migrations, LISTEN, settings of a session.
  directUrl: databaseUrl(false),
});

/** Shown as `[secret]`; `pulumi stack output --show-secrets appEnv` shows it. */
export const appEnv = app.env;
