import type { Cancellation } from "../cancellation.js";
import type { Clock } from "../clock.js";
import { Cancelled } from "../errors.js";
import type { WireOperation } from "../wire/operation.js";

/** Changes that a project gets at once before it has shown how it locks. */
const FIRST_WINDOW = 2;
/** Turns after which a project that has refused two changes at once is tried with two again; doubled each time it refuses. */
const FIRST_PROBE = 20;

/** Milliseconds for which one change may follow the other before another stack gets a chance… */
const HOLD_MS = 8_000;
/** …and where another one has shown itself. */
const SHORT_HOLD_MS = 3_000;
/** Milliseconds of that chance. It has to be longer than the step between two looks of one that waits for a lock. */
const GAP_MS = 500;
/** Milliseconds for which another stack is remembered. */
const REMEMBERED_MS = 60_000;

/** One change with its waiting. */
interface Turn {
  /** What it works on: ids of branches and computes. Turns that share one come one after the other. */
  keys: readonly string[];
  begin: () => void;
  /** Its change was accepted, and has begun work that goes on. */
  works: boolean;
  /** How often the project had refused a change when this turn began. */
  refusedBefore: number;
}

/** What is known of how a project locks. */
interface Project {
  waiting: Turn[];
  active: Set<Turn>;
  /** Changes that may be under way at once. */
  window: number;
  refusals: number;
  /** Turns that ended since the window is one. */
  narrowFor: number;
  probeAfter: number;
  /** When the changes began that have followed each other without a gap. */
  heldSince: number;
  /** When the last of them ended. */
  endedAt: number;
  isYielding: boolean;
  /** When a change of ours was last refused for work that is not ours. */
  neighbourAt: number;
}

/**
 * Who may change a project now. A project refuses work (423) while any of its operations runs, or only while one of the same
 * branch does: nothing tells which. So each begins with two changes at once. One that is accepted beside running work of
 * another branch doubles that; one that is refused for work of another branch makes it one. Projects never wait for each other.
 */
export class Turns {
  readonly #projects = new Map<string, Project>();

  constructor(
    private readonly cancellation?: Cancellation,
    private readonly clock?: Pick<Clock, "now" | "sleep">,
  ) {}

  /**
   * Runs `work` when its turn has come: in the order of asking among those that share a key.
   * @throws Cancelled where a cancel comes before the turn
   */
  take<T>(projectId: string, keys: readonly (string | undefined)[], work: () => Promise<T>): Promise<T> {
    const project = this.#projects.get(projectId) ?? unknownProject();
    this.#projects.set(projectId, project);
    return new Promise<T>((resolve, reject) => {
      const cancelled = () => {
        project.waiting = project.waiting.filter((one) => one !== turn);
        reject(new Cancelled(`interrupted before the turn of this change in project ${projectId} came`));
      };
      const forget = this.cancellation?.onRequest(cancelled);
      const end = () => {
        project.active.delete(turn);
        if (project.window === 1 && ++project.narrowFor >= project.probeAfter) widen(project);
        project.endedAt = this.#now();
        this.#next(project);
      };
      const begin = () => {
        forget?.();
        const done = Promise.resolve().then(work);
        done.then(end, end);
        done.then(resolve, reject);
      };
      const turn: Turn = { keys: keys.filter((key) => key !== undefined), begin, works: false, refusedBefore: 0 };
      project.waiting.push(turn);
      if (this.cancellation?.requested) cancelled();
      this.#next(project);
    });
  }

  /** The turn that has `key` works on `more` as well, which was not known when it asked: the compute that it takes over. */
  joins(projectId: string, key: string, more: string): void {
    const project = this.#projects.get(projectId);
    const turn = project && holderOf(project, key);
    if (turn && !turn.keys.includes(more)) turn.keys = [...turn.keys, more];
  }

  /** A change was accepted. @param key of the turn that sent it; @param works whether it has begun work that goes on */
  accepted(projectId: string, key: string, works: boolean): void {
    const project = this.#projects.get(projectId);
    const turn = project && holderOf(project, key);
    if (!turn) return;
    const beside = [...project.active].some((other) => other !== turn && other.works);
    // After a refusal the work of the others may have ended before this was accepted.
    if (beside && turn.refusedBefore === project.refusals) {
      widen(project);
      project.probeAfter = FIRST_PROBE;
    }
    turn.works ||= works;
    this.#next(project);
  }

  /** Lets in who may begin, unless another stack has waited long enough. */
  #next(project: Project): void {
    if (project.isYielding) return;
    const now = this.#now();
    if (project.active.size === 0 && project.waiting.length > 0) {
      if (now - project.endedAt >= GAP_MS) project.heldSince = now;
      const holdMs = now - project.neighbourAt < REMEMBERED_MS ? SHORT_HOLD_MS : HOLD_MS;
      if (this.clock && now - project.heldSince >= holdMs) {
        void this.#yield(project, this.clock);
        return;
      }
    }
    next(project);
  }

  /**
   * A service that locks a project serves nobody in particular: who begins its next change at once would keep other stacks
   * waiting until their time is up.
   */
  async #yield(project: Project, clock: Pick<Clock, "sleep">): Promise<void> {
    project.isYielding = true;
    // A cancel has refused all who wait.
    await clock.sleep(GAP_MS).catch(() => {});
    project.isYielding = false;
    this.#next(project);
  }

  #now(): number {
    return this.clock?.now() ?? 0;
  }

  /**
   * A change was refused with 423.
   * @param going what goes on in the project, as far as that could be seen
   * @param ended what ended so short ago that it may have been the reason
   */
  refused(projectId: string, key: string, going: readonly WireOperation[], ended: readonly WireOperation[] = []): void {
    const project = this.#projects.get(projectId);
    const turn = project && holderOf(project, key);
    if (!turn) return;
    project.refusals++;
    const isOurs = (one: WireOperation) => [...project.active].some(({ keys }) => touches(keys, one));
    if (going.some((one) => !isOurs(one))) project.neighbourAt = this.#now();
    const beside = going.length > 0 || [...project.active].some((other) => other !== turn && other.works);
    // Beside work of this very branch, or of none, a change is refused under both kinds of lock.
    if (!beside || [...going, ...ended].some((one) => touches(turn.keys, one)) || project.window === 1) return;
    if (project.narrowFor > 0) project.probeAfter *= 2;
    project.window = 1;
    project.narrowFor = 0;
  }
}

/** Work of which neither a branch nor a compute is known may be anybody's. */
const touches = (keys: readonly string[], { branch_id: branch, endpoint_id: endpoint }: WireOperation): boolean =>
  branch === undefined && endpoint === undefined ? true : keys.some((own) => own === branch || own === endpoint);

const unknownProject = (): Project => ({
  waiting: [],
  active: new Set(),
  window: FIRST_WINDOW,
  refusals: 0,
  narrowFor: 0,
  probeAfter: FIRST_PROBE,
  heldSince: Number.NEGATIVE_INFINITY,
  endedAt: Number.NEGATIVE_INFINITY,
  isYielding: false,
  neighbourAt: Number.NEGATIVE_INFINITY,
});

const holderOf = ({ active }: Project, key: string): Turn | undefined =>
  [...active].find(({ keys }) => keys.includes(key));

function widen(project: Project): void {
  project.window *= 2;
}

/** Lets in who may begin. Nobody overtakes a waiting turn that needs one of the same keys. */
function next(project: Project): void {
  const taken = new Set([...project.active].flatMap(({ keys }) => keys));
  for (let index = 0; index < project.waiting.length && project.active.size < project.window; ) {
    const turn = project.waiting[index] as Turn;
    const free = turn.keys.every((key) => !taken.has(key));
    for (const key of turn.keys) taken.add(key);
    if (!free) {
      index++;
      continue;
    }
    project.waiting.splice(index, 1);
    project.active.add(turn);
    turn.refusedBefore = project.refusals;
    turn.begin();
  }
}
