// The network between one stack and the service. It triggers kills and Ctrl-C, lets faults answer, and records each request.

import type { Transport, TransportAnswer, TransportRequest } from "../../provider/api/transport";
import type { Lab } from "../support/lab";
import { OF_THE_SERVICE } from "./faults/kinds";
import type { ObservedRequest } from "./judge/judge";
import type { Kill, Service } from "./scenario";

/** A Retry-After of more than an hour is no serious request. */
const LONGEST_PAUSE_MS = 3_600_000;
const BASE = "https://service.test/api/v2";

export interface NetworkOptions {
  lab: () => Lab;
  /** Told the number of each request of a command, from 1. @returns the kill that this request triggers */
  beforeRequest: (number: number) => Kill | undefined;
  /** Sends a request, or lets a fault answer it. */
  send: (request: TransportRequest, go: Transport) => Promise<TransportAnswer>;
  /** Told each refusal or oddity that is the service's own, not a fault's. */
  hit: (kind: string) => void;
  /** Told each compute whose creation was answered. */
  created: (id: string) => void;
  service: Pick<Service, "respells" | "listOrder">;
}

/** The network of one stack. */
export class StackNetwork {
  /** The requests of the command that runs. */
  observed: ObservedRequest[] = [];

  constructor(private readonly options: NetworkOptions) {}

  /** A new command: its requests are counted from 1. */
  reset(): void {
    this.observed = [];
  }

  readonly between = async (request: TransportRequest, go: Transport): Promise<TransportAnswer> => {
    const { beforeRequest, lab, send } = this.options;
    const { clock, life } = lab();
    const path = request.url.slice(BASE.length).split("?")[0]!;
    const process = request.headers["authorization"] ?? "";
    const line = `${request.method} ${path}`;
    const observed: ObservedRequest = { process, line, body: request.body ?? "", at: clock.now() };
    const kill = beforeRequest(this.observed.length + 1);
    const die = () => void clock.sleep(kill!.laterMs).then(() => life.kill());
    if (kill?.when === "before") {
      if (kill.laterMs === 0) {
        life.kill();
        return new Promise(() => {});
      }
      die();
    }
    this.observed.push(observed);
    try {
      const answer = await send(request, async (sent) => this.#counted(sent, await this.#respelled(sent, go)));
      this.#record(observed, answer);
      return answer;
    } finally {
      if (kill?.when === "after") die();
    }
  };

  /** Sends and receives values in the service's own spelling. */
  async #respelled(request: TransportRequest, go: Transport): Promise<TransportAnswer> {
    if (!this.options.service.respells) return go(request);
    const body = request.body?.replaceAll('"65536kB"', '"64MB"');
    const answer = await go({ ...request, ...(body === undefined ? {} : { body }) });
    if (answer.text.includes('"64MB"')) this.options.hit(OF_THE_SERVICE.spelling);
    return { ...answer, text: answer.text.replaceAll('"64MB"', '"65536kB"') };
  }

  /** Counts what the emulator refused by itself. */
  #counted({ url, method }: TransportRequest, answer: TransportAnswer): TransportAnswer {
    const { hit, service } = this.options;
    if (answer.status === 423) hit(OF_THE_SERVICE.lock);
    if (answer.status === 429) hit(OF_THE_SERVICE.rate);
    if (answer.status === 422 && answer.text.includes("not ready")) hit(OF_THE_SERVICE.notReady);
    const isList = method === "GET" && url.endsWith("/endpoints") && answer.status === 200;
    const isRandom = service.listOrder === "random";
    if (isList && isRandom && answer.text.split('"host"').length > 2) hit(OF_THE_SERVICE.random);
    return answer;
  }

  #record(observed: ObservedRequest, answer: TransportAnswer): void {
    const { clock } = this.options.lab();
    observed.answeredAt = clock.now();
    observed.isInDoubt = answer.status >= 500 || (answer.status < 300 && !isWhole(answer.text));
    const retryAfter = answer.headers["retry-after"];
    if (retryAfter) {
      const ms = /^\d+$/.test(retryAfter)
        ? Number(retryAfter) * 1000
        : Date.parse(retryAfter) - (Date.parse(answer.headers["date"] ?? "") || clock.wall());
      if (ms > 0 && ms <= LONGEST_PAUSE_MS && !retryAfter.startsWith("-")) observed.retryAfterMs = ms;
    }
    if (answer.status !== 201 || !observed.line.endsWith("/endpoints")) return;
    const id = /^\{"endpoint":.*?"id":"(ep-[^"]+)"/.exec(answer.text)?.[1];
    if (id && isWhole(answer.text)) this.options.created(id);
  }
}

function isWhole(text: string): boolean {
  try {
    return typeof (JSON.parse(text) as { endpoint?: { id?: unknown } }).endpoint?.id === "string";
  } catch {
    return false;
  }
}
