/** Commands in process and in virtual time, with an emulator at the end of the wire. */

import { exitOf } from "../../cli/account.js";
import type { Command } from "../../cli/command.js";
import type { Io } from "../../cli/io.js";
import { createEmulator, type Emulator, type EmulatorOptions, SEED, seededRandom } from "../../emulator/index.js";
import { type Between, networkTo, type Sent } from "../support/lab/network.js";
import { VirtualClock } from "../support/virtual-clock.js";

export { SEED } from "../../emulator/index.js";

const BASE_URL = "https://service.test/api/v2";
export const PROJECT = SEED.projectId;
export const PLACE = `${PROJECT}/${SEED.primaryId}`;
export const RESTART = { method: "POST", path: `/projects/${PROJECT}/endpoints/*/restart` };

export interface Ended {
  code: number | undefined;
  stdout: string;
  stderr: string;
  sent: Sent[];
}

export interface DeskOptions extends EmulatorOptions {
  terminal?: boolean;
  /** What the person at the terminal answers. Without it, nobody is there to answer. */
  answer?: string;
  env?: NodeJS.ProcessEnv;
  between?: Between;
}

export class Desk {
  readonly clock = new VirtualClock();
  readonly emulator: Emulator;
  /** What Ctrl-C would say at this moment; undefined where nobody listens. */
  tell: (() => string) | undefined;
  readonly #options: DeskOptions;

  constructor({ terminal, answer, env, between, ...rules }: DeskOptions = {}) {
    this.#options = { terminal, answer, env, between };
    const time = { now: () => this.clock.wall(), sleep: (ms: number) => this.clock.sleep(ms) };
    this.emulator = createEmulator({ apiKey: "key-of-the-desk", random: seededRandom(1), ...rules, time });
  }

  get primary() {
    return this.emulator.world.endpoints[SEED.primaryId]!;
  }

  /** What Ctrl-C would say this many milliseconds after the command began. */
  async interrupt(command: Command, args: readonly string[], ms: number): Promise<string | undefined> {
    const told: (string | undefined)[] = [];
    await this.run(command, args, async () => {
      await this.clock.sleep(ms);
      told.push(this.tell?.());
    });
    return told[0];
  }

  /** The command until its end, as `main` runs it. @param meanwhile what happens beside it */
  async run(command: Command, args: readonly string[], meanwhile?: () => Promise<void>): Promise<Ended> {
    const ended: Ended = { code: undefined, stdout: "", stderr: "", sent: [] };
    const { terminal: isTTY = false, answer, env, between } = this.#options;
    const add = (name: "stdout" | "stderr", text: string): void => {
      ended[name] += text;
    };
    const io: Io = {
      env: { COMPUTE_API_KEY: this.emulator.apiKey, COMPUTE_API_URL: BASE_URL, ...env },
      out: { isTTY, write: (text) => add("stdout", text) },
      err: { isTTY, write: (text) => add("stderr", text) },
      ...(answer === undefined
        ? {}
        : {
            ask: async (question: string) => {
              add("stderr", question);
              return answer;
            },
          }),
      onInterrupt: (tell) => {
        this.tell = tell;
        return () => {
          this.tell = undefined;
        };
      },
      network: { clock: this.clock, transport: networkTo(this.emulator, this.clock, BASE_URL, ended.sent, between) },
    };
    const work = async () => {
      try {
        ended.code = await command.run([...args], io);
      } catch (error) {
        ended.code = exitOf(error);
        ended.stderr += `${(error as Error).message}\n`;
      }
    };
    await this.clock.run(Promise.all([work(), meanwhile?.()]));
    return ended;
  }
}

/** What was sent that changes something and was not refused for a lock. */
export const writes = ({ sent }: Ended): string[] =>
  sent
    .filter(({ line, status }) => !line.startsWith("GET ") && status !== 423)
    .map(({ line }) => line.split("/").at(-1)!);
