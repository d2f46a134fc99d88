// The provider processes of one run find each other and exchange what they know. Each listens on a socket of its own. None of them
// leads, so a process may end at any time. A process that can't use the folder or a socket exchanges nothing.

import { createHash, randomBytes } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { engineAddressIn } from "./exit-with-engine.js";
import { addressOf, folderFor, IS_WINDOWS, removeIfGone, removeStale } from "./peer-sockets.js";

/** Milliseconds an exchange may take. A process that hangs must not stop a delete. */
const LIMIT_MS = 2_000;
/** Milliseconds for a process that did not answer the last time. */
const SLOW_LIMIT_MS = 200;
/** Milliseconds in which facts gather before they are sent: the engine diffs many resources one after the other. */
const GATHER_MS = 100;
/** Characters of one message. Ten thousand computes need a fifth of them. */
const LONGEST_MESSAGE = 8_000_000;
/** Part of every socket's name. Processes whose versions do not understand each other never meet. */
const VERSION = "2";

/** A process with its facts. They are only appended, so a count tells which of them another process has. */
export interface FactOwner {
  facts(): readonly unknown[];
  hear(from: string, facts: readonly unknown[]): void;
}

export interface ProcessLocation {
  /** The arguments of the process. Pulumi gives the engine's address there. */
  argv: readonly string[];
  /** The program's folder, in which all provider processes of a run work. */
  cwd: string;
  /** @default the system's folder for temporary files */
  folder?: string;
  /** @default 2000 */
  limitMs?: number;
}

interface Message {
  from: string;
  /** How many of the receiver's facts the sender has. */
  have: number;
  /** How many of the sender's facts come before these. */
  at: number;
  facts: unknown[];
}

/** Another process of the run. */
interface Peer {
  /** How many of its facts this process has. */
  received: number;
  /** How many of this process's facts it has. */
  sent: number;
  isSlow: boolean;
}

export class Peers {
  readonly #known = new Map<string, Peer>();
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly owner: FactOwner,
    private readonly folder: string,
    /** The names of all sockets of this run begin with it. */
    private readonly run: string,
    private readonly self: string,
    private readonly server: Server,
    private readonly limitMs: number,
  ) {
    server.on("connection", (socket) => this.#answer(socket));
  }

  /** Begins to listen. Undefined if Pulumi gives no address of an engine, or there can be no folder or socket. */
  static join(owner: FactOwner, { argv, cwd, folder, limitMs = LIMIT_MS }: ProcessLocation): Peers | undefined {
    const engine = engineAddressIn(argv);
    if (engine === undefined) return undefined;
    // The engine's port tells runs apart: a preview and the update after it have different ones. A later run may get the same
    // port, but nobody answers on the old sockets: a provider process ends with its engine.
    const run = `${VERSION}-${fingerprintOf(`${engine}\n${cwd}`)}-`;
    const self = `${run}${process.pid}-${randomBytes(6).toString("hex")}`;
    try {
      const own = folder ?? folderFor(self);
      if (own === undefined) return undefined;
      removeStale(own, run);
      const server = createServer();
      server.on("error", () => {});
      // The socket file exists when this returns.
      server.listen(addressOf(own, self));
      server.unref();
      if (IS_WINDOWS) writeFileSync(join(own, self), "");
      return new Peers(owner, own, run, self, server, limitMs);
    } catch {
      return undefined;
    }
  }

  /** Exchanges facts with all other processes of the run. Ends within the limit, whatever they do. */
  exchange(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A new fact may be too late for the running exchange. Until that one ends, all callers share the next one.
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running.then(() => this.#begin());
    return this.#next;
  }

  /** Exchanges a moment later, with all facts that are added until then. */
  exchangeSoon(): void {
    this.#timer ??= setTimeout(() => void this.exchange(), GATHER_MS).unref();
  }

  /** Closes the socket. Called when the process ends. */
  close(): void {
    clearTimeout(this.#timer);
    this.server.close();
    rmSync(join(this.folder, this.self), { force: true });
  }

  async #begin(): Promise<void> {
    this.#next = undefined;
    const all = this.#names().map((name) => this.#ask(name));
    this.#running = Promise.all(all).then(() => {});
    await this.#running;
    this.#running = undefined;
  }

  #names(): string[] {
    try {
      return readdirSync(this.folder).filter((name) => name.startsWith(this.run) && name !== this.self);
    } catch {
      return [];
    }
  }

  async #ask(name: string): Promise<void> {
    const peer = this.#peer(name);
    const answer = await this.#send(name, this.#message(peer), peer.isSlow ? SLOW_LIMIT_MS : this.limitMs);
    peer.isSlow = answer === "late";
    if (typeof answer === "object") this.#learn(peer, name, answer);
  }

  #send(name: string, message: Message, limitMs: number): Promise<Message | "gone" | "late"> {
    return new Promise((resolve) => {
      const socket = connect(addressOf(this.folder, name)).unref();
      const end = (answer: Message | "gone" | "late") => {
        clearTimeout(timer);
        socket.destroy();
        resolve(answer);
      };
      const timer = setTimeout(() => end("late"), limitMs).unref();
      socket.once("error", (error) => {
        removeIfGone(this.folder, name, error);
        end("gone");
      });
      socket.once("close", () => end("gone"));
      receive(socket, end);
      socket.write(`${JSON.stringify(message)}\n`);
    });
  }

  #answer(socket: Socket): void {
    socket.unref();
    socket.on("error", () => {});
    socket.setTimeout(this.limitMs, () => socket.destroy());
    receive(socket, (message) => {
      if (!message.from.startsWith(this.run)) return void socket.destroy();
      const peer = this.#peer(message.from);
      this.#learn(peer, message.from, message);
      socket.end(`${JSON.stringify(this.#message(peer))}\n`);
    });
  }

  #peer(name: string): Peer {
    const known = this.#known.get(name) ?? { received: 0, sent: 0, isSlow: false };
    this.#known.set(name, known);
    return known;
  }

  #message({ received, sent }: Peer): Message {
    return { from: this.self, have: received, at: sent, facts: this.owner.facts().slice(sent) };
  }

  #learn(peer: Peer, name: string, { at, facts, have }: Message): void {
    // Two messages may cross. Facts that were received before are skipped, and the next exchange fills a gap.
    if (at <= peer.received) {
      const fresh = facts.slice(peer.received - at);
      peer.received += fresh.length;
      this.owner.hear(name, fresh);
    }
    peer.sent = Math.max(0, Math.min(have, this.owner.facts().length));
  }
}

/** Reads one line of JSON. A line that is too long, or no message of ours, ends the connection. */
function receive(socket: Socket, take: (message: Message) => void): void {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    text += chunk;
    if (text.length > LONGEST_MESSAGE) return void socket.destroy();
    if (!chunk.includes("\n")) return;
    const message = messageIn(text.slice(0, text.indexOf("\n")));
    text = "";
    if (message) take(message);
    else socket.destroy();
  });
}

function messageIn(line: string): Message | undefined {
  try {
    const { from, have, at, facts } = Object(JSON.parse(line)) as Record<string, unknown>;
    const isWhole = typeof from === "string" && Number.isInteger(have) && Number.isInteger(at) && Array.isArray(facts);
    return isWhole ? { from, have: have as number, at: at as number, facts } : undefined;
  } catch {
    return undefined;
  }
}

const fingerprintOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
