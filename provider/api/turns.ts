/**
 * One change, with its waiting, at a time per project, first come first served: a project may refuse work while any of
 * its operations runs, and twenty changes that retry against each other take minutes. Projects never wait for each other.
 */
export class Turns {
  // The end of the last turn that was given out. Turns per branch would be a second key here.
  readonly #ends = new Map<string, Promise<void>>();

  /** Runs `work` when all earlier work on the project has ended, well or badly. */
  take<T>(project: string, work: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(project) ?? Promise.resolve();
    const mine = before.then(work);
    const forget = () => {
      if (this.#ends.get(project) === end) this.#ends.delete(project);
    };
    const end: Promise<void> = mine.then(forget, forget);
    this.#ends.set(project, end);
    return mine;
  }
}
