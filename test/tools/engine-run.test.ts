import { describe, expect, test } from "vitest";
import { processesWith } from "../../tools/engine/processes";
import { run, TimeLimit } from "../../tools/engine/run";

const node = (script: string, options: Partial<Parameters<typeof run>[2]> = {}) =>
  run(process.execPath, ["-e", script], { limitMs: 10_000, ...options });

describe("running a command", () => {
  test("gives what it printed, and its exit code", async () => {
    const result = await node("console.log('out'); console.error('err'); process.exitCode = 3");
    expect(result).toMatchObject({ code: 3, stdout: "out\n", stderr: "err\n" });
    expect(result.ms).toBeGreaterThan(0);
  });

  test("hands on its input, and its output as it comes", async () => {
    const seen: string[] = [];
    const onOutput = (chunk: string) => seen.push(chunk);
    await node("process.stdin.pipe(process.stdout)", { input: "über", onOutput });
    expect(seen.join("")).toBe("über");
  });

  test("a signal that ends it is told as a shell tells it", async () => {
    expect((await node("process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 5000)")).code).toBe(143);
  });

  test("a command that is not there is an error", async () => {
    await expect(run("no-such-command-here", [], { limitMs: 1_000 })).rejects.toThrow("ENOENT");
  });

  test.runIf(process.platform === "linux")(
    "the time limit ends all that it started, and says what was printed",
    async () => {
      const mark = `limit-${process.pid}`;
      const child =
        "require('node:child_process').spawn('sleep', ['60'], { stdio: 'inherit' }); console.log('started')";
      const late = node(`${child}; setTimeout(() => {}, 60000)`, { limitMs: 700, env: { ...process.env, MARK: mark } });
      await expect(late).rejects.toThrow(TimeLimit);
      await expect(late).rejects.toThrow("started");
      expect(processesWith("MARK", mark)).toEqual([]);
    },
  );

  test("a command that is asked to end may do so in its own way", async () => {
    const script = "process.on('SIGINT', () => { console.log('tidy'); process.exit(0); }); setTimeout(() => {}, 60000)";
    const askFirst = { signal: "SIGINT", graceMs: 5_000 } as const;
    await expect(node(script, { limitMs: 700, askFirst })).rejects.toThrow("tidy");
  });
});
