import type { Clock, Deadline } from "../clock.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { Client } from "./client.js";

/** The computes of a project, in few requests. */
export class EndpointLists {
  constructor(
    readonly client: Client,
    readonly clock: Clock,
  ) {}

  /** May be up to 5 s old, unless this process wrote to the project since. */
  read(_project: string, _deadline: Deadline): Promise<WireEndpoint[]> {
    throw new Error("not built yet");
  }

  /** Never from the cache: shared only with callers whose request was not sent yet. */
  look(_project: string, _deadline: Deadline): Promise<WireEndpoint[]> {
    throw new Error("not built yet");
  }

  /** Forgets what is known of a project, and what a list that is on its way will say. */
  wrote(_project: string): void {
    throw new Error("not built yet");
  }
}
