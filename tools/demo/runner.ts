/** Tells a story step by step: says what is going on, runs the command, and holds each step to what it promises. */
import { stripVTControlCharacters } from "node:util";
import type { RunningEmulator } from "../../emulator/index";
import type { CommandOptions } from "../engine/workspace";
import type { Page } from "./page";
import { askedFor, changesIn, tableOf, workIn } from "./service";

/** A step of the story, as data. */
export interface Step {
  heading: string;
  /** What is going on, and what to look at. */
  tell: string;
  /** A change in the program, made before the command and shown as a diff. */
  edit?: { from: string; to: string };
  /** The arguments of `pulumi`, as one would type them. */
  pulumi?: readonly string[];
  /** What somebody does to a compute behind Pulumi's back: fields of the API. */
  byHand?: { endpoint: string; fields: Record<string, unknown> };
  /** The command is meant to fail. @default false */
  fails?: boolean;
  /** What Pulumi prints, and what it must not print. */
  shows?: readonly RegExp[];
  hides?: readonly RegExp[];
  /** The requests of this step that change something on the service. `undefined`: the service is asked nothing at all. */
  changes?: readonly RegExp[];
  /** When the command returns, all that the service began has ended. */
  waits?: boolean;
  /** The computes that the service has after the step. They are shown. */
  leaves?: readonly RegExp[];
  /** Said at the end. */
  remark?: string;
}

/** What the steps act on: an emulator and a workspace, as far as they are needed. */
export interface Scene {
  page: Page;
  emulator: Pick<RunningEmulator, "origin" | "requests" | "world" | "apiKey" | "seed">;
  workspace: {
    pulumi(args: readonly string[], options: CommandOptions): Promise<{ code: number; stdout: string; stderr: string }>;
    edit(name: string, change: (text: string) => string): Promise<void>;
  };
}

/** A step did not do what it promises. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}

export async function tellStory(steps: readonly Step[], scene: Scene): Promise<void> {
  for (const [index, step] of steps.entries()) {
    scene.page.heading(`${index + 1}/${steps.length}  ${step.heading}`);
    await takeStep(step, scene).catch((error: Error) => {
      const where = `step ${index + 1} of ${steps.length} (${step.heading})`;
      throw new StepFailed(`${where} did not do what it should: ${error.message}`, { cause: error });
    });
  }
}

async function takeStep(step: Step, scene: Scene): Promise<void> {
  const { page, emulator, workspace } = scene;
  const asked = emulator.requests.length;
  const begun = emulator.world.operations.length;
  page.text(step.tell);
  if (step.edit) {
    const { from, to } = step.edit;
    await workspace.edit("index.ts", (text) => text.replace(from, to));
    page.code(diffOf(from, to));
  }
  if (step.byHand) await changeByHand(step.byHand, scene);
  if (step.pulumi) await runCommand(step, step.pulumi, scene);

  const requests = emulator.requests.slice(asked);
  const operations = emulator.world.operations.slice(begun);
  if (step.pulumi) page.note(askedFor(requests));
  if (!step.changes && requests.length > 0) throw new Error(`the service got ${requests.length} requests, not none`);
  expectAll("changes asked of the service", changesIn(requests), step.changes ?? []);
  if (step.waits) {
    const unfinished = operations.filter(({ status }) => status !== "finished");
    if (operations.length === 0) throw new Error("the service had nothing to do");
    if (unfinished.length > 0) throw new Error(`it did not wait for ${unfinished.map(({ action }) => action)}`);
    page.note(`The service took its time: ${workIn(operations)}. Pulumi came back when all of it was done.`);
  }
  if (step.leaves) showComputes(step.leaves, scene);
  if (step.remark) page.note(step.remark);
}

async function runCommand(step: Step, args: readonly string[], { page, emulator, workspace }: Scene): Promise<void> {
  const typed = `pulumi ${args.join(" ")}`;
  page.command(typed);
  const { code, stdout, stderr } = await workspace.pulumi(args, { onOutput: (chunk) => page.raw(chunk) });
  const printed = stripVTControlCharacters(`${stdout}\n${stderr}`);
  if (printed.includes(emulator.apiKey)) throw new Error("the key was printed");
  if ((code !== 0) !== (step.fails ?? false)) throw new Error(`${typed} ended with exit code ${code}`);
  for (const text of step.shows ?? []) if (!text.test(printed)) throw new Error(`nothing printed matches ${text}`);
  for (const text of step.hides ?? []) if (text.test(printed)) throw new Error(`something printed matches ${text}`);
}

/** The emulator's control route, which needs no key. */
async function changeByHand(
  { endpoint, fields }: NonNullable<Step["byHand"]>,
  { page, emulator }: Scene,
): Promise<void> {
  const url = `${emulator.origin}/_emulator/endpoints/${endpoint}`;
  const body = JSON.stringify(fields);
  page.command(`curl --json '${body}' ${url}`);
  const { status } = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  if (status !== 200) throw new Error(`the change by hand was answered with ${status}`);
}

/** Shows the computes of the story's project, and checks that they are the expected ones. */
export function showComputes(expected: readonly RegExp[], { page, emulator }: Pick<Scene, "page" | "emulator">): void {
  const rows = Object.values(emulator.world.endpoints).filter((row) => row.project_id === emulator.seed.projectId);
  const lines = tableOf(rows);
  page.note("On the service:");
  for (const line of lines) page.line(`    ${line}`);
  expectAll("computes on the service", lines, expected);
}

/** Compares in any order: computes that do not depend on each other are created in any order. */
function expectAll(what: string, got: readonly string[], expected: readonly RegExp[]): void {
  const fits =
    got.length === expected.length &&
    expected.every((each) => got.some((one) => each.test(one))) &&
    got.every((one) => expected.some((each) => each.test(one)));
  if (!fits) throw new Error(`${what}: ${got.join(", ") || "none"}; expected: ${expected.join(", ") || "none"}`);
}

/** The lines with which both texts begin are the context of the diff. */
function diffOf(from: string, to: string): string[] {
  const [olds, news] = [from, to].map((text) => text.split("\n").map((line) => line.trim())) as [string[], string[]];
  const firstChange = olds.findIndex((line, index) => line !== news[index]);
  const same = firstChange === -1 ? olds.length : firstChange;
  return [
    ...olds.slice(0, same).map((line) => `  ${line}`),
    ...olds.slice(same).map((line) => `- ${line}`),
    ...news.slice(same).map((line) => `+ ${line}`),
  ];
}
