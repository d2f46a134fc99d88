import { PolicyPack } from "@pulumi/policy";
import { computePolicies } from "pulumi-compute-endpoint/policy";

new PolicyPack("computes", {
  policies: [
    // In production, a change that restarts or stops a compute, or gives it a new host, fails.
    ...computePolicies({
      name: "production",
      restart: "mandatory",
      stop: "mandatory",
      newHost: "mandatory",
      stacks: ["*/prod"],
    }),
    // In all other stacks, such a change only causes a warning.
    ...computePolicies({ exceptStacks: ["*/prod"] }),
  ],
});
