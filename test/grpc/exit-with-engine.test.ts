/** After a kill -9 of the engine nobody tells the provider's process: it has to see for itself, and not too early. */
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { startFakeEngine } from "./fake-engine";
import { hint, Shim } from "./shim";
import { BRANCH, closing, folder, KEY, PROJECT, rig } from "./support";

const inputs = { projectId: PROJECT, branchId: BRANCH, size: 1, __autoName: hint("main") };

describe("the provider's process", () => {
  test("ends when the engine is killed", async () => {
    const { shim, engine } = await rig();
    await shim.check({}, inputs);
    await engine.kill();
    expect(await shim.ended).toBe(1);
  });

  test("ends when the engine is killed in the middle of a wait", async () => {
    const { shim, engine, emulator } = await rig();
    emulator.faults.add({ operation: { action: "start_compute", then: "never" } });
    const call = shim.create(inputs).catch((error: unknown) => error);
    await expect.poll(() => emulator.requests.some(({ path }) => path.includes("/operations"))).toBe(true);
    expect(shim.alive).toBe(true);
    await engine.kill();
    expect(await shim.ended).toBe(1);
    expect(await call).toBeInstanceOf(Error);
  });

  test("lives as long as the engine does, also when nothing is asked of it", async () => {
    const { shim } = await rig();
    await shim.check({}, inputs);
    await sleep(700);
    expect(shim.alive).toBe(true);
    expect((await shim.check({}, inputs)).failures).toEqual([]);
  });

  test("works where the engine's address can't be reached", async () => {
    const shim = await startedWith(`127.0.0.1:${await freePort()}`);
    await shim.check({}, inputs);
    await sleep(300);
    expect(shim.alive).toBe(true);
    expect((await shim.check({}, inputs)).failures).toEqual([]);
  });

  test.each(["not-an-address", "engine.example:1", "[::1]:1"])("works with %j for an address", async (address) => {
    const shim = await startedWith(address);
    await shim.check({}, inputs);
    await sleep(200);
    expect(shim.alive).toBe(true);
    expect(shim.output.stderr).toBe("");
  });

  test("holds one connection to the engine, however often it is configured", async () => {
    let connections = 0;
    const server = closing(
      createServer((socket) => {
        connections++;
        socket.on("error", () => {});
        socket.resume();
      }),
      (server) => new Promise((done) => server.close(done)),
    );
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const shim = await startedWith(`127.0.0.1:${(server.address() as { port: number }).port}`);
    await shim.check({}, inputs);
    await shim.configure({ "compute:apiKey": KEY });
    await shim.check({}, inputs);
    expect(connections).toBe(1);
  });
});

async function startedWith(engine: string): Promise<Shim> {
  const shim = closing(await Shim.start({ engine, folder: await folder() }), (shim) => shim.close());
  await shim.configure({});
  return shim;
}

async function freePort(): Promise<number> {
  const engine = await startFakeEngine();
  await engine.kill();
  return Number(engine.address.split(":")[1]);
}
