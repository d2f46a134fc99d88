// A dynamic provider as it is often written: a class that Pulumi serialises, a request for each read, a poll every five
// seconds, and up to 300 tries after any error.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";

interface ComputeArgs {
  projectId: string;
  branchId: string;
  autoscalingLimitMinCu?: number;
  autoscalingLimitMaxCu?: number;
  suspendTimeoutSeconds?: number;
}

/** The parts of an answer that this provider reads. */
interface Answer {
  endpoint: {
    id: string;
    host: string;
    region_id: string;
    autoscaling_limit_min_cu: number;
    autoscaling_limit_max_cu: number;
    suspend_timeout_seconds: number;
  };
  operation: { status: string };
  operations: { id: string }[];
}

const POLL_MS = 5_000;
const RETRY_MS = 1_000;
const TRIES = 300;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function request(method: string, path: string, body?: unknown): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      const response = await fetch(`${process.env["COMPUTE_API_URL"]}${path}`, {
        method,
        headers: { authorization: `Bearer ${process.env["COMPUTE_API_KEY"]}`, "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${method} ${path} failed: ${response.status} ${await response.text()}`);
      return (response.status === 204 ? {} : await response.json()) as Answer;
    } catch (error) {
      if (tries === TRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function waitFor(projectId: string, operations: { id: string }[]) {
  for (const { id } of operations) {
    for (;;) {
      const { operation } = await request("GET", `/projects/${projectId}/operations/${id}`);
      if (operation.status === "finished") break;
      if (operation.status === "failed" || operation.status === "error") throw new Error(`operation ${id} failed`);
      await sleep(POLL_MS);
    }
  }
}

const bodyOf = (args: ComputeArgs) => ({
  endpoint: {
    branch_id: args.branchId,
    type: "read_write",
    autoscaling_limit_min_cu: args.autoscalingLimitMinCu,
    autoscaling_limit_max_cu: args.autoscalingLimitMaxCu,
    suspend_timeout_seconds: args.suspendTimeoutSeconds,
  },
});

class ComputeProvider implements pulumi.dynamic.ResourceProvider {
  async diff(_id: string, olds: ComputeArgs, news: ComputeArgs) {
    const names = [
      "projectId",
      "branchId",
      "autoscalingLimitMinCu",
      "autoscalingLimitMaxCu",
      "suspendTimeoutSeconds",
    ] as const;
    const changed = names.filter((name) => olds[name] !== news[name]);
    return {
      changes: changed.length > 0,
      replaces: changed.filter((name) => name === "projectId" || name === "branchId"),
      deleteBeforeReplace: true,
    };
  }

  async create(args: ComputeArgs) {
    const { endpoint, operations } = await request("POST", `/projects/${args.projectId}/endpoints`, bodyOf(args));
    await waitFor(args.projectId, operations);
    return { id: endpoint.id, outs: { ...args, host: endpoint.host, regionId: endpoint.region_id } };
  }

  async read(id: string, props: ComputeArgs) {
    const { endpoint } = await request("GET", `/projects/${props.projectId}/endpoints/${id}`);
    return {
      id,
      props: {
        ...props,
        autoscalingLimitMinCu: endpoint.autoscaling_limit_min_cu,
        autoscalingLimitMaxCu: endpoint.autoscaling_limit_max_cu,
        suspendTimeoutSeconds: endpoint.suspend_timeout_seconds,
        host: endpoint.host,
        regionId: endpoint.region_id,
      },
    };
  }

  async update(id: string, _olds: ComputeArgs, news: ComputeArgs) {
    const { endpoint, operations } = await request(
      "PATCH",
      `/projects/${news.projectId}/endpoints/${id}`,
      bodyOf(news),
    );
    await waitFor(news.projectId, operations);
    return { outs: { ...news, host: endpoint.host, regionId: endpoint.region_id } };
  }

  async delete(id: string, props: ComputeArgs) {
    const { operations } = await request("DELETE", `/projects/${props.projectId}/endpoints/${id}`);
    await waitFor(props.projectId, operations ?? []);
  }
}

class Compute extends pulumi.dynamic.Resource {
  declare readonly host: pulumi.Output<string>;
  constructor(name: string, args: ComputeArgs, opts?: pulumi.CustomResourceOptions) {
    super(new ComputeProvider(), name, { host: undefined, regionId: undefined, ...args }, opts);
  }
}

const fleet: { name: string; args: ComputeArgs }[] = JSON.parse(readFileSync(join(__dirname, "fleet.json"), "utf8"));
for (const { name, args } of fleet) new Compute(name, args);
