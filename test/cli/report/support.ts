/** The command in process, and preview documents made by hand: small ones, of the form that the engine writes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exitOf } from "../../../cli/account";
import { reportCommand } from "../../../cli/commands/report";
import { ENDPOINT_TYPE, PROVIDER_TEXT } from "../../../sdk/literal";

export const FIXTURES = join(__dirname, "../../fixtures/previews");
export const fixture = (name: string): string => readFileSync(join(FIXTURES, name), "utf8");

export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
export const NOW = Date.parse("2026-05-04T12:00:00Z");

export interface Ran {
  code: number | undefined;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  terminal?: boolean;
  env?: NodeJS.ProcessEnv;
  stdinIsTerminal?: boolean;
  cwd?: string;
  nowMs?: number;
}

/** The command as `main` runs it. @param input what is piped in */
export async function report(
  args: readonly string[],
  input: string | Buffer = "",
  options: RunOptions = {},
): Promise<Ran> {
  const ran: Ran = { code: undefined, stdout: "", stderr: "" };
  const { terminal: isTTY = false, env = {}, stdinIsTerminal = false, cwd = "/nowhere", nowMs = NOW } = options;
  const stdin = () =>
    Object.assign(
      (async function* () {
        yield Buffer.from(input);
      })(),
      { isTTY: stdinIsTerminal },
    );
  const command = reportCommand({ stdin, cwd: () => cwd, nowMs: () => nowMs });
  const sink = (name: "stdout" | "stderr") => ({
    isTTY,
    write: (text: string) => {
      ran[name] += text;
    },
  });
  try {
    ran.code = await command.run([...args], {
      env,
      out: sink("stdout"),
      err: sink("stderr"),
      onInterrupt: () => () => {},
    });
  } catch (error) {
    ran.code = exitOf(error);
    ran.stderr += `${(error as Error).message}\n`;
  }
  return ran;
}

// biome-ignore lint/suspicious/noExplicitAny: documents are read as a consumer would read them
export type Parsed = any;

export async function inJson(input: unknown, args: readonly string[] = [], options?: RunOptions): Promise<Parsed> {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const { stdout, code } = await report(["--format", "json", ...args], text, options);
  const value = JSON.parse(stdout);
  if (value.exitCode !== code) throw new Error(`exit code ${code}, but the report says ${value.exitCode}`);
  return value;
}

/** The one compute of the report. */
export async function oneCompute(input: unknown, args: readonly string[] = [], options?: RunOptions): Promise<Parsed> {
  const { stacks } = await inJson(input, args, options);
  const all = stacks.flatMap(({ computes }: Parsed) => computes);
  if (all.length !== 1) throw new Error(`not one compute, but ${JSON.stringify(all)}`);
  return all[0];
}

type Props = Record<string, unknown>;

export const urnOf = (name: string, type = ENDPOINT_TYPE): string => `urn:pulumi:prod::shop::${type}::${name}`;
export const ROOT = { op: "same", urn: urnOf("shop-prod", "pulumi:pulumi:Stack"), detailedDiff: null };
export const BASE = { projectId: "quiet-meadow-40718263", branchId: "br-copper-lagoon-a5n7v3hd", size: 1 };

/** Outputs as the provider writes them for these inputs. */
export function outputsOf(inputs: Props, id = "ep-amber-field-a5x7w3rt"): Props {
  const { size = 1, autoscalingLimitMinCu = size, autoscalingLimitMaxCu = size } = inputs;
  return {
    disabled: false,
    settings: {},
    suspendTimeoutSeconds: 0,
    type: "read_write",
    adopted: false,
    host: `${id}.us-east-2.aws.neon.tech`,
    ...inputs,
    autoscalingLimitMinCu,
    autoscalingLimitMaxCu,
    restart: "no",
  };
}

export interface StepOptions {
  op?: string;
  name?: string;
  urn?: string;
  id?: string;
  type?: string;
  /** Inputs before and after; the notice is `restart`. */
  old?: Props;
  next?: Props;
  /** Where they are not what the old inputs say. */
  outputs?: Props;
  /** More of the old state, of the new state, and of the step. */
  oldMore?: Props;
  nextMore?: Props;
  more?: Props;
}

export function step(options: StepOptions = {}): Props {
  const { op = "update", name = "primary", type = ENDPOINT_TYPE, id = "ep-amber-field-a5x7w3rt", old, next } = options;
  const urn = options.urn ?? urnOf(name, type);
  const provider = { __provider: PROVIDER_TEXT };
  const state = { urn, custom: true, type };
  return {
    op,
    urn,
    ...(old
      ? {
          oldState: {
            ...state,
            id,
            inputs: { ...provider, ...old },
            outputs: { ...provider, ...outputsOf(old, id), ...options.outputs },
            ...options.oldMore,
          },
        }
      : {}),
    ...(next ? { newState: { ...state, inputs: { ...provider, ...next }, ...options.nextMore } } : {}),
    detailedDiff: null,
    ...options.more,
  };
}

const RESTARTS = "if the compute is active it restarts, and open connections drop";

/** "size 1 → 4", with the notice that check writes. */
export const resize = (options: StepOptions = {}): Props =>
  step({
    ...options,
    old: { ...BASE, restart: "no", ...options.old },
    next: { ...BASE, size: 4, restart: `yes: size 1 → 4; ${RESTARTS}`, ...options.next },
  });

export function preview(steps: unknown[], more: Props = {}): Props {
  const summary: Record<string, number> = { same: 1 };
  for (const one of steps as { op?: string }[]) {
    if (one?.op && ["create", "update", "replace", "delete"].includes(one.op)) {
      summary[one.op] = (summary[one.op] ?? 0) + 1;
    }
  }
  return { config: {}, steps: [ROOT, ...steps], duration: 1, changeSummary: summary, ...more };
}

/** As the engine prints it. */
export const pretty = (document: unknown): string => `${JSON.stringify(document, null, 4)}\n`;
