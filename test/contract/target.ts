/** Where the suite runs: on an emulator, or on a service that somebody has named in the environment. */
import { randomBytes } from "node:crypto";
import { startEmulator } from "../../emulator/index.js";

export interface Target {
  url: string;
  apiKey: string;
  /** Not the emulator that the suite itself has started. */
  real: boolean;
  /** Milliseconds between two looks at an operation. */
  pollMs: number;
  /** The project to work in; without it the suite makes one of its own. */
  projectId?: string;
  /** Where a project of its own is made, for a key that needs to be told. */
  orgId?: string;
  close(): Promise<void>;
}

const PREFIX = "compute-endpoint-contract";

/** What the suite makes is called so, for people who find it. */
export const ownName = (): string => `${PREFIX}-${Date.now().toString(36)}-${randomBytes(3).toString("hex")}`;

const POLL_MS = { emulator: 20, real: 1_000 };
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** The service that the environment names, if it does; an error that says what is wrong with how it does. */
export function namedTarget(env: NodeJS.ProcessEnv): Target | undefined {
  const { CONTRACT_BASE_URL: given, CONTRACT_API_KEY: apiKey, CONTRACT_PROJECT_ID, CONTRACT_ORG_ID } = env;
  if (!given && !apiKey) return undefined;
  if (!given || !apiKey) {
    throw new Error(`${given ? "CONTRACT_API_KEY" : "CONTRACT_BASE_URL"} is missing: the two go together`);
  }
  if (env["CI"] && env["CI"] !== "false") {
    throw new Error(
      "CONTRACT_BASE_URL is set in CI: the contract suite makes and deletes computes on the service that it names, " +
        "so it is only run by hand. Take the variable away, and it runs on the emulator.",
    );
  }
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const safe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.has(url.hostname));
  if (!safe) throw new Error("CONTRACT_BASE_URL is to be https://…/v2, or http: on this machine");
  return {
    url: given.replace(/\/+$/, ""),
    apiKey,
    real: true,
    pollMs: url.protocol === "https:" ? POLL_MS.real : POLL_MS.emulator,
    ...(CONTRACT_PROJECT_ID ? { projectId: CONTRACT_PROJECT_ID } : {}),
    ...(CONTRACT_ORG_ID ? { orgId: CONTRACT_ORG_ID } : {}),
    close: async () => {},
  };
}

async function emulated(): Promise<Target> {
  const { url, apiKey, close } = await startEmulator({ operationMs: 50 });
  return { url, apiKey, real: false, pollMs: POLL_MS.emulator, close };
}

export const chooseTarget = async (env: NodeJS.ProcessEnv): Promise<Target> => namedTarget(env) ?? emulated();

/** Said before the first request. */
export function announcement({ url, projectId }: Target, name: string): string {
  const made = projectId
    ? `branches named ${name} and ${name}-late in the project ${projectId}, and changes nothing else of it`
    : `a project named ${name}`;
  return `
The contract suite runs on ${url}, with the key of CONTRACT_API_KEY.
It makes ${made}; in it branches with computes of at most 1 CU, which it changes,
suspends, restarts and deletes; and it deletes what it has made, also when a test fails. This takes some minutes and
costs a few minutes of compute. If it is killed, delete ${name} yourself.
`;
}
