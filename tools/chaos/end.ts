// The faults have stopped: now everything must come to rest, as the last program asks for it.

import { type EndpointRow, SEED } from "../../emulator/index";
import type { Options, Props } from "../../test/support/lab";
import { errorsOf, policyOf, type Report, rowOf, Violation } from "./court";
import { speaksOf } from "./fields";
import { judge } from "./play";
import { askedOf, hasOf, projectOf } from "./program";
import type { Stage } from "./stage";
import type { Story } from "./story";
import type { Tally } from "./tally";

/** Milliseconds after which all work at the service has ended. */
const CALM_MS = 400_000;
/** How often a user follows the advice of errors before it counts as none. */
const ROUNDS = 5;

export async function playEnd(stage: Stage, story: Story, tally: Tally): Promise<void> {
  const { clock } = stage.labs[0]!;
  stage.injector.clear();
  await clock.advance(CALM_MS);
  for (const stack of [0, 1]) {
    mendInstances(stage, stack);
    const options = calmOptions(stage, stack);
    const program = peaceful(stage, stack);
    // Drift that nobody has refreshed is nobody's business.
    const refresh = story.end !== "up" || stage.court.everTouched.size > 0 || stage.court.unsure;
    if (story.end === "destroy") await destroy(stage, stack);
    else await settle(stage, stack, { program, options }, refresh, tally);
  }
  if (story.end !== "destroy") for (const stack of [1, 0]) await destroy(stage, stack);
  tally.end(story.end);
}

/** A program with the options of its resources. */
interface Calm {
  program: Record<string, Props>;
  options: Record<string, Options>;
}

async function calmly(stage: Stage, stack: number, command: Report["command"], { program, options }: Calm) {
  stage.begin();
  const report = await stage.run(stack, command, program, options);
  judge(stage, report);
  return report;
}

/** `up` until it succeeds, with the advice of its errors followed; then once more, which must send nothing. */
async function settle(stage: Stage, stack: number, calm: Calm, refresh: boolean, tally: Tally) {
  const { program } = calm;
  // Whatever the service did not take for a while is asked for again.
  askAgain(stage, stack, true);
  let report: Report | undefined;
  for (let round = 0; round <= ROUNDS; round++) {
    if (refresh || round > 0) await calmly(stage, stack, "refresh", calm);
    report = await calmly(stage, stack, "up", calm);
    const failures = Object.entries(report.previewed?.shown ?? {}).flatMap(([name, { failures }]) =>
      failures.map((message) => ({ name, message })),
    );
    for (const { name, error } of report.steps) if (error) failures.push({ name, message: error.message });
    if (failures.length === 0) break;
    if (round === ROUNDS) throw new Violation("no rest", failures.map(({ message }) => message).join("\n"));
    tally.end("advice of an error followed");
    for (const { name, message } of failures) {
      heed(stage, stack, program, name, message);
      // The engine has taken a value out of the program that the rest of it needs.
      if (
        / beside it|both autoscaling|not both forms|never suspends|lower limit .* is above|is too wide|above 16|take replaceOnChanges out/.test(
          message,
        )
      )
        calm.options[name] = {};
    }
    await stage.labs[0]!.clock.advance(CALM_MS);
  }
  const { court } = stage;
  const ignoring = court.ignoredFields.length > 0;
  askAgain(stage, stack, false);
  for (const [name, args] of Object.entries(program)) judgeCompute(stage, report!, stack, name, args);
  const quiet = await calmly(stage, stack, "up", calm);
  if (quiet.sent.length > 0 && !ignoring && !court.excepted.has("not quiet")) {
    throw new Violation("not quiet", `a second up sent ${quiet.sent.map(({ line }) => line).join(", ")}`);
  }
}

function askAgain({ labs }: Stage, stack: number, askAgain: boolean): void {
  const { options } = labs[stack]!;
  options.config = { ...options.config, askAgain };
}

function judgeCompute(stage: Stage, report: Report, stack: number, name: string, args: Props): void {
  const { court } = stage;
  const resource = stage.labs[stack]!.state.get(name);
  const row = rowOf(court, resource?.id);
  if (!resource || !row) throw new Violation("not there", `${name} (${resource?.id}) has no compute after an up`);
  const asked = askedOf(args);
  const has = hasOf(row, Object.keys(asked));
  const { ignoreChanges = [] } = report.options[name] ?? {};
  for (const [field, value] of Object.entries(asked)) {
    // What the program says of it does not count; what was changed by hand is nobody's business.
    if (ignoreChanges.some((path) => path === "*" || speaksOf([path], field))) continue;
    if (court.ignoredFields.some((ignored) => field.startsWith(ignored.slice(0, 16)))) continue;
    if (field === "disabled" && value === false && !row.disabled) continue;
    // Whether a field was never set or is not told, no answer says.
    if (has[field] === undefined && court.pretended) continue;
    if (JSON.stringify(has[field]) !== JSON.stringify(value)) {
      const how = `${field} of ${name} (${row.id}) is ${JSON.stringify(has[field])}, asked for ${JSON.stringify(value)}`;
      throw new Violation("not as asked", `${how}; it was ${report.plans[name]?.op}`);
    }
  }
  const { host } = resource.outputs;
  if (host !== undefined && host !== row.host) throw new Violation("another host", `${name}: ${host}, not ${row.host}`);
  const started = row.current_state !== "init" || row.disabled || row.pending_state !== undefined;
  if (!started && !court.lied && (report.plans[name]?.inputs ?? args)["waitForReady"] !== false) {
    throw new Violation("never started", `${name} (${row.id}) has never started, and up is content with it`);
  }
}

/** All goes that the stack has made and does not let go; nothing else does. */
async function destroy(stage: Stage, stack: number): Promise<void> {
  const lab = stage.labs[stack]!;
  for (let round = 0; lab.state.size > 0; round++) {
    const left = [...lab.state.values()];
    const report = await calmly(stage, stack, "destroy", { program: {}, options: {} });
    const errors = errorsOf(report);
    if (errors.length > 0 && round >= 2) throw new Violation("no rest", `destroy: ${errors.join("\n")}`);
    for (const resource of left) {
      const stays = rowOf(stage.court, resource.id) !== undefined;
      const kept = [...lab.state.values()].some(({ id }) => id === resource.id);
      if (stays && !kept && policyOf(resource) === "delete" && !resource.pendingReplacement) {
        throw new Violation("not deleted", `${resource.id} is still there after a destroy`);
      }
    }
    if (errors.length > 0) await stage.labs[0]!.clock.advance(CALM_MS);
  }
}

/** Somebody gives a compute whose instance can't see it back to the stack's own account: `pulumi state` can do that. */
function mendInstances(stage: Stage, stack: number): void {
  for (const resource of stage.labs[stack]!.state.values()) {
    const sees = resource.outputs["projectId"] === SEED.second.projectId;
    if (resource.provider === "away" && !sees) delete resource.provider;
  }
}

/** The last program's options, in which each compute stands on an account that can see it and no rule cuts its steps short. */
function calmOptions(stage: Stage, stack: number): Record<string, Options> {
  return Object.fromEntries(
    Object.entries(stage.options(stack)).map(
      ([name, { provider, byRule: { customTimeouts: _, ...byRule } = {}, ...rest }]) => [
        name,
        provider === "same" ? { ...rest, byRule, provider } : { ...rest, byRule },
      ],
    ),
  );
}

/** The last program, with what no service could do taken out: two primaries on one branch, or two that change places. */
function peaceful(stage: Stage, stack: number): Record<string, Props> {
  const program = stage.program(stack);
  const claimed = new Set<string>();
  for (const [name, { onRestart, ...args }] of Object.entries(program)) {
    // Who refuses changes lets them through now.
    program[name] = onRestart === "refuse" ? args : { ...args, ...(onRestart === undefined ? {} : { onRestart }) };
    if (args["type"] === "read_write") program[name] = placed(stage, stack, name, args, claimed);
  }
  return program;
}

function placed(stage: Stage, stack: number, name: string, args: Props, claimed: Set<string>): Props {
  const rows = Object.values(stage.court.emulator.world.endpoints);
  const resource = stage.labs[stack]!.state.get(name);
  const mine = resource?.pendingReplacement ? undefined : rowOf(stage.court, resource?.id);
  const stranger = (branch: unknown) =>
    rows.find((one) => one.type === "read_write" && one.branch_id === branch && one.id !== mine?.id);
  const free = (branch: unknown) => !claimed.has(String(branch)) && !stranger(branch);
  const wanted = String(args["branchId"]);
  const adopts = !mine && args["adopt"] === true && !claimed.has(wanted) && !isHeld(stage, stranger(wanted));
  let branch: string | undefined = free(wanted) || adopts ? wanted : undefined;
  if (!branch && mine?.type === "read_write" && free(mine.branch_id)) branch = mine.branch_id;
  branch ??= Object.keys(stage.court.emulator.world.branches).find(free);
  if (branch === undefined) return { ...args, type: "read_only", adopt: undefined };
  claimed.add(branch);
  return { ...args, branchId: branch, projectId: projectOf(branch) };
}

const isHeld = ({ labs }: Stage, row: EndpointRow | undefined): boolean =>
  labs.some((lab) => [...lab.state.values()].some(({ id }) => id === row?.id));

/** Does what the error says. */
function heed(stage: Stage, stack: number, program: Record<string, Props>, name: string, text: string): void {
  const args = program[name];
  if (!args) return;
  const id = /adopt(?:: "| names )(ep-[a-z0-9-]+)/.exec(text)?.[1];
  const row = rowOf(stage.court, id);
  const typeToSet = /Set type to (read_write|read_only)/.exec(text)?.[1];
  const nameOfAnother = /set name here \(name: "([^"]+)"/.exec(text)?.[1];
  if (nameOfAnother !== undefined) program[name] = { ...args, name: nameOfAnother };
  else if (typeToSet !== undefined && row) program[name] = { ...args, type: typeToSet, branchId: row.branch_id };
  else if (/has no such compute/.test(text)) program[name] = { ...args, adopt: undefined };
  else if (/customTimeouts` gives it more time|answered (423|429|503)/.test(text))
    program[name] = { ...args, customTimeouts: undefined };
  else if (row && !isHeld(stage, row) && stage.court.ledger.makers.get(row.id)?.stack === stack) {
    const { branch_id: branchId, type } = row;
    // A leftover of an earlier program is taken over as it is where this one asks for another kind of compute.
    if (type === args["type"]) program[name] = { ...args, adopt: id, onDelete: "delete" };
    else program[name] = { ...args, type, branchId, adopt: id, onDelete: "delete" };
  } else if (/already has its primary/.test(text)) {
    program[name] = placed(stage, stack, name, args, new Set());
  } else if (row) {
    // Somebody else's compute of the same name: another resource name makes another compute.
    delete program[name];
    program[`${name}-anew`] = { ...args, name: undefined };
  }
}
