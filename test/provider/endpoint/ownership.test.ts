/** Which process of a run knows what of which compute; two of them on a real socket. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { Ownership } from "../../../provider/endpoint/ownership.js";
import { Peers } from "../../../provider/peers.js";

const URL_A = "https://console.neon.tech/api/v2";
const A = "urn:a";
const ours = { __autoName: "a-11111111", adopted: false };
const theirs = { __autoName: "b-22222222", adopted: true };

const closed: (() => void)[] = [];
afterEach(() => {
  for (const close of closed.splice(0)) close();
});

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "peers-"));
  closed.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

interface Somewhere {
  folder: string;
  engine?: string;
  cwd?: string;
  service?: string;
  limitMs?: number;
}

/** What one provider process has. */
function processIn({ folder, engine = "127.0.0.1:4321", cwd = "/a/program", service = URL_A, limitMs }: Somewhere) {
  const ownership = new Ownership(() => service);
  const book = { facts: () => ownership.facts, hear: ownership.hear.bind(ownership) };
  const peers = Peers.join(book, { argv: [engine], cwd, folder, ...(limitMs === undefined ? {} : { limitMs }) });
  ownership.share(peers);
  closed.push(() => peers?.close());
  return { ownership, peers: peers! };
}

/** The state has the compute under a resource of the program that stays. */
function sees(ownership: Ownership, id: string, state: object, urn = A): void {
  ownership.noteCheck(urn, false);
  ownership.noteDiff(id, state);
}

describe("two processes of one run", () => {
  const replaces = (one: Ownership, state: object) => {
    sees(one, "ep-1", state);
    one.noteCheck(A, true);
  };
  const fails = async (one: Ownership) => {
    await one.claim("ep-1");
    one.releaseClaim("ep-1");
  };
  test.each<[string, (holder: Ownership) => unknown, boolean]>([
    ["made or took it over", (one) => one.claim("ep-1"), false],
    ["failed to take it over", fails, true],
    ["has it under a resource that stays", (one) => sees(one, "ep-1", ours), false],
    ["has it under a resource of another kind", (one) => replaces(one, theirs), false],
    ["has it under the resource that is replaced", (one) => replaces(one, ours), true],
    ["has another compute", (one) => sees(one, "ep-2", ours), true],
    ["knows nothing", () => undefined, true],
  ])("the other one %s: may it be deleted?", async (_what, does, may) => {
    const at = { folder: folder() };
    const [holder, deleter] = [processIn(at), processIn(at)];
    await does(holder.ownership);
    expect(await deleter.ownership.mayDelete("ep-1", ours)).toBe(may);
  });

  test("a compute that one of them has is not taken over by the other", async () => {
    const at = { folder: folder() };
    const [one, other] = [processIn(at), processIn(at)];
    expect(await one.ownership.claim("ep-1")).toBeUndefined();
    expect(await other.ownership.claim("ep-1")).toBe("taken");
    other.ownership.releaseClaim("ep-1");
    sees(one.ownership, "ep-2", ours);
    expect(await other.ownership.claim("ep-2")).toBe("held");
    expect(await one.ownership.mayDelete("ep-3", theirs)).toBe(true);
    expect(await other.ownership.claim("ep-3")).toBe("deleting");
  });

  test("a take-over and a delete at the same time: never both", async () => {
    const at = { folder: folder() };
    const [one, other] = [processIn(at), processIn(at)];
    for (let round = 0; round < 20; round++) {
      const id = `ep-${round}`;
      const [conflict, may] = await Promise.all([one.ownership.claim(id), other.ownership.mayDelete(id, ours)]);
      expect(conflict === undefined && may).toBe(false);
    }
  });

  test("what one of them told is known when it is gone", async () => {
    const at = { folder: folder() };
    const [one, other] = [processIn(at), processIn(at)];
    await one.ownership.claim("ep-1");
    sees(one.ownership, "ep-2", ours);
    await expect.poll(() => other.ownership.isHeld("ep-2")).toBe(true);
    one.peers.close();
    expect(await other.ownership.mayDelete("ep-1", ours)).toBe(false);
    expect(await other.ownership.mayDelete("ep-2", theirs)).toBe(false);
  });

  test("one that comes later hears what was told before", async () => {
    const at = { folder: folder() };
    const { ownership } = processIn(at);
    await ownership.claim("ep-1");
    expect(await processIn(at).ownership.mayDelete("ep-1", ours)).toBe(false);
  });

  test("thousands of computes, in many deletes at once", async () => {
    const at = { folder: folder() };
    const [one, other] = [processIn(at), processIn(at)];
    for (let index = 0; index < 5000; index++) sees(one.ownership, `ep-${index}`, ours, `urn:${index}`);
    const may = await Promise.all(
      Array.from({ length: 20 }, (_, index) => other.ownership.mayDelete(`ep-${4990 + index}`, theirs)),
    );
    expect(may).toEqual([...Array(10).fill(false), ...Array(10).fill(true)]);
  });

  test.each([
    [`${URL_A}/`, false],
    ["https://console.NEON.tech:443/api/v2", false],
    ["https://other.example/api/v2", true],
  ])("equal ids at %s are another compute: %j", async (service, may) => {
    const at = { folder: folder() };
    await processIn(at).ownership.claim("ep-1");
    expect(await processIn({ ...at, service }).ownership.mayDelete("ep-1", ours)).toBe(may);
  });

  test("this machine has several names", async () => {
    const at = { folder: folder() };
    await processIn({ ...at, service: "http://localhost:4010/api/v2" }).ownership.claim("ep-1");
    const other = processIn({ ...at, service: "http://127.0.0.1:4010/api/v2" });
    expect(await other.ownership.mayDelete("ep-1", ours)).toBe(false);
  });

  test("nothing on the socket can be read", async () => {
    const at = { folder: folder() };
    const { ownership } = processIn(at);
    sees(ownership, "ep-1", ours);
    expect(JSON.stringify(ownership.facts)).not.toMatch(/ep-1|urn:|a-1111|neon/);
  });
});

describe("processes of different runs do not meet", () => {
  test.each([
    ["engine", { engine: "127.0.0.1:4322" }],
    ["folder", { cwd: "/another/program" }],
  ])("another %s", async (_what, place) => {
    const at = { folder: folder() };
    await processIn(at).ownership.claim("ep-1");
    expect(await processIn({ ...at, ...place }).ownership.mayDelete("ep-1", ours)).toBe(true);
  });
});

describe("whatever stands in the folder", () => {
  test("the socket of a process that was killed is removed, and nothing waits for it", async () => {
    const at = { folder: folder() };
    const { peers, ownership } = processIn(at);
    const [own] = readdirSync(at.folder);
    const stale = own!.replace(/-[0-9]+-\w+$/, "-1-000000000000");
    const script = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
    expect(() => execFileSync(process.execPath, ["-e", script, join(at.folder, stale)], { stdio: "ignore" })).toThrow();
    expect(existsSync(join(at.folder, stale))).toBe(true);
    expect(await ownership.mayDelete("ep-1", ours)).toBe(true);
    expect(readdirSync(at.folder)).toEqual([own]);
    peers.close();
    expect(readdirSync(at.folder)).toEqual([]);
  });

  test.each<[string, (socket: Socket) => void]>([
    ["hangs", () => {}],
    ["sends what is no message", (socket) => socket.write("nonsense\n")],
    ["sends a message of another kind", (socket) => socket.write(`{"from":"x","have":"1","at":0,"facts":[]}\n`)],
    [
      "tells facts of another kind",
      (socket) => socket.write(`{"from":"x","have":0,"at":0,"facts":[1,null,{"is":"x"}]}\n`),
    ],
    ["sends without end", (socket) => void setInterval(() => socket.write("x".repeat(1000)), 5).unref()],
    ["closes at once", (socket) => socket.destroy()],
  ])("a process that %s stops no delete, not even the second one", async (_what, does) => {
    const at = { folder: folder(), limitMs: 250 };
    const { ownership } = processIn(at);
    const [own] = readdirSync(at.folder);
    const sockets = new Set<Socket>();
    const odd = createServer((socket) => {
      sockets.add(socket.on("error", () => {}));
      does(socket);
    }).listen(join(at.folder, own!.replace(/\w+$/, "odd")));
    closed.push(() => {
      odd.close();
      for (const socket of sockets) socket.destroy();
    });
    const begun = performance.now();
    expect(await ownership.mayDelete("ep-1", ours)).toBe(true);
    expect(await ownership.mayDelete("ep-2", ours)).toBe(true);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test("whoever asks without being of the run, or sends nonsense, hears nothing", async () => {
    const at = { folder: folder() };
    const { ownership } = processIn(at);
    await ownership.claim("ep-1");
    const [own] = readdirSync(at.folder);
    for (const text of ["nonsense\n", `{"from":"a stranger","have":0,"at":0,"facts":[]}\n`]) {
      const heard = await new Promise<string>((resolve) => {
        let all = "";
        const socket = connect(join(at.folder, own!));
        socket.on("data", (chunk) => {
          all += chunk;
        });
        socket.on("error", () => {});
        socket.once("close", () => resolve(all));
        socket.write(text);
      });
      expect(heard).toBe("");
    }
    expect(await ownership.mayDelete("ep-2", ours)).toBe(true);
  });

  test("without an address of an engine, or a folder that can be used, a process is alone", async () => {
    const book = { facts: () => [], hear: () => {} };
    expect(Peers.join(book, { argv: ["not-an-address"], cwd: "/" })).toBeUndefined();
    const file = join(folder(), "file");
    writeFileSync(file, "");
    expect(Peers.join(book, { argv: ["127.0.0.1:1"], cwd: "/", folder: file })).toBeUndefined();
  });
});

describe("the folder", () => {
  const user = process.getuid?.();
  const name = `pulumi-compute-endpoint-${user}`;
  const joinWith = (base: string, home = base): unknown[] => {
    const script = `
      const { Peers } = require(${JSON.stringify(require.resolve("../../../provider/peers.ts"))});
      const peers = Peers.join({ facts: () => [], hear() {} }, { argv: ["127.0.0.1:1"], cwd: "/" });
      console.log(JSON.stringify(peers ? [peers.folder, require("fs").readdirSync(peers.folder).length] : []));`;
    // As if anybody had been in /tmp before.
    const planted = `require("os").tmpdir = () => ${JSON.stringify(base)};
      const { lstatSync } = require("fs");
      require("fs").lstatSync = (path, ...more) => {
        if (path === "/tmp/${name}") throw new Error("somebody else's");
        return lstatSync(path, ...more);
      };`;
    const env = { ...process.env, TMPDIR: base, HOME: home };
    return JSON.parse(
      String(
        execFileSync(process.execPath, ["--require", require.resolve("tsx/cjs"), "-e", planted + script], { env }),
      ),
    );
  };

  test.runIf(user !== undefined)(
    "is ours alone: instead of a link, a file or one that others can enter, one at home",
    () => {
      const [base, home] = [folder(), folder()];
      const atHome = [join(home, ".cache/pulumi-compute-endpoint/run"), 1];
      expect(joinWith(base, home)).toEqual([join(base, name), 1]);
      expect(existsSync(join(home, ".cache"))).toBe(false);
      expect(execFileSync("ls", ["-ld", join(base, name)], { encoding: "utf8" })).toMatch(/^drwx------/);
      execFileSync("chmod", ["755", join(base, name)]);
      expect(joinWith(base, home)).toEqual(atHome);
      expect(execFileSync("ls", ["-ld", String(atHome[0])], { encoding: "utf8" })).toMatch(/^drwx------/);
      rmSync(join(base, name), { recursive: true });
      symlinkSync(folder(), join(base, name));
      rmSync(join(home, ".cache"), { recursive: true });
      expect(joinWith(base, home)).toEqual(atHome);
      rmSync(join(base, name));
      writeFileSync(join(base, name), "");
      rmSync(join(home, ".cache"), { recursive: true });
      expect(joinWith(base, home)).toEqual(atHome);
    },
  );

  test.runIf(user !== undefined)("a process is alone where none is ours", () => {
    const base = folder();
    for (const path of [name, ".cache"]) writeFileSync(join(base, path), "");
    expect(joinWith(base)).toEqual([]);
  });
});
