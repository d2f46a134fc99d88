/** One change, with its waiting, at a time per project, first come first served; projects never wait for each other. */
export class Turns {
  take<T>(_project: string, _work: () => Promise<T>): Promise<T> {
    throw new Error("not built yet");
  }
}
