// The provider processes of one run find each other and exchange what they know. Each listens on a socket of its own in a
// folder that only this user can enter. There is no leader, so none has to be succeeded when a process ends. Where the
// folder or a socket can't be used, a process is alone, as it was before.

import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { engineIn } from "./lifeline.js";

/** Milliseconds an exchange may take: a process that hangs must not stop a delete. */
const LIMIT_MS = 2_000;
/** Milliseconds for a process that has not answered before. */
const SLOW_LIMIT_MS = 200;
/** Milliseconds in which the facts of a program's resources are gathered. */
const GATHER_MS = 100;
/** Characters of one message; ten thousand computes need a fifth of it. */
const LONGEST_MESSAGE = 8_000_000;
/** Bytes of a socket's path that every system takes. */
const LONGEST_PATH = 100;
/** Milliseconds after which a socket file is looked at that no run of this engine made. */
const OLD_MS = 3_600_000;
/** Part of every name: processes of versions that do not understand each other never meet. */
const VERSION = "1";

/** What a process knows and learns. Facts are only ever added, so a number says how many of them somebody has. */
export interface Book {
  facts(): readonly unknown[];
  hear(from: string, facts: readonly unknown[]): void;
}

export interface Place {
  /** The arguments of the process: Pulumi gives the engine's address. */
  argv: readonly string[];
  /** The program's folder, which all provider processes of a run work in. */
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

/** What is known of another process. */
interface Peer {
  /** Facts of its that were heard. */
  heard: number;
  /** Own facts that it has. */
  told: number;
  slow: boolean;
}

export class Peers {
  readonly #known = new Map<string, Peer>();
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly book: Book,
    private readonly folder: string,
    /** Begins the name of each socket of this run. */
    private readonly run: string,
    private readonly self: string,
    private readonly server: Server,
    private readonly limitMs: number,
  ) {
    server.on("connection", (socket) => this.#answer(socket));
  }

  /** Begins to listen. Undefined where Pulumi gives no address of an engine, or the system no such folder or socket. */
  static join(book: Book, { argv, cwd, folder, limitMs = LIMIT_MS }: Place): Peers | undefined {
    const engine = engineIn(argv);
    if (engine === undefined) return undefined;
    // The engine of a preview and that of the update after it have ports of their own. A port recurs, but a socket of an
    // earlier run has nobody behind it: a provider process ends with its engine.
    const run = `${VERSION}-${digestOf(`${engine}\n${cwd}`)}-`;
    const self = `${run}${process.pid}-${randomBytes(6).toString("hex")}`;
    try {
      const own = folder ?? folderFor(self);
      if (own === undefined) return undefined;
      removeStale(own, run);
      const server = createServer();
      server.on("error", () => {});
      // The file is there when this returns.
      server.listen(addressOf(own, self));
      server.unref();
      if (IS_WINDOWS) writeFileSync(join(own, self), "");
      return new Peers(book, own, run, self, server, limitMs);
    } catch {
      return undefined;
    }
  }

  /** Exchanges facts with each other process of the run. Ends within the limit, whatever they do. */
  exchange(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A fact that is added now may be too late for the exchange that runs. All who come meanwhile share the next one.
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running.then(() => this.#begin());
    return this.#next;
  }

  /** An exchange for all facts of the next moment. */
  soon(): void {
    this.#timer ??= setTimeout(() => void this.exchange(), GATHER_MS).unref();
  }

  /** Closes the socket when the process ends. */
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
    const answer = await this.#send(name, this.#message(peer), peer.slow ? SLOW_LIMIT_MS : this.limitMs);
    peer.slow = answer === "late";
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
    const known = this.#known.get(name) ?? { heard: 0, told: 0, slow: false };
    this.#known.set(name, known);
    return known;
  }

  #message({ heard, told }: Peer): Message {
    return { from: this.self, have: heard, at: told, facts: this.book.facts().slice(told) };
  }

  #learn(peer: Peer, name: string, { at, facts, have }: Message): void {
    // Two messages may cross: what was heard before is not heard again, and a gap is filled by the next exchange.
    if (at <= peer.heard) {
      const fresh = facts.slice(peer.heard - at);
      peer.heard += fresh.length;
      this.book.hear(name, fresh);
    }
    peer.told = Math.max(0, Math.min(have, this.book.facts().length));
  }
}

/** One line of JSON. What is longer than any message of ours, or is none, ends the connection. */
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

const IS_WINDOWS = process.platform === "win32";

/** Windows has no socket files. Its pipes are in no folder: a file there tells the name, which nobody can guess. */
const addressOf = (folder: string, name: string): string =>
  IS_WINDOWS ? `\\\\.\\pipe\\pulumi-compute-endpoint-${name}` : join(folder, name);

/**
 * A folder of this user's alone. Anybody can make a folder of this name among the temporary files, and then the processes could
 * not find each other. In the home folder nobody else can.
 */
function folderFor(name: string): string | undefined {
  const user = process.getuid?.();
  const places = [tmpdir(), "/tmp"].map((each) => join(each, `pulumi-compute-endpoint-${user ?? "run"}`));
  return [...places, join(homedir(), ".cache", "pulumi-compute-endpoint", "run")]
    .filter((each) => IS_WINDOWS || join(each, name).length <= LONGEST_PATH)
    .find((each) => isOurs(each, user));
}

function isOurs(folder: string, user: number | undefined): boolean {
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const found = lstatSync(folder);
    if (!found.isDirectory()) return false;
    // Windows has a folder for temporary files for each user. Elsewhere the folder may be another user's, or a link.
    return user === undefined || (found.uid === user && (found.mode & 0o077) === 0);
  } catch {
    return false;
  }
}

/** Sockets that processes of other runs left when they were killed. Those of this run go when nobody answers. */
function removeStale(folder: string, run: string): void {
  const now = Date.now();
  for (const name of readdirSync(folder)) {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (name.startsWith(run) || !found || now - found.mtimeMs < OLD_MS) continue;
    const socket = connect(addressOf(folder, name)).unref();
    socket.once("error", (error) => removeIfGone(folder, name, error));
    socket.once("connect", () => socket.destroy());
  }
}

/** The process is gone and has left its file. */
function removeIfGone(folder: string, name: string, { code }: NodeJS.ErrnoException): void {
  if (code === "ECONNREFUSED" || (IS_WINDOWS && code === "ENOENT")) rmSync(join(folder, name), { force: true });
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
