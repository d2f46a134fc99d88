// Log messages to the engine, which shows them at a resource.

import type { Line } from "../provider/rules/warnings.js";
import { credentials, EngineClient, engine, Metadata } from "./grpc.js";

/** Milliseconds that a message may take. */
const MESSAGE_MS = 5_000;

export class EngineLog {
  readonly #client: EngineClient;

  constructor(address: string) {
    this.#client = new EngineClient(address, credentials.createInsecure());
  }

  /** Resolves also if the engine does not take the message, because a lost message must not fail a step. */
  say(urn: string, severity: Line["severity"], message: string): Promise<void> {
    const request = new engine.LogRequest();
    request.setUrn(urn);
    request.setSeverity(severity === "warn" ? engine.LogSeverity.WARNING : engine.LogSeverity.INFO);
    request.setMessage(message);
    return new Promise((resolve) => {
      this.#client.log(request, new Metadata(), { deadline: Date.now() + MESSAGE_MS }, () => resolve());
    });
  }
}
