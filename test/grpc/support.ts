import { afterAll, afterEach } from "vitest";
import { type EmulatorOptions, type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { type FakeEngine, startFakeEngine } from "./fake-engine";
import { programFolder, Shim } from "./shim";

/** A secret that must turn up nowhere. */
export const KEY = "napi_a_key_that_nobody_may_see";
export const PROJECT = SEED.projectId;
/** A branch without a compute. */
export const BRANCH = SEED.branches.dev;

export interface Rig {
  emulator: RunningEmulator;
  engine: FakeEngine;
  shim: Shim;
  /** A process of a further command, which has an engine of its own, against the same service. */
  again(config?: Record<string, string>): Promise<Shim>;
  /** A further process of the first one's engine: each `Provider` instance has one. */
  beside(config?: Record<string, string>): Promise<Shim>;
  /** What the provider wants for the emulator. */
  config: Record<string, string>;
  /** Requests as "GET /projects/…/endpoints 200", and forgets them. */
  requests(): string[];
}

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Emulator, engine and provider process, each on real sockets; all end with the test. */
export async function rig(options: EmulatorOptions = {}, config: Record<string, string> = {}): Promise<Rig> {
  const emulator = await startEmulator({ apiKey: KEY, operationMs: 150, ...options });
  open.push(() => emulator.close());
  const engine = await startFakeEngine();
  open.push(() => engine.kill());
  const path = await folder();
  const defaults = { "compute:apiKey": KEY, "compute:apiUrl": emulator.url, "compute:pollSeconds": "0.2", ...config };
  const startedBy = async ({ address }: FakeEngine, config: Record<string, string> = defaults) => {
    const shim = await Shim.start({ engine: address, folder: path });
    open.push(() => shim.close());
    await shim.configure(config);
    return shim;
  };
  const again = async (config?: Record<string, string>) => {
    const next = await startFakeEngine();
    open.push(() => next.kill());
    return startedBy(next, config);
  };
  const beside = (config?: Record<string, string>) => startedBy(engine, config);
  const requests = () =>
    emulator.requests.splice(0).map(({ method, path, status }) => `${method} ${path.split("?")[0]} ${status}`);
  return { emulator, engine, shim: await beside(), again, beside, config: defaults, requests };
}

let program: ReturnType<typeof programFolder> | undefined;
afterAll(async () => (await program)?.remove());

/** The program's folder, one for all tests of a file. */
export async function folder(): Promise<string> {
  program ??= programFolder();
  return (await program).path;
}

/** Closes something when the test ends. */
export function closing<T>(thing: T, close: (thing: T) => Promise<unknown>): T {
  open.push(() => close(thing));
  return thing;
}
