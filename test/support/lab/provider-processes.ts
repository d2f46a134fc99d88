// The provider processes of one command: each `Provider` instance has its own.

import type { Emulator } from "../../../emulator/index.js";
import type { ProviderConfig } from "../../../provider/config.js";
import type { Ownership, Sharing } from "../../../provider/endpoint/ownership.js";
import type { VirtualClock } from "../virtual-clock.js";
import type { Processes } from "./engine.js";
import type { Form, Surface } from "./form.js";
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
  surface: Surface;
  isPreview: boolean;
}

/** Starts the process of an instance when it is first asked for. */
export function providerProcesses(options: ProcessOptions): Processes {
  const started = new Map<string | undefined, { form: Form; ownership: Ownership }>();
  return (provider) => {
    const known = started.get(provider);
    if (known) return known.form;
    const process = startProcess(options, provider);
    process.ownership.share(sharingOf(String(provider), process.ownership, started));
    started.set(provider, process);
    return process.form;
  };
}

function startProcess(options: ProcessOptions, instance: string | undefined): { form: Form; ownership: Ownership } {
  const { apiKey, between, clock, emulator, instances, life, run, config = {}, surface, isPreview } = options;
  const ownKey = instance === undefined ? apiKey : instances[instance];
  if (ownKey === undefined) throw new Error(`the lab has no key for the instance ${instance}`);
  return surface.start({
    ...{ instance, apiKey: ownKey, baseUrl: BASE_URL, config, isPreview, run },
    clock: life.clock(clock),
    transport: life.transport(networkTo(emulator, clock, BASE_URL, run.sent, between)),
    cancellation: life.cancellation,
  });
}

/** What the provider processes of a run tell each other, without sockets. */
function sharingOf(
  name: string,
  ownership: Ownership,
  others: ReadonlyMap<string | undefined, { ownership: Ownership }>,
): Sharing {
  const exchange = async () => {
    for (const [other, process] of others) {
      if (process.ownership === ownership) continue;
      process.ownership.hear(name, ownership.facts);
      ownership.hear(String(other), process.ownership.facts);
    }
  };
  return { exchange, exchangeSoon: () => void exchange() };
}
