// Writes a Stack object of the Pulumi Kubernetes Operator (version 2) for each project of projects.json:
//   node stacks.mjs > stacks.yaml
import { readFileSync } from "node:fs";

/** How many stacks the operator lets work at the same time: MAX_CONCURRENT_RECONCILES in its environment, 25 if it is not set. */
const AT_ONCE = 5;
/** What the service allows one account, for all of its keys. */
const REQUESTS_PER_MINUTE = 700;

// All stacks run the same commit. It is not a branch, so that each change of it is reviewed.
const COMMIT = "3b1f0c5d9a7e4f2b8c6d1e0a5f4b3c2d1e0f9a8b";

const ON_RESTART = ["allow", "warn", "refuse"];

const projects = JSON.parse(readFileSync(new URL("projects.json", import.meta.url), "utf8"));
const share = Math.floor(REQUESTS_PER_MINUTE / AT_ONCE);
const names = new Set();

const objects = projects.map(({ name, projectId, branchId, onRestart = "refuse" }) => {
  for (const [key, value] of Object.entries({ name, projectId, branchId })) {
    if (typeof value !== "string" || value === "") throw new Error(`a project without ${key}`);
  }
  // `name` is used for the Kubernetes object and for the Pulumi stack. If two projects had the same name, the second would take over the
  // first one's stack.
  if (!/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/.test(name)) throw new Error(`no name for a stack: ${name}`);
  // Anything else would be refused only in `pulumi up`, or add config of its own.
  if (!ON_RESTART.includes(onRestart)) {
    throw new Error(`onRestart of ${name} is ${JSON.stringify(onRestart)}: use ${ON_RESTART.join(", ")}`);
  }
  if (names.has(name)) throw new Error(`two projects are called ${name}`);
  names.add(name);
  return `apiVersion: pulumi.com/v1
kind: Stack
metadata:
  name: computes-${name}
  namespace: computes
spec:
  serviceAccountName: computes
  stack: acme/compute-basic/${name}
  projectRepo: https://github.com/acme/infra
  repoDir: basic
  commit: ${COMMIT}
  config:
    compute:onRestart: ${onRestart}
    compute:requestsPerMinute: "${share}"
    compute-basic:projectId: ${JSON.stringify(projectId)}
    compute-basic:branchId: ${JSON.stringify(branchId)}
  retryMaxBackoffDurationSeconds: 3600
  destroyOnFinalize: false
  envRefs:
    PULUMI_ACCESS_TOKEN:
      type: Secret
      secret:
        name: pulumi
        key: accessToken
    COMPUTE_API_KEY:
      type: Secret
      secret:
        name: compute
        key: apiKey
  workspaceTemplate:
    spec:
      image: pulumi/pulumi:3.254.0-nonroot
`;
});

process.stdout.write(`# Written by stacks.mjs from projects.json.\n${objects.join("---\n")}`);
