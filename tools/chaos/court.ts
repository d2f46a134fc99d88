// What the judge knows: both stacks, the service, and what happened so far.

import type { Emulator, EndpointRow } from "../../emulator/index";
import type { Lab, Options, Outcome, Props, Resource, Step } from "../../test/support/lab";
import type { Deed, Ledger } from "./ledger";
import type { Previewed } from "./readers";
import type { Pending } from "./shown";
import type { CommandName } from "./story";

/** One command of one stack, as it went. */
export interface Report {
  stack: number;
  command: Exclude<CommandName, "refresh+up">;
  program: Record<string, Props>;
  options: Record<string, Options>;
  /** What the preview of the same program said, just before an `up`. */
  previewed?: Previewed;
  /** The other stack ran at the same time. */
  both: boolean;
  before: ReadonlyMap<string, Resource>;
  after: ReadonlyMap<string, Resource>;
  /** Of an `up`. */
  plans: Record<string, Outcome>;
  steps: readonly Step[];
  warnings: readonly string[];
  killed: boolean;
  /** When the one Ctrl-C came. */
  interruptedAt?: number | undefined;
  deeds: readonly Deed[];
  /** Answers that asked for a pause, and all requests, of this process. */
  sent: readonly Spoken[];
  /** Fault kinds that hit while it ran. */
  hits: ReadonlySet<string>;
  /** Computes that were running when the command began. */
  running: ReadonlySet<string>;
  /** Computes that somebody touched by hand after it began. */
  touched: ReadonlySet<string>;
}

/** A request of a process, with what its answer asked for. */
export interface Spoken {
  /** Each instance of a provider has a process of its own. */
  process: string;
  line: string;
  body: string;
  at: number;
  answeredAt?: number;
  /** The answer does not tell whether the work was done. */
  isInDoubt?: boolean;
  retryAfterMs?: number;
}

export interface Court {
  emulator: Emulator;
  ledger: Ledger;
  labs: readonly Lab[];
  twins: boolean;
  /** Computes that nobody may know of, and why that is in order. */
  excused: Map<string, string>;
  /** Computes whose creation was answered, so that the provider knew of them. */
  delivered: Set<string>;
  /** Computes that somebody has ever touched by hand. */
  everTouched: Set<string>;
  /** What previews announced of steps that have not come to their end, by compute. */
  pending: Map<string, Pending>;
  /** Whether anything has gone wrong yet: a fault, a hand, a kill, a Ctrl-C. */
  spoilt: boolean;
  ignoredFields: readonly string[];
  /** Rules that do not count in this run. */
  excepted: Set<string>;
  /** Whether the service has ever left something out of an answer, such as the operations that it began. */
  lied: boolean;
  /** Whether the service has ever answered a change with success that it has not made. */
  pretended: boolean;
  /** Whether a command was killed or a delete failed: a compute may be gone of which the engine does not know. */
  unsure: boolean;
}

/** A promise that was broken. */
export class Violation extends Error {
  /** @param rule short and the same for all cases of a kind: a counter-example is shrunk within its kind */
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

export const rowOf = ({ emulator }: Court, id: string | undefined): EndpointRow | undefined =>
  id === undefined ? undefined : emulator.world.endpoints[id];

/** Whether a program takes over the compute. */
export const adopts = (args: Props, id: string, row: EndpointRow | undefined): boolean =>
  args["adopt"] === id || (args["adopt"] === true && row?.type === "read_write" && row.branch_id === args["branchId"]);

/** What becomes of the compute when the resource leaves the state. */
export const policyOf = ({ outputs, retainOnDelete }: Resource): "delete" | "release" =>
  retainOnDelete
    ? "release"
    : ((outputs["onDelete"] as "delete" | undefined) ?? (outputs["adopted"] ? "release" : "delete"));

export const errorsOf = ({ steps }: Pick<Report, "steps">): string[] =>
  steps.flatMap(({ error }) => (error ? [error.message] : []));

const UNIT_MS: Record<string, number> = { m: 60_000, s: 1000, h: 3_600_000 };
/** Milliseconds that a step may take, by each of these. */
function limitsOf(all: (Props | undefined)[]): number[] {
  return all.flatMap((props) => {
    if (!props) return [];
    const text = (props["customTimeouts"] as { update?: string } | undefined)?.update;
    return text === undefined ? 600_000 : Number.parseFloat(text) * UNIT_MS[text.at(-1)!]!;
  });
}

export const limitOf = (...all: (Props | undefined)[]): number => Math.max(...limitsOf(all));
export const leastLimitOf = (...all: (Props | undefined)[]): number => Math.min(...limitsOf(all));
