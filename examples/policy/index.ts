import { PolicyPack } from "@pulumi/policy";
import { computePolicies } from "pulumi-compute-endpoint/policy";

new PolicyPack("computes", {
  policies: [
    // In production nothing restarts, stops or moves by a change of a program…
    ...computePolicies({
      name: "production",
      restart: "mandatory",
      stop: "mandatory",
      newHost: "mandatory",
      stacks: ["*/prod"],
    }),
    // … and everywhere else it is said.
    ...computePolicies({ exceptStacks: ["*/prod"] }),
  ],
});
