import type { Cancellation } from "../cancellation.js";
import type { Clock } from "../clock.js";
import { Cancelled } from "../errors.js";
import type { WireOperation } from "../wire/operation.js";
import { FairShare } from "./fair-share.js";

/** Mutations that may run in a project at the same time, before it has shown how it locks. */
const FIRST_WINDOW = 2;
/**
 * A project that has refused to run two mutations at the same time gets one at a time. After 20 mutations it is
 * tried with two again. If it refuses again, it is tried with two only after 40, then after 80, and so on.
 */
const FIRST_WIDEN_AFTER = 20;

/** One change of a project: create, update, delete or action, with its waiting. */
interface Mutation {
  /**
   * Keys of what it changes: ids of branches and computes, and `name:…` of a compute to create. Mutations that share a key run
   * one after the other.
   */
  keys: readonly string[];
  begin: () => void;
  /** Whether the service accepted it and still works on it. */
  hasPendingWork: boolean;
  /** How often the project had refused a mutation when this one began. */
  refusalsAtStart: number;
}

/** The queue of a project, and how the project has shown to lock. */
interface ProjectQueue {
  waiting: Mutation[];
  active: Set<Mutation>;
  /** Mutations that may be active at once. */
  window: number;
  refusals: number;
  /** Mutations that have ended since the window became one. */
  endedSinceNarrowed: number;
  widenAfter: number;
  share: FairShare;
  /** Ids of the branches and computes that our mutations have changed. */
  ownKeys: Set<string>;
  isPausing: boolean;
}

/**
 * Decides which mutations of a project run now. The service refuses a mutation (423) while an operation runs. Some projects lock
 * as a whole, others only per branch, and no API says which. So the queue makes a slow start: it begins with a window of two
 * mutations at the same time. The window doubles when a mutation is accepted beside work on another branch. It becomes one when a
 * mutation is refused because of work on another branch. Projects never wait for each other.
 */
export class MutationQueue {
  readonly #projects = new Map<string, ProjectQueue>();

  constructor(
    private readonly cancellation?: Cancellation,
    private readonly clock?: Pick<Clock, "now" | "sleep">,
  ) {}

  /**
   * Runs `work` as soon as the project's window and the keys allow it. Mutations that share a key run in the order of
   * calls.
   * @throws Cancelled if a cancel comes before it begins
   */
  run<T>(projectId: string, keys: readonly (string | undefined)[], work: () => Promise<T>): Promise<T> {
    const project = this.#projects.get(projectId) ?? newProjectQueue();
    this.#projects.set(projectId, project);
    return new Promise<T>((resolve, reject) => {
      const cancel = () => {
        project.waiting = project.waiting.filter((one) => one !== mutation);
        reject(new Cancelled(`interrupted before this change in project ${projectId} began`));
      };
      const stopListening = this.cancellation?.onRequest(cancel);
      const end = () => {
        project.active.delete(mutation);
        if (project.window === 1 && ++project.endedSinceNarrowed >= project.widenAfter) widen(project);
        project.share.ended(this.#now());
        this.#next(project);
      };
      const begin = () => {
        stopListening?.();
        const done = Promise.resolve().then(work);
        done.then(end, end);
        done.then(resolve, reject);
      };
      const known = keys.filter((id) => id !== undefined);
      const mutation: Mutation = { keys: known, begin, hasPendingWork: false, refusalsAtStart: 0 };
      project.waiting.push(mutation);
      if (this.cancellation?.requested) cancel();
      this.#next(project);
    });
  }

  /**
   * Adds the id of a compute that the active mutation has just found and adopts.
   * @param key one of the keys with which the mutation was queued
   */
  addKey(projectId: string, key: string, adoptedId: string): void {
    const project = this.#projects.get(projectId);
    const mutation = project && activeMutation(project, key);
    if (mutation && !mutation.keys.includes(adoptedId)) mutation.keys = [...mutation.keys, adoptedId];
    project?.ownKeys.add(adoptedId);
  }

  /**
   * The service has accepted the active mutation.
   * @param key id of the compute or branch with which the mutation was queued
   * @param hasPendingWork whether the service has begun work that goes on
   */
  accepted(projectId: string, key: string, hasPendingWork: boolean): void {
    const project = this.#projects.get(projectId);
    const mutation = project && activeMutation(project, key);
    if (!mutation) return;
    project.share.accepted(this.#now());
    // It was accepted beside other work, so more mutations may run at the same time. But if the project has refused one
    // since this one began, the acceptance proves nothing: the other work may have ended in the meantime.
    if (hasWorkBeside(project, mutation) && mutation.refusalsAtStart === project.refusals) {
      widen(project);
      project.widenAfter = FIRST_WIDEN_AFTER;
    }
    mutation.hasPendingWork ||= hasPendingWork;
    this.#next(project);
  }

  /**
   * The service has refused the active mutation (423).
   * @param key id of the compute or branch with which the mutation was queued
   * @param running operations that run in the project, as far as they could be seen
   * @param ended recently ended operations, which may have caused the 423
   * @returns whether work of others runs
   */
  refused(
    projectId: string,
    key: string,
    running: readonly WireOperation[],
    ended: readonly WireOperation[] = [],
  ): boolean {
    const project = this.#projects.get(projectId);
    const mutation = project && activeMutation(project, key);
    if (!mutation) return false;
    project.refusals++;
    const isOurs = (one: WireOperation) => [...project.active].some(({ keys }) => concerns(one, keys));
    const isByOthers = running.some((one) => !isOurs(one));
    if (isByOthers || ended.some((one) => !concerns(one, [...project.ownKeys]))) project.share.noteOthers(this.#now());
    if (running.length === 0 && !hasWorkBeside(project, mutation)) return isByOthers;
    // Work on the same branch does not tell which kind of lock the project has: both kinds refuse a mutation then.
    const isOwnBranch = [...running, ...ended].some((one) => concerns(one, mutation.keys));
    if (isOwnBranch || project.window === 1) return isByOthers;
    if (project.endedSinceNarrowed > 0) project.widenAfter *= 2;
    project.window = 1;
    project.endedSinceNarrowed = 0;
    return isByOthers;
  }

  /**
   * Call this after a refused mutation has waited for the lock.
   * @param ids of the operations that held it
   * @returns milliseconds to pause, so that other stacks get their turn
   */
  pauseAfterLock(projectId: string, ids: readonly string[], isByOthers: boolean): number {
    const share = this.#projects.get(projectId)?.share;
    const now = this.#now();
    if (share === undefined) return 0;
    if (isByOthers) {
      share.othersEnded(ids, now);
      return share.letOthersFirstMs();
    }
    // Our own operation held the lock and has ended now, so the pause for others counts from here.
    share.ended(now);
    return share.pauseMs(now);
  }

  /** Milliseconds until the running operation should end, if it takes `durationMs`; undefined if its start is unknown. */
  untilEndMs(projectId: string, durationMs: number): number | undefined {
    return this.#projects.get(projectId)?.share.untilEndMs(durationMs, this.#now());
  }

  /** Begins the mutations that may run now, unless other stacks have waited long enough. */
  #next(project: ProjectQueue): void {
    if (project.isPausing) return;
    if (this.clock && project.active.size === 0 && project.waiting.length > 0) {
      const pauseMs = project.share.pauseMs(this.#now());
      if (pauseMs > 0) {
        void this.#pauseForOthers(project, pauseMs, this.clock);
        return;
      }
    }
    beginWaiting(project);
  }

  async #pauseForOthers(project: ProjectQueue, ms: number, clock: Pick<Clock, "sleep">): Promise<void> {
    project.isPausing = true;
    // A cancel ends the sleep. It has rejected all waiting mutations by then.
    await clock.sleep(ms).catch(() => {});
    project.isPausing = false;
    beginWaiting(project);
  }

  #now(): number {
    return this.clock?.now() ?? 0;
  }
}

const newProjectQueue = (): ProjectQueue => ({
  waiting: [],
  active: new Set(),
  window: FIRST_WINDOW,
  refusals: 0,
  endedSinceNarrowed: 0,
  widenAfter: FIRST_WIDEN_AFTER,
  share: new FairShare(),
  ownKeys: new Set(),
  isPausing: false,
});

/** Whether an operation may concern one of the keys. An operation without branch and compute may concern any of them. */
const concerns = ({ branch_id: branch, endpoint_id: endpoint }: WireOperation, keys: readonly string[]): boolean =>
  branch === undefined && endpoint === undefined ? true : keys.some((own) => own === branch || own === endpoint);

const activeMutation = ({ active }: ProjectQueue, key: string): Mutation | undefined =>
  [...active].find(({ keys }) => keys.includes(key));

const hasWorkBeside = ({ active }: ProjectQueue, mutation: Mutation): boolean =>
  [...active].some((other) => other !== mutation && other.hasPendingWork);

function widen(project: ProjectQueue): void {
  project.window *= 2;
}

/** Begins waiting mutations. Of two mutations that share a key, the second never overtakes the first. */
function beginWaiting(project: ProjectQueue): void {
  const usedKeys = new Set([...project.active].flatMap(({ keys }) => keys));
  for (let index = 0; index < project.waiting.length && project.active.size < project.window; ) {
    const mutation = project.waiting[index] as Mutation;
    const isFree = mutation.keys.every((id) => !usedKeys.has(id));
    for (const id of mutation.keys) usedKeys.add(id);
    if (!isFree) {
      index++;
      continue;
    }
    project.waiting.splice(index, 1);
    project.active.add(mutation);
    for (const id of mutation.keys) project.ownKeys.add(id);
    mutation.refusalsAtStart = project.refusals;
    mutation.begin();
  }
}
