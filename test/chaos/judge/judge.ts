// The types of the judge: what it knows of the scenario, the report on one command, and a violation. `judgeCommand` in
// `play.ts` applies the rules; each file beside this one has the rules of one promise.

import type { Emulator, EndpointRow } from "../../../emulator/index";
import type { Lab, Options, Outcome, Props, Resource, Step } from "../../support/lab";
import type { ChangeRequest, History } from "../history";
import type { PreviewResult } from "../preview-readers";
import type { CommandName } from "../scenario";
import type { Announced } from "./announced";

/** One command of one stack, and what came of it. */
export interface Report {
  stack: number;
  command: Exclude<CommandName, "refresh+up">;
  program: Record<string, Props>;
  options: Record<string, Options>;
  /** The preview of the same program, just before an `up`. */
  previewed?: PreviewResult;
  /** The other stack ran at the same time. */
  both: boolean;
  before: ReadonlyMap<string, Resource>;
  after: ReadonlyMap<string, Resource>;
  /** What an `up` planned for each resource. */
  plans: Record<string, Outcome>;
  steps: readonly Step[];
  warnings: readonly string[];
  killed: boolean;
  /** When the Ctrl-C came. */
  interruptedAt?: number | undefined;
  changeRequests: readonly ChangeRequest[];
  /** All requests of the command's processes. */
  sent: readonly ObservedRequest[];
  /** The kinds of faults that hit while the command ran. */
  hits: ReadonlySet<string>;
  /** Computes that were running when the command began. */
  running: ReadonlySet<string>;
  /** Computes that somebody changed by hand after the command began. */
  changedByHand: ReadonlySet<string>;
}

/** A request of a process, and what its answer asked for. */
export interface ObservedRequest {
  /** Each `Provider` instance has its own process. */
  process: string;
  line: string;
  body: string;
  at: number;
  answeredAt?: number;
  /** The answer does not tell whether the work was done. */
  isInDoubt?: boolean;
  retryAfterMs?: number;
}

export interface Judge {
  emulator: Emulator;
  history: History;
  labs: readonly Lab[];
  /** Computes that may be in no state and no error, and why. */
  excusedOrphans: Map<string, string>;
  /** Computes of which the provider got the create's answer. */
  knownToProvider: Set<string>;
  /** Computes that somebody changed by hand in this scenario. */
  everChangedByHand: Set<string>;
  /** What previews announced for steps that have not finished, by compute. */
  announced: Map<string, Announced>;
  /** Whether anything disturbed the scenario yet: a fault, a manual change, a kill, a Ctrl-C. */
  disturbed: boolean;
  ignoredFields: readonly string[];
  /** Rules to ignore in this run. */
  ignoredRules: Set<string>;
  /** Whether an answer lacked something, such as the operations that the request began. */
  sawIncompleteAnswer: boolean;
  /** Whether the service answered success to a change that it did not make. */
  sawSuccessWithoutWork: boolean;
  /** Whether a command was killed or a delete failed: the state may name a compute that is gone. */
  stateMayBeStale: boolean;
}

/** A promise that was broken. */
export class Violation extends Error {
  /** @param rule the same text for all violations of one kind, so that shrinking keeps the kind */
  constructor(
    readonly rule: string,
    detail: string,
  ) {
    super(`${rule}: ${detail}`);
    this.name = "Violation";
  }
}

export const isRunning = ({ current_state, pending_state, disabled }: EndpointRow): boolean =>
  current_state === "active" && pending_state === undefined && !disabled;

export const rowOf = ({ emulator }: Judge, id: string | undefined): EndpointRow | undefined =>
  id === undefined ? undefined : emulator.world.endpoints[id];

/** Whether these arguments adopt the compute. */
export const adopts = (args: Props, id: string, row: EndpointRow | undefined): boolean =>
  args["adopt"] === id || (args["adopt"] === true && row?.type === "read_write" && row.branch_id === args["branchId"]);

/** What happens to the compute when the resource leaves the state. */
export const onDeleteOf = ({ outputs, retainOnDelete }: Resource): "delete" | "release" =>
  retainOnDelete
    ? "release"
    : ((outputs["onDelete"] as "delete" | undefined) ?? (outputs["adopted"] ? "release" : "delete"));

export const errorsOf = ({ steps }: Pick<Report, "steps">): string[] =>
  steps.flatMap(({ error }) => (error ? [error.message] : []));

const UNIT_MS: Record<string, number> = { m: 60_000, s: 1000, h: 3_600_000 };
/** Milliseconds that a step may take, according to each of these arguments. */
function limitsOf(all: (Props | undefined)[]): number[] {
  return all.flatMap((props) => {
    if (!props) return [];
    const text = (props["customTimeouts"] as { update?: string } | undefined)?.update;
    return text === undefined ? 600_000 : Number.parseFloat(text) * UNIT_MS[text.at(-1)!]!;
  });
}

export const limitOf = (...all: (Props | undefined)[]): number => Math.max(...limitsOf(all));
export const leastLimitOf = (...all: (Props | undefined)[]): number => Math.min(...limitsOf(all));
