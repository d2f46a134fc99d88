// The provider processes of one command: each `Provider` instance has its own.

import type { Emulator } from "../../../emulator/index.js";
import { type ProviderConfig, readConfig } from "../../../provider/config.js";
import { OldInputs } from "../../../provider/endpoint/old-inputs.js";
import { Ownership, type Sharing } from "../../../provider/endpoint/ownership.js";
import type { Process } from "../../../provider/endpoint/process.js";
import { Rollout } from "../../../provider/endpoint/rollout.js";
import { createContext } from "../../../provider/operations/create-context.js";
import type { VirtualClock } from "../virtual-clock.js";
import type { Processes } from "./engine.js";
import { type Between, networkTo } from "./network.js";
import type { ProcessLife } from "./process-life.js";
import type { Run } from "./steps.js";

const BASE_URL = "https://service.test/api/v2";

export interface ProcessOptions {
  emulator: Emulator;
  clock: VirtualClock;
  life: ProcessLife;
  run: Run;
  apiKey: string;
  /** The keys of the program's `Provider` instances, by name. */
  instances: Readonly<Record<string, string>>;
  config?: Partial<ProviderConfig> | undefined;
  between?: Between | undefined;
}

/** Starts the process of an instance when it is first asked for. */
export function providerProcesses(options: ProcessOptions): Processes {
  const started = new Map<string | undefined, Process>();
  return (provider) => {
    const known = started.get(provider);
    if (known) return known;
    const process = startProcess(options, provider);
    process.ownership?.share(sharingOf(String(provider), process, started));
    started.set(provider, process);
    return process;
  };
}

function startProcess(options: ProcessOptions, provider: string | undefined): Process {
  const { apiKey, between, clock, emulator, instances, life, run } = options;
  const ownKey = provider === undefined ? apiKey : instances[provider];
  if (ownKey === undefined) throw new Error(`the lab has no key for the instance ${provider}`);
  const config = { ...readConfig({ get: () => undefined }, {}), ...options.config };
  const context = createContext({
    baseUrl: BASE_URL,
    apiKey: ownKey,
    keySource: "COMPUTE_API_KEY (environment)",
    clock: life.clock(clock),
    cancellation: life.cancellation,
    transport: life.transport(networkTo(emulator, clock, BASE_URL, run.sent, between)),
    log: (line) => run.said.push(line),
    requestsPerMinute: config.requestsPerMinute,
    pollSeconds: config.pollSeconds,
  });
  const warn = (line: string) => void run.warnings.push(line);
  const shared = { claimed: new Map<string, string>(), idsInState: new Set<string>(), ownership: new Ownership() };
  return { context, config, ...shared, oldInputs: new OldInputs(), rollout: new Rollout(), warn };
}

/** What the provider processes of a run tell each other, without sockets. */
function sharingOf(name: string, { ownership }: Process, others: ReadonlyMap<string | undefined, Process>): Sharing {
  const exchange = async () => {
    for (const [other, process] of others) {
      if (process.ownership === ownership) continue;
      process.ownership?.hear(name, ownership?.facts ?? []);
      ownership?.hear(String(other), process.ownership?.facts ?? []);
    }
  };
  return { exchange, exchangeSoon: () => void exchange() };
}
