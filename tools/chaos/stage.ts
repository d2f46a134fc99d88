// Where a story is played: a service, two stacks, and somebody who spoils, kills and meddles.

import { SEED } from "../../emulator/index";
import type { Transport, TransportAnswer, TransportRequest } from "../../provider/api/transport";
import { Killed, Lab, type Options, type Props } from "../../test/support/lab";
import { type Court, isRunning, type Report, type Spoken } from "./court";
import { EMPTY } from "./empty";
import { Injector, LIES, OF_THE_SERVICE } from "./faults";
import { byHand } from "./hands";
import { Ledger } from "./ledger";
import { argsOf, EXTRA_BRANCH, HAND_MADE, nameOf, optionsOf, type Slot, type Slots } from "./program";
import { type Previewed, read } from "./readers";
import type { Act, Story } from "./story";
import type { Tally } from "./tally";

const LONGEST_PAUSE_MS = 3_600_000;
const BASE = "https://service.test/api/v2";
const KEYS = ["key-of-the-lab", "key-of-the-second-stack"];
/** Of the `Provider` instances of each stack: of the stack's own account, and of one that sees the second project only. */
const INSTANCES = KEYS.map((key) => ({ same: `${key}-same`, away: `${key}-away` }));

/** What a service does that is well: no reason for an `up` to fail. */
const BY_ITSELF = new Set<string>(Object.values(OF_THE_SERVICE));

/** What happens at certain requests of the command that is played. */
type Cue = Pick<Act, "kill" | "interrupt" | "hands">;
const NO_CUE: Cue = { kill: null, interrupt: null, hands: [] };

export class Stage {
  readonly labs: Lab[];
  readonly court: Court;
  readonly slots: Slots[];
  /** Of each slot, what it was before its last edit. */
  readonly earlier: Map<number, Slots[number]>[] = [new Map(), new Map()];
  readonly injector: Injector;
  readonly #ledger: Ledger;
  /** Of the act that is played. */
  #hits = new Set<string>();
  #touched = new Set<string>();
  #cue: Cue & { stack: number } = { ...NO_CUE, stack: 0 };
  #both = false;
  readonly #takes = new Map<string, string>();
  readonly #respells: boolean;
  #counts = [0, 0];
  #spoken: Spoken[][] = [[], []];

  constructor(
    story: Story,
    private readonly tally: Tally,
    /** Sees each command when it has ended. */
    private readonly watch?: (report: Report, lab: Lab) => void,
  ) {
    const { skewMs, branchReadyMs, respells, ...service } = story.service;
    this.#respells = respells;
    const common = { seed: story.seed, skewMs };
    const { projectId } = SEED.second;
    const keys = [
      { key: KEYS[1]! },
      ...INSTANCES.flatMap(({ same, away }) => [{ key: same }, { key: away, projectId }]),
    ];
    const [instances, others] = INSTANCES;
    const first = new Lab({ ...common, emulator: { ...service, keys }, instances, between: this.#between(0) });
    const stack = story.twins ? "dev" : "other";
    const apiKey = KEYS[1]!;
    const second = new Lab({
      ...{ ...common, beside: first, stack, apiKey, instances: others },
      between: this.#between(1),
    });
    this.labs = [first, second];
    const { emulator, clock } = first;
    this.#furnish(branchReadyMs);
    this.#ledger = new Ledger(
      emulator,
      (header) => (header.includes(KEYS[1]!) ? 1 : 0),
      () => clock.now(),
    );
    this.injector = new Injector(clock, emulator, (kind) => this.#hit(kind));
    this.slots = story.programs.map((wishes) => wishes.map((wish) => (wish ? { wish, generation: 0 } : undefined)));
    this.court = {
      emulator,
      ledger: this.#ledger,
      labs: this.labs,
      twins: story.twins,
      excused: new Map(),
      delivered: new Set(),
      everTouched: new Set(),
      pending: new Map(),
      spoilt: false,
      ignoredFields: service.ignoredFields ?? [],
      excepted: new Set(),
      lied: false,
      pretended: false,
      unsure: false,
    };
  }

  get ledger(): Ledger {
    return this.#ledger;
  }

  /** What the program of a stack says now. */
  program(stack: number): Record<string, Props> {
    return Object.fromEntries(
      this.slots[stack]!.flatMap((slot, index) =>
        slot ? [[nameOf(index, slot), { ...argsOf(stack, index, slot.wish), ...this.#taken(stack, index, slot) }]] : [],
      ),
    );
  }

  /** The compute of the resource's old name, for one that takes it over. */
  #taken(stack: number, index: number, slot: Slot): Props {
    if (!slot.wish.takes) return {};
    const name = nameOf(index, slot);
    const known = this.#takes.get(`${stack} ${name}`);
    const old = known ?? this.labs[stack]!.state.get(nameOf(index, { ...slot, generation: slot.generation - 1 }))?.id;
    if (old === undefined) return {};
    this.#takes.set(`${stack} ${name}`, old);
    return { adopt: old };
  }

  /** The resource options of the program of a stack. */
  options(stack: number): Record<string, Options> {
    return Object.fromEntries(
      this.slots[stack]!.flatMap((slot, index) => (slot ? [[nameOf(index, slot), optionsOf(slot.wish)]] : [])),
    );
  }

  /** Makes ready for an act: what hit before does not count for it. */
  begin(act?: Pick<Act, "stack" | "kill" | "interrupt" | "hands" | "both">): void {
    this.#hits = new Set();
    this.#cue = { ...(act ?? NO_CUE), stack: act?.stack ?? 0 };
    this.#both = act?.both ?? false;
    this.#meddle(0);
    // What was done before the command began is there for its preview to be seen, or is drift.
    this.#touched = new Set();
  }

  /** One command, until its end or its death. */
  async run(
    stack: number,
    command: Report["command"],
    program = this.program(stack),
    options = this.options(stack),
  ): Promise<Report> {
    const lab = this.labs[stack]!;
    const before = new Map(lab.state);
    const running = Object.values(this.court.emulator.world.endpoints).filter(isRunning);
    const began = this.#ledger.deeds.length;
    this.#counts[stack] = 0;
    this.#spoken[stack] = [];
    this.tally.command(command);
    const previewed = command === "up" ? await this.#preview(lab, program, options) : undefined;
    lab.planned = {};
    lab.last = { warnings: [], said: [], sent: [], steps: [] };
    const killed = previewed?.failed ? false : await this.#carryOut(lab, command, program, options);
    if (lab.life.stopping) this.court.spoilt = true;
    // What had left before the death still arrives.
    if (killed) {
      this.court.unsure = true;
      this.court.spoilt = true;
      await lab.clock.advance(20);
    }
    // A delete of which nobody heard: the engine does not know either that the compute is gone.
    if (lab.last.steps.some(({ op, error }) => error && (op === "delete" || op === "replace")))
      this.court.unsure = true;
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
      deeds: this.#ledger.deeds.slice(began).filter((deed) => deed.stack === stack),
      sent: this.#spoken[stack]!,
      hits: this.#hits,
      running: new Set(running.map(({ id }) => id)),
      touched: this.#touched,
    };
    this.watch?.(report, lab);
    return report;
  }

  /** The preview with which each `up` begins: in processes of its own, and without a request. */
  async #preview(lab: Lab, program: Record<string, Props>, options: Record<string, Options>): Promise<Previewed> {
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
      // A step's error is judged with its step; what comes from elsewhere is a mistake of ours.
      if (!lab.last.steps.some((step) => step.error === error)) throw error;
    }
    return false;
  }

  #hit(kind: string): void {
    this.#hits.add(kind);
    if (!BY_ITSELF.has(kind)) this.court.spoilt = true;
    if (LIES.has(kind)) this.court.lied = true;
    // What was not done although it was answered is drift, which a refresh finds.
    if (kind === EMPTY) {
      this.court.unsure = true;
      this.court.pretended = true;
    }
    this.tally.hit(kind);
  }

  /** By hand: all that is due at this request. */
  #meddle(count: number): void {
    for (const hand of this.#cue.hands) {
      if (hand.at !== count) continue;
      const { stack } = this.#cue;
      const ofSlot = (index: number) => {
        const slot = this.slots[stack]![index];
        return slot && this.labs[stack]!.state.get(nameOf(index, slot))?.id;
      };
      const ids = byHand(this.labs[0]!.emulator, hand, ofSlot);
      if (ids.length === 0) continue;
      for (const id of ids) {
        this.#touched.add(id);
        this.court.everTouched.add(id);
      }
      this.court.spoilt = true;
      this.tally.hit(`by hand: ${hand.what}`);
    }
  }

  #between(stack: number) {
    return async (request: TransportRequest, go: Transport): Promise<TransportAnswer> => {
      const lab = this.labs[stack]!;
      const { clock, life } = lab;
      const count = ++this.#counts[stack]!;
      const mine = this.#cue.stack === stack;
      const kill = mine && this.#cue.kill?.request === count ? this.#cue.kill : undefined;
      const die = () => {
        if (kill) void clock.sleep(kill.laterMs).then(() => life.kill());
      };
      if (mine) this.#meddle(count);
      if (mine && this.#cue.interrupt === count) lab.cancel();
      if (kill?.when === "before") {
        if (kill.laterMs === 0) {
          life.kill();
          return new Promise(() => {});
        }
        die();
      }
      const path = request.url.slice(BASE.length).split("?")[0]!;
      const process = request.headers["authorization"] ?? "";
      const spoken: Spoken = { process, line: `${request.method} ${path}`, body: request.body ?? "", at: clock.now() };
      this.#spoken[stack]!.push(spoken);
      try {
        const answer = await this.injector.send(request, async (asked) =>
          this.#honest(asked, await this.#spelled(asked, go)),
        );
        this.#heard(spoken, answer, lab);
        return answer;
      } finally {
        if (kill?.when === "after") die();
      }
    };
  }

  /** Values in the spelling of the service. */
  async #spelled(request: TransportRequest, go: Transport): Promise<TransportAnswer> {
    if (!this.#respells) return go(request);
    const body = request.body?.replaceAll('"65536kB"', '"64MB"');
    const answer = await go({ ...request, ...(body === undefined ? {} : { body }) });
    if (answer.text.includes('"64MB"')) this.#hit(OF_THE_SERVICE.spelling);
    return { ...answer, text: answer.text.replaceAll('"64MB"', '"65536kB"') };
  }

  /** What the emulator itself answered. */
  #honest({ url, method }: TransportRequest, answer: TransportAnswer): TransportAnswer {
    if (answer.status === 423) this.#hit(OF_THE_SERVICE.lock);
    if (answer.status === 429) this.#hit(OF_THE_SERVICE.rate);
    if (answer.status === 422 && answer.text.includes("not ready")) this.#hit(OF_THE_SERVICE.notReady);
    const isList = method === "GET" && url.endsWith("/endpoints") && answer.status === 200;
    const random = this.labs[0]!.options.emulator?.listOrder === "random";
    if (isList && random && answer.text.split('"host"').length > 2) this.#hit(OF_THE_SERVICE.random);
    return answer;
  }

  #heard(spoken: Spoken, answer: TransportAnswer, { clock }: Lab): void {
    spoken.answeredAt = clock.now();
    spoken.isInDoubt = answer.status >= 500 || (answer.status < 300 && !isWhole(answer.text));
    const asked = answer.headers["retry-after"];
    if (asked) {
      const ms = /^\d+$/.test(asked)
        ? Number(asked) * 1000
        : Date.parse(asked) - (Date.parse(answer.headers["date"] ?? "") || clock.wall());
      // A pause of more than an hour can't be meant.
      if (ms > 0 && ms <= LONGEST_PAUSE_MS && !asked.startsWith("-")) spoken.retryAfterMs = ms;
    }
    if (answer.status !== 201 || !spoken.line.endsWith("/endpoints")) return;
    const id = /^\{"endpoint":.*?"id":"(ep-[^"]+)"/.exec(answer.text)?.[1];
    if (id && isWhole(answer.text)) this.court.delivered.add(id);
  }

  #furnish(branchReadyMs: number): void {
    const { world, clock } = this.labs[0]!.emulator;
    const dev = world.branches[SEED.branches.dev]!;
    world.branches[EXTRA_BRANCH] = { ...dev, id: EXTRA_BRANCH, name: "extra" };
    const primary = world.endpoints[SEED.primaryId]!;
    const host = primary.host.replace(primary.id, HAND_MADE);
    world.endpoints[HAND_MADE] = { ...primary, id: HAND_MADE, host, type: "read_only" };
    if (branchReadyMs === 0) return;
    dev.current_state = "init";
    dev.pending_state = "ready";
    dev.ready_at = new Date(clock.now() + branchReadyMs).toISOString();
  }
}

function isWhole(text: string): boolean {
  try {
    return typeof (JSON.parse(text) as { endpoint?: { id?: unknown } }).endpoint?.id === "string";
  } catch {
    return false;
  }
}
