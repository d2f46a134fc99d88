/** A client of the suite's own, so that no mistake of ours is on both sides: plain requests, and the least of waiting. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { problemsOf } from "../emulator/handlers/published";
import type { Target } from "./target";

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as a client in any language would, without our types
export type Body = any;

export interface Reply {
  status: number;
  body: Body;
  headers: Headers;
}

const PENDING = new Set(["scheduling", "running", "cancelling"]);
const REFUSED_FOR_NOW = new Set([423, 429, 503]);
const LIMIT_MS = 180_000;

/** A proxy in front of a service answers with a page of its own; that has no body for us. */
function parsed(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export class Service {
  constructor(private readonly target: Target) {}

  /** One request, as it is. Each answer is held to the published schema. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const response = await fetch(`${this.target.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.target.apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const reply: Reply = {
      status: response.status,
      headers: response.headers,
      body: parsed(text),
    };
    // The service gets new fields without notice; the emulator has no business to.
    const problems = problemsOf(method, path, reply.status, reply.body).filter(
      (one) => !(this.target.real && one.endsWith("not published")),
    );
    expect(problems, `${method} ${path}: ${text}`).toEqual([]);
    return reply;
  }

  /** The same, again while the service is busy: it has done nothing then. */
  async ask(method: string, path: string, body?: unknown): Promise<Reply> {
    const until = performance.now() + LIMIT_MS;
    for (;;) {
      const reply = await this.send(method, path, body);
      if (!REFUSED_FOR_NOW.has(reply.status) || performance.now() > until) return reply;
      await sleep(this.target.pollMs);
    }
  }

  /** A change that is carried out: its answer, once all of its operations have ended well. */
  async done(method: string, path: string, body?: unknown): Promise<Reply> {
    const reply = await this.ask(method, path, body);
    expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    await this.settle(reply.body?.operations ?? []);
    return reply;
  }

  /** Looks until it is so. */
  async until(so: () => Promise<boolean>): Promise<void> {
    const limit = performance.now() + LIMIT_MS;
    while (!(await so())) {
      if (performance.now() > limit) throw new Error(`not within ${LIMIT_MS} ms: ${so}`);
      await sleep(this.target.pollMs);
    }
  }

  async settle(operations: { id: string; project_id: string }[]): Promise<void> {
    for (const { id, project_id: projectId } of operations) {
      await this.until(async () => {
        const { operation } = (await this.ask("GET", `/projects/${projectId}/operations/${id}`)).body;
        if (PENDING.has(operation.status)) return false;
        expect(["finished", "skipped"], JSON.stringify(operation)).toContain(operation.status);
        return true;
      });
    }
  }
}
