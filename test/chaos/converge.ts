// The end of a scenario: the faults have stopped, and both stacks must reach what their last program asks for.

import { type EndpointRow, SEED } from "../../emulator/index";
import type { Options, Props } from "../support/lab";
import { coversField } from "./judge/fields";
import { errorsOf, onDeleteOf, type Report, rowOf, Violation } from "./judge/judge";
import { judgeCommand } from "./play";
import { actualFields, projectOf, requestedFields } from "./program";
import type { Scenario } from "./scenario";
import type { Statistics } from "./statistics";
import type { World } from "./world";

/** After so many milliseconds the service has finished all work. */
const SETTLE_MS = 400_000;
/** How often the advice of errors is followed. Advice that has not helped by then is wrong. */
const MOST_ATTEMPTS = 5;

export async function converge(world: World, scenario: Scenario, statistics: Statistics): Promise<void> {
  const { clock } = world.labs[0]!;
  world.injector.clear();
  await clock.advance(SETTLE_MS);
  for (const stack of [0, 1]) {
    repairInstances(world, stack);
    const options = feasibleOptions(world, stack);
    const program = feasibleProgram(world, stack);
    // An `up` without a refresh does not see drift.
    const refresh = scenario.end !== "up" || world.judge.everChangedByHand.size > 0 || world.judge.stateMayBeStale;
    if (scenario.end === "destroy") await destroy(world, stack);
    else await applyUntilStable(world, stack, { program, options }, refresh, statistics);
  }
  if (scenario.end !== "destroy") for (const stack of [1, 0]) await destroy(world, stack);
  statistics.end(scenario.end);
}

/** A program with the options of its resources. */
interface Target {
  program: Record<string, Props>;
  options: Record<string, Options>;
}

async function runAndJudge(world: World, stack: number, command: Report["command"], { program, options }: Target) {
  world.begin();
  const report = await world.run(stack, command, program, options);
  judgeCommand(world, report);
  return report;
}

/** Runs `up` until it succeeds, and follows the advice of its errors. Then one more `up` must send nothing. */
async function applyUntilStable(world: World, stack: number, target: Target, refresh: boolean, statistics: Statistics) {
  const { program } = target;
  // The service may have ignored a setting for a while: it is asked for again.
  askAgain(world, stack, true);
  let report: Report | undefined;
  for (let round = 0; round <= MOST_ATTEMPTS; round++) {
    if (refresh || round > 0) await runAndJudge(world, stack, "refresh", target);
    report = await runAndJudge(world, stack, "up", target);
    const failures = Object.entries(report.previewed?.shown ?? {}).flatMap(([name, { failures }]) =>
      failures.map((message) => ({ name, message })),
    );
    for (const { name, error } of report.steps) if (error) failures.push({ name, message: error.message });
    if (failures.length === 0) break;
    if (round === MOST_ATTEMPTS)
      throw new Violation("never settles", failures.map(({ message }) => message).join("\n"));
    statistics.end("advice of an error followed");
    for (const { name, message } of failures) {
      followAdvice(world, stack, program, name, message);
      // With `ignoreChanges` the engine drops a value that the rest of the program needs.
      if (
        / beside it|two autoscaling limits|never suspends|lower limit .* is above|is too wide|above 16|remove replaceOnChanges/.test(
          message,
        )
      )
        target.options[name] = {};
    }
    await world.labs[0]!.clock.advance(SETTLE_MS);
  }
  const { judge } = world;
  const ignoring = judge.ignoredFields.length > 0;
  askAgain(world, stack, false);
  for (const [name, args] of Object.entries(program)) judgeCompute(world, report!, stack, name, args);
  const quiet = await runAndJudge(world, stack, "up", target);
  if (quiet.sent.length > 0 && !ignoring && !judge.ignoredRules.has("a second up sends requests")) {
    throw new Violation(
      "a second up sends requests",
      `a second up sent ${quiet.sent.map(({ line }) => line).join(", ")}`,
    );
  }
}

function askAgain({ labs }: World, stack: number, askAgain: boolean): void {
  const { options } = labs[stack]!;
  options.config = { ...options.config, askAgain };
}

function judgeCompute(world: World, report: Report, stack: number, name: string, args: Props): void {
  const { judge } = world;
  const resource = world.labs[stack]!.state.get(name);
  const row = rowOf(judge, resource?.id);
  if (!resource || !row)
    throw new Violation("a resource has no compute", `${name} (${resource?.id}) has no compute after an up`);
  const asked = requestedFields(args);
  const has = actualFields(row, Object.keys(asked));
  const { ignoreChanges = [] } = report.options[name] ?? {};
  for (const [field, value] of Object.entries(asked)) {
    // An ignored property may have any value, also one that somebody set by hand.
    if (ignoreChanges.some((path) => path === "*" || coversField([path], field))) continue;
    // A service that ignores one autoscaling limit ignores both. Both names begin with the same 16 characters.
    if (judge.ignoredFields.some((ignored) => field.startsWith(ignored.slice(0, 16)))) continue;
    if (field === "disabled" && value === false && !row.disabled) continue;
    // No answer tells whether the field was never set or was left out.
    if (has[field] === undefined && judge.sawSuccessWithoutWork) continue;
    if (JSON.stringify(has[field]) !== JSON.stringify(value)) {
      const how = `${field} of ${name} (${row.id}) is ${JSON.stringify(has[field])}, asked for ${JSON.stringify(value)}`;
      throw new Violation("not as asked", `${how}; it was ${report.plans[name]?.op}`);
    }
  }
  const { host } = resource.outputs;
  if (host !== undefined && host !== row.host) throw new Violation("another host", `${name}: ${host}, not ${row.host}`);
  const started = row.current_state !== "init" || row.disabled || row.pending_state !== undefined;
  if (!started && !judge.sawIncompleteAnswer && (report.plans[name]?.inputs ?? args)["waitForReady"] !== false) {
    throw new Violation("never started", `${name} (${row.id}) has never started, and up is content with it`);
  }
}

/** Destroys the stack: every compute that it must delete is gone. */
async function destroy(world: World, stack: number): Promise<void> {
  const lab = world.labs[stack]!;
  for (let round = 0; lab.state.size > 0; round++) {
    const left = [...lab.state.values()];
    const report = await runAndJudge(world, stack, "destroy", { program: {}, options: {} });
    const errors = errorsOf(report);
    if (errors.length > 0 && round >= 2) throw new Violation("never settles", `destroy: ${errors.join("\n")}`);
    for (const resource of left) {
      const stays = rowOf(world.judge, resource.id) !== undefined;
      const kept = [...lab.state.values()].some(({ id }) => id === resource.id);
      if (stays && !kept && onDeleteOf(resource) === "delete" && !resource.pendingReplacement) {
        throw new Violation("not deleted", `${resource.id} is still there after a destroy`);
      }
    }
    if (errors.length > 0) await world.labs[0]!.clock.advance(SETTLE_MS);
  }
}

/** A compute that its `Provider` instance can't see moves to the stack's own account, as with `pulumi state`. */
function repairInstances(world: World, stack: number): void {
  for (const resource of world.labs[stack]!.state.values()) {
    const sees = resource.outputs["projectId"] === SEED.second.projectId;
    if (resource.provider === "away" && !sees) delete resource.provider;
  }
}

/** The options of the last program, without instances that can't see their compute and without time limits from rules. */
function feasibleOptions(world: World, stack: number): Record<string, Options> {
  return Object.fromEntries(
    Object.entries(world.programs[stack]!.options()).map(
      ([name, { provider, byRule: { customTimeouts: _, ...byRule } = {}, ...rest }]) => [
        name,
        provider === "same" ? { ...rest, byRule, provider } : { ...rest, byRule },
      ],
    ),
  );
}

/** The last program, without what no service could do: two primaries on one branch, or two primaries that swap branches. */
function feasibleProgram(world: World, stack: number): Record<string, Props> {
  const program = world.programs[stack]!.resources();
  const claimed = new Set<string>();
  for (const [name, { onRestart, ...args }] of Object.entries(program)) {
    // A resource that refuses restarts would never reach its program.
    program[name] = onRestart === "refuse" ? args : { ...args, ...(onRestart === undefined ? {} : { onRestart }) };
    if (args["type"] === "read_write") program[name] = placePrimary(world, stack, name, args, claimed);
  }
  return program;
}

function placePrimary(world: World, stack: number, name: string, args: Props, claimed: Set<string>): Props {
  const rows = Object.values(world.judge.emulator.world.endpoints);
  const resource = world.labs[stack]!.state.get(name);
  const mine = resource?.pendingReplacement ? undefined : rowOf(world.judge, resource?.id);
  const otherPrimaryOn = (branch: unknown) =>
    rows.find((one) => one.type === "read_write" && one.branch_id === branch && one.id !== mine?.id);
  const free = (branch: unknown) => !claimed.has(String(branch)) && !otherPrimaryOn(branch);
  const wanted = String(args["branchId"]);
  const adopts = !mine && args["adopt"] === true && !claimed.has(wanted) && !isHeld(world, otherPrimaryOn(wanted));
  let branch: string | undefined = free(wanted) || adopts ? wanted : undefined;
  if (!branch && mine?.type === "read_write" && free(mine.branch_id)) branch = mine.branch_id;
  branch ??= Object.keys(world.judge.emulator.world.branches).find(free);
  if (branch === undefined) return { ...args, type: "read_only", adopt: undefined };
  claimed.add(branch);
  return { ...args, branchId: branch, projectId: projectOf(branch) };
}

const isHeld = ({ labs }: World, row: EndpointRow | undefined): boolean =>
  labs.some((lab) => [...lab.state.values()].some(({ id }) => id === row?.id));

/** Changes the program as the error advises. */
function followAdvice(world: World, stack: number, program: Record<string, Props>, name: string, text: string): void {
  const args = program[name];
  if (!args) return;
  const id = /adopt(?:: "| names )(ep-[a-z0-9-]+)/.exec(text)?.[1];
  const row = rowOf(world.judge, id);
  const typeToSet = /Set type to (read_write|read_only)/.exec(text)?.[1];
  const nameOfAnother = /set name: "([^"]+)" here/.exec(text)?.[1];
  if (nameOfAnother !== undefined) program[name] = { ...args, name: nameOfAnother };
  else if (typeToSet !== undefined && row) program[name] = { ...args, type: typeToSet, branchId: row.branch_id };
  else if (/has no such compute/.test(text)) program[name] = { ...args, adopt: undefined };
  else if (/To wait longer, set `customTimeouts`|answered (423|429|503)/.test(text))
    program[name] = { ...args, customTimeouts: undefined };
  else if (row && !isHeld(world, row) && world.judge.history.makers.get(row.id)?.stack === stack) {
    const { branch_id: branchId, type } = row;
    // The compute was left by an earlier program. If this program asks for another type, it is adopted as it is.
    if (type === args["type"]) program[name] = { ...args, adopt: id, onDelete: "delete" };
    else program[name] = { ...args, type, branchId, adopt: id, onDelete: "delete" };
  } else if (/already has its primary/.test(text)) {
    program[name] = placePrimary(world, stack, name, args, new Set());
  } else if (row) {
    // Somebody else's compute has the name: under another resource name a new compute is made.
    delete program[name];
    program[`${name}-anew`] = { ...args, name: undefined };
  }
}
