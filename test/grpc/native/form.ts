/** The plugin behind the interface of the shim, so that the same judges can judge both. */
import { afterEach } from "vitest";
import { type EmulatorOptions, startEmulator } from "../../../emulator/index.js";
import { millisecondsOf } from "../../../provider/endpoint/inputs.js";
import type { Props, Registered, Shim } from "../shim";
import type { Rig } from "../support";
import { Plugin, secret, startEngineLog } from "./plugin";

type Timeouts = Record<"create" | "update" | "delete", string | undefined>;

/** Only what the engine would send to a plugin: a time limit and secrets are no inputs there. */
class NativeForm implements Pick<Shim, "create" | "read" | "update" | "delete" | "cancel" | "close"> {
  constructor(private readonly plugin: Plugin) {}

  get child() {
    return this.plugin.child;
  }
  get output() {
    return this.plugin.output;
  }
  get ended() {
    return this.plugin.ended;
  }
  get alive() {
    return this.plugin.alive;
  }
  get said(): string {
    return this.output.stdout.replace(/^\d+\n/, "");
  }

  create(news: Props, { timeout }: Registered = {}) {
    return this.plugin.create(onTheWire(news), { timeout: timeout ?? secondsOf(news, "create") });
  }
  read(id: string, state: Props) {
    return this.plugin.read(id, onTheWire(state), {});
  }
  update(id: string, olds: Props, news: Props, { timeout }: Registered = {}) {
    const step = { timeout: timeout ?? secondsOf(news, "update") };
    return this.plugin.update(id, onTheWire(olds), onTheWire(news), step);
  }
  delete(id: string, state: Props, { timeout }: Registered = {}) {
    return this.plugin.delete(id, onTheWire(state), { timeout: timeout ?? secondsOf(state, "delete") });
  }
  check(olds: Props, news: Props) {
    return this.plugin.check(onTheWire(olds), onTheWire(news));
  }
  diff(id: string, olds: Props, news: Props) {
    return this.plugin.diff(id, onTheWire(olds), onTheWire(news));
  }
  cancel() {
    return this.plugin.cancel();
  }
  close() {
    return this.plugin.close();
  }
}

function onTheWire({ customTimeouts: _, __secret: names = [], ...props }: Props): Props {
  const hidden = new Set(names as string[]);
  return Object.fromEntries(
    Object.entries(props).map(([name, value]) => [name, hidden.has(name) ? secret(value) : value]),
  );
}

/** The provider to which the plugin's engine hands what the shim has as the stack's config. */
function providerOf(config: Record<string, string>): { name: string | undefined; args: Record<string, string> } {
  const values = Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name.replace("compute:", ""), value]),
  );
  const { instance, instanceApiKey, instanceApiUrl, ...args } = values;
  if (instance === undefined) return { name: undefined, args };
  return { name: instance, args: { ...args, apiKey: instanceApiKey ?? "", apiUrl: instanceApiUrl ?? "" } };
}

const secondsOf = ({ customTimeouts }: Props, step: keyof Timeouts): number =>
  (millisecondsOf((customTimeouts as Timeouts | undefined)?.[step]) ?? 0) / 1000;

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** What the shim's tests share. It is handed over, since the judges' tests put this file in its place. */
type Support = Pick<typeof import("../support"), "folder" | "KEY">;

/** `rig` of the shim's tests, for the plugin. */
export const nativeRig =
  (support: Support) =>
  (options: EmulatorOptions = {}, config: Record<string, string> = {}): Promise<Rig> =>
    startRig(support, options, config);

async function startRig(
  { folder, KEY }: Support,
  options: EmulatorOptions,
  config: Record<string, string>,
): Promise<Rig> {
  const emulator = await startEmulator({ apiKey: KEY, operationMs: 150, ...options });
  open.push(() => emulator.close());
  const defaults = { "compute:apiKey": KEY, "compute:apiUrl": emulator.url, "compute:pollSeconds": "0.2", ...config };
  const startedBy = async (address: string, own: Record<string, string> = defaults) => {
    const plugin = await Plugin.start(address, await folder());
    open.push(() => plugin.close());
    const { name, args } = providerOf(own);
    await plugin.configure(args, name);
    return new NativeForm(plugin) as unknown as Shim;
  };
  const engine = await startEngineLog();
  open.push(engine.kill);
  const again = async (own?: Record<string, string>) => {
    const next = await startEngineLog();
    open.push(next.kill);
    return startedBy(next.address, own);
  };
  const requests = () =>
    emulator.requests.splice(0).map(({ method, path, status }) => `${method} ${path.split("?")[0]} ${status}`);
  const beside = (own?: Record<string, string>) => startedBy(engine.address, own);
  return { emulator, engine, shim: await beside(), again, beside, config: defaults, requests };
}
