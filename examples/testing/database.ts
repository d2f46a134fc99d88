import { Endpoint } from "pulumi-compute-endpoint";

/** A Pulumi program of your own. `index.ts` of your project would export what it returns. */
export async function database(projectId: string, branchId: string, largestCu: number) {
  const primary = new Endpoint("primary", {
    projectId,
    branchId,
    adopt: true,
    autoscalingLimitMinCu: 1,
    autoscalingLimitMaxCu: largestCu,
  });
  return { host: primary.host };
}
