/** Where the state is written: nobody else's file, nowhere else, for nobody else to read. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEmulator, startEmulator } from "../../../emulator/index.js";
import { emulator, PRIMARY } from "../support.js";

let folder: string;
let state: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "compute-endpoint-files-"));
  state = join(folder, "world.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = (path: string) => statSync(path).mode & 0o777;
const rename = ({ call }: ReturnType<typeof emulator>) => call("PATCH", PRIMARY, { endpoint: { name: "x" } });

describe("a symbolic link", () => {
  test.each([
    ["to a file that is there", true],
    ["to none", false],
  ])("%s is refused as a state, and what it leads to is left alone", (_what, isThere) => {
    const other = join(folder, "other");
    if (isThere) writeFileSync(other, "precious");
    symlinkSync(other, state);
    expect(() => createEmulator({ state })).toThrow(
      `can't use the state in ${state}: it is a symbolic link: name the file itself`,
    );
    expect(existsSync(other)).toBe(isThere);
    if (isThere) expect(readFileSync(other, "utf8")).toBe("precious");
  });

  test("that comes later is replaced, and not written through", async () => {
    const it = emulator({ state });
    await it.call("GET", PRIMARY);
    const other = join(folder, "other");
    writeFileSync(other, "precious");
    rmSync(state);
    symlinkSync(other, state);
    expect((await rename(it)).status).toBe(200);
    expect([lstatSync(state).isFile(), readFileSync(other, "utf8")]).toEqual([true, "precious"]);
  });

  test("under the name of the note with the process is removed, and not written through", async () => {
    const other = join(folder, "other");
    writeFileSync(other, "precious");
    symlinkSync(other, `${state}.pid`);
    const running = await startEmulator({ state });
    expect([lstatSync(`${state}.pid`).isFile(), readFileSync(other, "utf8")]).toEqual([true, "precious"]);
    expect(mode(`${state}.pid`)).toBe(0o600);
    await running.close();
    expect(readdirSync(folder).sort()).toEqual(["other", "world.json"]);
  });

  test("on the way to the folder is followed", async () => {
    mkdirSync(join(folder, "real"));
    symlinkSync(join(folder, "real"), join(folder, "link"));
    await rename(emulator({ state: join(folder, "link", "world.json") }));
    expect(readdirSync(join(folder, "real"))).toEqual(["world.json"]);
  });
});

describe("the file", () => {
  test("is for its owner alone, also where one stood that others could read", async () => {
    await rename(emulator({ state }));
    chmodSync(state, 0o666);
    await rename(emulator({ state }));
    expect(mode(state)).toBe(0o600);
  });

  test("is written aside under a name that nobody can foresee, and never over a file that is there", async () => {
    const names = new Set<string>();
    const planted = `${state}.new`;
    writeFileSync(planted, "planted", { mode: 0o666 });
    const it = emulator({ state });
    let done = false;
    const watching = (async () => {
      while (!done) {
        for (const name of readdirSync(folder)) if (/\.[0-9a-f]{24}\.new$/.test(name)) names.add(name);
        await new Promise(setImmediate);
      }
    })();
    for (let n = 0; n < 50; n += 1) await it.call("PATCH", PRIMARY, { endpoint: { name: `x${n}` } }).then(it.settle);
    done = true;
    await watching;
    expect(names.size).toBeGreaterThan(1);
    expect(readdirSync(folder).sort()).toEqual(["world.json", "world.json.new"]);
    expect([readFileSync(planted, "utf8"), mode(state)]).toEqual(["planted", 0o600]);
  });

  test("that can't be put into place leaves nothing aside", async () => {
    const it = emulator({ state });
    mkdirSync(join(state, "in the way"), { recursive: true });
    expect((await rename(it)).status).toBe(500);
    expect(readdirSync(folder)).toEqual(["world.json"]);
  });

  test.skipIf(process.platform === "win32")("that is a pipe is refused at once", () => {
    execFileSync("mkfifo", [state]);
    expect(() => createEmulator({ state })).toThrow(`can't use the state in ${state}: it is no file`);
  });

  // Only root can make a file of another user's.
  test.runIf(process.getuid?.() === 0)("of another user's is refused to whom it could deceive", () => {
    writeFileSync(state, "{}");
    chmodSync(folder, 0o755);
    const script = `
      const { readPrivate } = require(${JSON.stringify(join(__dirname, "../../../emulator/state/private-file.ts"))});
      process.setuid(65534);
      try { readPrivate(process.argv[1]); } catch (error) { console.log(error.message); }`;
    const run = (owner: string) => {
      execFileSync("chown", [owner, state]);
      return execFileSync(process.execPath, ["--import", "tsx", "-e", script, state], { encoding: "utf8" });
    };
    expect(run("65533")).toBe("it belongs to another user (65533): name a file of your own\n");
  });
});

describe("a folder", () => {
  const refusal = (where: string) =>
    `can't use the state in ${state}: every user of this machine may write into ${where}, and could put another file in ` +
    `its place: take that right away (chmod o-w ${where}), or choose another folder`;

  test("that everybody may write is refused", () => {
    chmodSync(folder, 0o777);
    expect(() => createEmulator({ state })).toThrow(refusal(folder));
    expect(readdirSync(folder)).toEqual([]);
  });

  test("within one that everybody may write is refused too", () => {
    chmodSync(folder, 0o777);
    const inner = join(folder, "inner");
    mkdirSync(inner, { mode: 0o700 });
    state = join(inner, "world.json");
    expect(() => createEmulator({ state })).toThrow(refusal(folder));
  });

  test.each([
    ["where everybody takes only what is theirs, such as /tmp", 0o1777],
    ["of a group", 0o775],
    ["of one's own", 0o700],
  ])("%s is taken", async (_what, rights) => {
    chmodSync(folder, rights);
    expect((await rename(emulator({ state }))).status).toBe(200);
    expect(mode(state)).toBe(0o600);
  });

  // Only root can make a folder of another user's.
  test.runIf(process.getuid?.() === 0)("of another user's is refused to whom its owner could deceive", () => {
    const [outer, inner] = [join(folder, "outer"), join(folder, "outer", "inner")];
    mkdirSync(inner, { recursive: true });
    chmodSync(folder, 0o755);
    const script = `
      const { assertSafeFolders } = require(${JSON.stringify(join(__dirname, "../../../emulator/state/private-file.ts"))});
      if (process.argv[2] !== "0") process.setuid(Number(process.argv[2]));
      try { assertSafeFolders(process.argv[1]); console.log("safe"); } catch (error) { console.log(error.message); }`;
    const check = (user: string, outerOwner: string, innerOwner: string) => {
      execFileSync("chown", [outerOwner, outer]);
      execFileSync("chown", [innerOwner, inner]);
      const args = ["--import", "tsx", "-e", script, join(inner, "world.json"), user];
      return execFileSync(process.execPath, args, { encoding: "utf8" }).trim();
    };
    const reason = (where: string) =>
      `${where} belongs to another user (65533), who could put another file in its place: choose a folder of your own`;
    expect(check("65534", "0", "65534")).toBe("safe");
    expect(check("65534", "0", "65533")).toBe(reason(inner));
    expect(check("65534", "65533", "65534")).toBe(reason(outer));
    expect(check("0", "65533", "65533")).toBe("safe");
  });

  // Linux follows such a link where fs.protected_symlinks is 0, and only root can make one of another user's.
  describe.runIf(process.getuid?.() === 0)("behind a link", () => {
    const script = `
      const { assertSafeFolders } = require(${JSON.stringify(join(__dirname, "../../../emulator/state/private-file.ts"))});
      if (process.argv[2] !== "0") process.setuid(Number(process.argv[2]));
      try { assertSafeFolders(process.argv[1]); console.log("safe"); } catch (error) { console.log(error.message); }`;
    const check = (user: string, path: string) =>
      execFileSync(process.execPath, ["--import", "tsx", "-e", script, path, user], { encoding: "utf8" }).trim();
    const owned = (owner: string, path: string) => execFileSync("chown", ["-h", owner, path]);
    const reason = (link: string) =>
      `${link} is a symbolic link of another user (65533), who can lead it elsewhere: name the folder itself`;

    test.each<[user: string, linkOwner: string, folderOwner: string, safe: boolean]>([
      ["65534", "65533", "0", false],
      ["65534", "65534", "0", true],
      ["65534", "0", "0", true],
      ["0", "65533", "0", false],
      ["0", "0", "0", true],
      // Whose folder it is, can replace everything in it.
      ["0", "65533", "65533", true],
    ])(
      "user %s, a link of %s's in a sticky folder of %s's: safe %s",
      (user, linkOwner, folderOwner, safe) => {
        chmodSync(folder, 0o755);
        const [shared, own, link] = [join(folder, "shared"), join(folder, "own"), join(folder, "shared", "link")];
        mkdirSync(join(own, "deeper"), { recursive: true });
        execFileSync("chown", ["-R", user, own]);
        mkdirSync(shared);
        chmodSync(shared, 0o1777);
        owned(folderOwner, shared);
        symlinkSync("../own", link);
        owned(linkOwner, link);
        const expected = safe ? "safe" : reason(link);
        expect(check(user, join(link, "world.json"))).toBe(expected);
        expect(check(user, join(link, "deeper", "world.json"))).toBe(expected);
        // One's own link leads to it.
        const first = join(own, "first");
        symlinkSync(join(link, "deeper"), first);
        owned(user, first);
        expect(check(user, join(first, "world.json"))).toBe(expected);
      },
      60_000,
    );

    test("that lies in a folder that everybody may write, it is refused, wherever it leads", () => {
      chmodSync(folder, 0o755);
      const [open, own] = [join(folder, "open"), join(folder, "own")];
      mkdirSync(own);
      owned("65534", own);
      mkdirSync(open);
      chmodSync(open, 0o777);
      symlinkSync(own, join(open, "link"));
      owned("65534", join(open, "link"));
      expect(check("65534", join(open, "link", "world.json"))).toMatch(
        `every user of this machine may write into ${open}`,
      );
    });

    test("that leads to itself, writing fails with its own message", () => {
      symlinkSync("loop", join(folder, "loop"));
      expect(check("0", join(folder, "loop", "world.json"))).toBe("safe");
    });
  });
});
