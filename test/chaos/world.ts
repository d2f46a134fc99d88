// The world of a scenario: a service, two stacks, and what disturbs them: faults, kills, Ctrl-C and manual changes.

import { SEED } from "../../emulator/index";
import { Killed, Lab, type Options, type Props } from "../support/lab";
import type { Surface } from "../support/lab/form";
import { Injector } from "./faults/injector";
import { INCOMPLETE_ANSWERS, OF_THE_SERVICE } from "./faults/kinds";
import { SUCCESS_WITHOUT_WORK } from "./faults/misleading";
import { History } from "./history";
import { isRunning, type Judge, type Report } from "./judge/judge";
import { byHand } from "./manual-changes";
import { StackNetwork } from "./network";
import { type PreviewResult, read } from "./preview-readers";
import { EXTRA_BRANCH, MANUAL_REPLICA_ID } from "./program";
import type { Kill, Round, Scenario, Service } from "./scenario";
import { StackProgram } from "./stack-program";
import type { Statistics } from "./statistics";

const KEYS = ["key-of-the-lab", "key-of-the-second-stack"];
/** Keys of each stack's `Provider` instances: `same` is the stack's own account, `away` sees only the second project. */
const INSTANCES = KEYS.map((key) => ({ same: `${key}-same`, away: `${key}-away` }));

/** What a healthy service does by itself. It must not make an `up` fail. */
const BY_ITSELF = new Set<string>(Object.values(OF_THE_SERVICE));

/** What happens at certain requests of the round's command. */
type Triggers = Pick<Round, "kill" | "interrupt" | "manualChanges">;
const NO_TRIGGERS: Triggers = { kill: null, interrupt: null, manualChanges: [] };

export class World {
  readonly labs: Lab[];
  readonly judge: Judge;
  readonly programs: StackProgram[];
  readonly injector: Injector;
  readonly #history: History;
  /** The kinds of faults that hit in this round. */
  #hits = new Set<string>();
  #changedByHand = new Set<string>();
  #triggers: Triggers & { stack: number } = { ...NO_TRIGGERS, stack: 0 };
  #both = false;
  readonly #networks: StackNetwork[];

  constructor(
    scenario: Scenario,
    private readonly statistics: Statistics,
    /** Called after each command. */
    private readonly watch?: (report: Report, lab: Lab) => void,
    surface?: Surface,
  ) {
    const { skewMs, branchReadyMs, respells: _, ...service } = scenario.service;
    this.#networks = [0, 1].map((stack) => this.#networkOf(stack, scenario.service));
    const [ours, theirs] = this.#networks;
    const common = { seed: scenario.seed, skewMs, ...(surface ? { surface } : {}) };
    const { projectId } = SEED.second;
    const keys = [
      { key: KEYS[1]! },
      ...INSTANCES.flatMap(({ same, away }) => [{ key: same }, { key: away, projectId }]),
    ];
    const [instances, others] = INSTANCES;
    const first = new Lab({ ...common, emulator: { ...service, keys }, instances, between: ours!.between });
    const stack = scenario.twins ? "dev" : "other";
    const apiKey = KEYS[1]!;
    const second = new Lab({
      ...{ ...common, beside: first, stack, apiKey, instances: others },
      between: theirs!.between,
    });
    this.labs = [first, second];
    const { emulator, clock } = first;
    this.#addRowsBesideSeed(branchReadyMs);
    this.#history = new History(
      emulator,
      (header) => (header.includes(KEYS[1]!) ? 1 : 0),
      () => clock.now(),
    );
    this.injector = new Injector(clock, emulator, (kind) => this.#hit(kind));
    this.programs = scenario.programs.map(
      (specs, index) => new StackProgram(index, specs, (name) => this.labs[index]!.state.get(name)?.id),
    );
    this.judge = {
      emulator,
      history: this.#history,
      labs: this.labs,
      excusedOrphans: new Map(),
      knownToProvider: new Set(),
      everChangedByHand: new Set(),
      announced: new Map(),
      disturbed: false,
      ignoredFields: service.ignoredFields ?? [],
      ignoredRules: new Set(),
      sawIncompleteAnswer: false,
      sawSuccessWithoutWork: false,
      stateMayBeStale: false,
    };
  }

  get history(): History {
    return this.#history;
  }

  /** Begins a round, and forgets the hits of the one before. */
  begin(round?: Pick<Round, "stack" | "kill" | "interrupt" | "manualChanges" | "both">): void {
    this.#hits = new Set();
    this.#triggers = { ...(round ?? NO_TRIGGERS), stack: round?.stack ?? 0 };
    this.#both = round?.both ?? false;
    this.#applyManualChanges(0);
    // Changes until here do not count: either the preview can see them, or they are drift.
    this.#changedByHand = new Set();
  }

  /** Runs one command until it ends or is killed. */
  async run(
    stack: number,
    command: Report["command"],
    program = this.programs[stack]!.resources(),
    options = this.programs[stack]!.options(),
  ): Promise<Report> {
    const lab = this.labs[stack]!;
    const before = new Map(lab.state);
    const running = Object.values(this.judge.emulator.world.endpoints).filter(isRunning);
    const began = this.#history.changeRequests.length;
    const network = this.#networks[stack]!;
    network.reset();
    this.statistics.command(command);
    const previewed = command === "up" ? await this.#preview(lab, program, options) : undefined;
    lab.planned = {};
    lab.last = { warnings: [], said: [], sent: [], steps: [] };
    const killed = previewed?.failed ? false : await this.#carryOut(lab, command, program, options);
    if (lab.life.stopping) this.judge.disturbed = true;
    // Requests that were sent before the kill still arrive.
    if (killed) {
      this.judge.stateMayBeStale = true;
      this.judge.disturbed = true;
      await lab.clock.advance(20);
    }
    // The delete may have worked although its answer was lost. Then the engine does not know that the compute is gone.
    if (lab.last.steps.some(({ op, error }) => error && (op === "delete" || op === "replace")))
      this.judge.stateMayBeStale = true;
    const report = {
      stack,
      command,
      program,
      options,
      ...(previewed ? { previewed } : {}),
      both: this.#both,
      before,
      after: new Map(lab.state),
      plans: lab.planned,
      steps: lab.last.steps,
      warnings: lab.last.warnings,
      killed,
      interruptedAt: lab.life.interruptedAt,
      changeRequests: this.#history.changeRequests
        .slice(began)
        .filter((changeRequest) => changeRequest.stack === stack),
      sent: network.observed,
      hits: this.#hits,
      running: new Set(running.map(({ id }) => id)),
      changedByHand: this.#changedByHand,
    };
    this.watch?.(report, lab);
    return report;
  }

  /** The preview before each `up`. It has provider processes of its own, and sends nothing. */
  async #preview(lab: Lab, program: Record<string, Props>, options: Record<string, Options>): Promise<PreviewResult> {
    const plans = await lab.previewAll(program, options);
    const gone = [...lab.state].filter(([name]) => !(name in program));
    return read(lab, plans, gone);
  }

  /** @returns whether the process was killed */
  async #carryOut(
    lab: Lab,
    command: Report["command"],
    program: Record<string, Props>,
    options: Record<string, Options>,
  ): Promise<boolean> {
    try {
      if (command === "up") await lab.upAll(program, "delete", options);
      else if (command === "preview") await lab.previewAll(program, options);
      else if (lab.state.size > 0) await lab[command]();
    } catch (error) {
      if (error instanceof Killed) return true;
      // The judge looks at errors of steps. Any other error is a bug of this test.
      if (!lab.last.steps.some((step) => step.error === error)) throw error;
    }
    return false;
  }

  #hit(kind: string): void {
    this.#hits.add(kind);
    if (!BY_ITSELF.has(kind)) this.judge.disturbed = true;
    if (INCOMPLETE_ANSWERS.has(kind)) this.judge.sawIncompleteAnswer = true;
    // The service answered and did not do it: that is drift, which a refresh finds.
    if (kind === SUCCESS_WITHOUT_WORK) {
      this.judge.stateMayBeStale = true;
      this.judge.sawSuccessWithoutWork = true;
    }
    this.statistics.hit(kind);
  }

  /** Makes the manual changes that are due at this request. */
  #applyManualChanges(count: number): void {
    for (const manualChange of this.#triggers.manualChanges) {
      if (manualChange.at !== count) continue;
      const program = this.programs[this.#triggers.stack]!;
      const ofSlot = (index: number) => program.computeOf(index);
      const ids = byHand(this.labs[0]!.emulator, manualChange, ofSlot);
      if (ids.length === 0) continue;
      for (const id of ids) {
        this.#changedByHand.add(id);
        this.judge.everChangedByHand.add(id);
      }
      this.judge.disturbed = true;
      this.statistics.hit(`by hand: ${manualChange.what}`);
    }
  }

  #networkOf(stack: number, service: Service): StackNetwork {
    return new StackNetwork({
      lab: () => this.labs[stack]!,
      beforeRequest: (number) => (this.#triggers.stack === stack ? this.#trigger(number) : undefined),
      send: (request, go) => this.injector.send(request, go),
      hit: (kind) => this.#hit(kind),
      created: (id) => void this.judge.knownToProvider.add(id),
      service,
    });
  }

  /** Does what is due at this request. @returns the kill, which the network carries out */
  #trigger(number: number): Kill | undefined {
    const { stack, interrupt, kill } = this.#triggers;
    this.#applyManualChanges(number);
    if (interrupt === number) this.labs[stack]!.cancel();
    return kill?.request === number ? kill : undefined;
  }

  #addRowsBesideSeed(branchReadyMs: number): void {
    const { world, clock } = this.labs[0]!.emulator;
    const dev = world.branches[SEED.branches.dev]!;
    world.branches[EXTRA_BRANCH] = { ...dev, id: EXTRA_BRANCH, name: "extra" };
    const primary = world.endpoints[SEED.primaryId]!;
    const host = primary.host.replace(primary.id, MANUAL_REPLICA_ID);
    world.endpoints[MANUAL_REPLICA_ID] = { ...primary, id: MANUAL_REPLICA_ID, host, type: "read_only" };
    if (branchReadyMs === 0) return;
    dev.current_state = "init";
    dev.pending_state = "ready";
    dev.ready_at = new Date(clock.now() + branchReadyMs).toISOString();
  }
}
