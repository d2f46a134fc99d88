/**
 * The table of previews (`test/engine/preview-table.test.ts`) through the plugin's gRPC methods: each kind of change shows the same step,
 * the same marker and the same line as in the class, and sends the same requests.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../../emulator/index.js";
import { type Args, lastMarker, otherBranch, type Phase, ROWS, size } from "../../engine/preview-rows";
import { addBranch, withoutSeen } from "../../engine/support";
import { replacesFor } from "../../support/lab/resource-options";
import type { Props } from "../shim";
import { folder, KEY, PROJECT } from "../support";
import { Plugin, type Said, secret, startEngineLog, UNKNOWN, urnOf } from "./plugin";

const NAMES = Object.keys(ROWS);
/** The plugin is not told the options, so it does not know whether the old compute stays. */
const inThePlugin = (text: string) =>
  text.replace("the old compute is deleted", "the old compute is deleted, unless the option retainOnDelete keeps it");

interface State {
  id: string;
  inputs: Props;
  outputs: Props;
}
interface Shown {
  op: string;
  marker: [old: unknown, next: unknown];
  said: Said[];
  host: unknown;
}

function argsOf(name: string, phase: Phase, changed: boolean): Props {
  const { before = size, after } = ROWS[name]!;
  const args: Args = { projectId: PROJECT, branchId: `br-${name}`, ...before(phase) };
  const all = changed ? { ...args, ...after(args) } : args;
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

describe("a preview of the plugin tells the truth", () => {
  let em: RunningEmulator;
  const said: Said[] = [];
  const state = new Map<string, State>();
  const shown: Record<Phase, Map<string, Shown>> = { calm: new Map(), restarted: new Map() };
  const sent = new Map<string, { line: string; body: unknown }[]>();
  const asked: Partial<Record<Phase, string[]>> = {};

  /** A process of the plugin, as each command has its own. */
  async function command<T>(work: (plugin: Plugin) => Promise<T>): Promise<T> {
    const engine = await startEngineLog(said);
    const plugin = await Plugin.start(engine.address, await folder());
    try {
      await plugin.configure({ apiKey: secret(KEY), apiUrl: em.url, pollSeconds: "0.2" });
      return await work(plugin);
    } finally {
      await plugin.close();
      await engine.kill();
    }
  }

  async function planned(plugin: Plugin, name: string, args: Props) {
    const { id, inputs: oldInputs, outputs } = state.get(name)!;
    const { inputs, failures } = await plugin.check(oldInputs, args, name);
    expect(failures).toEqual([]);
    const { changes, replaces, details } = await plugin.diff(id, outputs, inputs, { name, oldInputs });
    const { replaceOnChanges = [] } = ROWS[name]!.options ?? {};
    const isReplaced = replaces.length > 0 || replacesFor(replaceOnChanges as string[], Object.keys(details));
    if (!isReplaced) return { op: changes === "some" ? "update" : "same", inputs, details };
    return { op: "replace", inputs: (await plugin.check({}, args, name)).inputs, details };
  }

  const preview = (phase: Phase) =>
    command(async (plugin) => {
      em.requests.splice(0);
      for (const name of NAMES) {
        const { id, inputs: oldInputs, outputs } = state.get(name)!;
        const { op, inputs, details } = await planned(plugin, name, argsOf(name, phase, true));
        said.splice(0);
        let after = outputs;
        if (op === "update") after = await plugin.update(id, outputs, inputs, { name, oldInputs, preview: true });
        if (op === "replace") after = (await plugin.create(inputs, { name, preview: true })).outputs;
        const marker: Shown["marker"] = [
          oldInputs["restart"],
          op === "same" ? oldInputs["restart"] : inputs["restart"],
        ];
        shown[phase].set(name, { op, marker, said: said.splice(0), host: after["host"] });
        if (op === "update") expect(Object.keys(details)).toEqual(expect.arrayContaining(markedIn(marker)));
      }
      asked[phase] = em.requests.map(({ method, path }) => `${method} ${path}`);
    });

  const up = (argsFor: (name: string) => Props) =>
    command(async (plugin) => {
      for (const name of NAMES) {
        const old = state.get(name);
        em.requests.splice(0);
        if (!old) {
          const { inputs } = await plugin.check({}, argsFor(name), name);
          state.set(name, { ...(await plugin.create(inputs, { name })), inputs });
          continue;
        }
        const { id, outputs, inputs: oldInputs } = old;
        const { op, inputs } = await planned(plugin, name, argsFor(name));
        if (op === "update") {
          state.set(name, { id, inputs, outputs: await plugin.update(id, outputs, inputs, { name, oldInputs }) });
        } else if (op === "replace") {
          await plugin.delete(id, outputs, { name });
          state.set(name, { ...(await plugin.create(inputs, { name })), inputs });
        }
        const changes = em.requests.filter(({ method, status }) => method !== "GET" && status !== 423);
        sent.set(
          name,
          changes.map(({ method, path, body }) => ({ line: `${method} ${path}`, body })),
        );
      }
    });

  beforeAll(async () => {
    em = await startEmulator({ apiKey: KEY, operationMs: 20 });
    for (const name of NAMES) for (const id of [`br-${name}`, otherBranch(`br-${name}`)]) addBranch(em, id);
    await up((name) => argsOf(name, "calm", false));
    await preview("calm");
    await up((name) => argsOf(name, "restarted", false));
    await preview("restarted");
    const before = new Map(state);
    await up((name) => argsOf(name, "restarted", true));
    for (const [name, { outputs }] of before) hosts.set(name, [outputs["host"], state.get(name)!.outputs["host"]]);
    return () => em.close();
  });
  const hosts = new Map<string, [unknown, unknown]>();

  describe.each(["calm", "restarted"] as const)("%s", (phase) => {
    test("asks once how each project is right now", () => {
      const lists = [PROJECT, SEED.second.projectId].flatMap((project) => [`GET /projects/${project}/endpoints`]);
      expect(asked[phase]).toEqual(expect.arrayContaining(lists));
      expect(new Set(asked[phase]).size).toBe(asked[phase]!.length);
    });

    test.each(NAMES.map((name) => [ROWS[name]!.rule, name]))("%s", (_rule, name) => {
      const { op, says, warns, notes, does } = ROWS[name]!;
      const row = shown[phase].get(name)!;
      const text = says?.(phase);
      const next = text === undefined ? "no" : `${does === "may restart" ? "maybe" : "yes"}: ${inThePlugin(text)}`;
      const old = phase === "calm" ? "no" : lastMarker(name);
      expect(row.op).toBe(op);
      if (op !== "same") expect(row.marker).toEqual([old, next]);
      // What takes its value from the host stays as it is, unless there is a new host.
      const { host } = op === "replace" ? { host: UNKNOWN } : state.get(name)!.outputs;
      expect(row.host).toBe(host);

      const told = warns ?? text?.replace(" if it is active; open connections drop then", ". It is active");
      const id = String(row.said[0]?.message).split(":")[0]!;
      const warnings = row.said.filter(({ severity }) => severity === "warning");
      expect(warnings.map(({ urn }) => urn)).toEqual(told === undefined ? [] : [urnOf(name)]);
      if (told) {
        const { message } = warnings[0]!;
        expect(message).toContain(inThePlugin(told));
        expect(message).toMatch(/\[active at \S+Z\]$/);
        expect(withoutSeen(message)).toMatch(
          new RegExp(`^${id}: .* It is active.*: open connections drop( then)?\\.$`),
        );
      }
      const infos = row.said.filter(({ severity }) => severity === "info").map(({ message }) => withoutSeen(message));
      expect(infos).toEqual(notes === undefined ? [] : [notes]);
    });
  });

  test.each(NAMES.map((name) => [ROWS[name]!.rule, name]))("%s: the requests, and the host", (_rule, name) => {
    const { sends, op } = ROWS[name]!;
    const got = sent.get(name) ?? [];
    if (sends === "nothing") expect(got).toEqual([]);
    else if (sends === "DELETE and POST") expect(got.map(({ line }) => line.split(" ")[0])).toEqual(["DELETE", "POST"]);
    else expect(got).toEqual([{ line: expect.stringMatching(/^PATCH/), body: { endpoint: sends } }]);
    const [was, is] = hosts.get(name)!;
    if (op === "replace") expect(is).not.toBe(was);
    else expect(is).toBe(was);
  });
});

const markedIn = ([old, next]: Shown["marker"]): string[] => (old === next ? [] : ["restart"]);
