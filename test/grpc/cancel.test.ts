/** What Pulumi's shim keeps to itself, the provider hears all the same: that the engine cancels, and what it registered. */
import { describe, expect, test } from "vitest";
import { type CallFailed, hint, type Props, urnOf } from "./shim";
import { BRANCH, PROJECT, type Rig, rig } from "./support";

const inputs = (more: Props = {}): Props => ({
  projectId: PROJECT,
  branchId: BRANCH,
  size: 1,
  __autoName: hint("main"),
  ...more,
});
const made = ({ emulator }: Rig) => Object.values(emulator.world.endpoints).filter((one) => one.branch_id === BRANCH);
const mutations = (it: Rig) => it.requests().filter((line) => !line.startsWith("GET"));
/** Far below the time limit of a create, and enough for a busy machine. */
const SOON_MS = 10_000;

const isWaiting = ({ emulator }: Rig) => emulator.requests.some(({ path }) => path.includes("/operations/"));
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error as CallFailed,
  );

describe("a cancel from the engine", () => {
  test("ends a create that waits, at once: id and unfinished work are kept, and an update finishes it", async () => {
    const it = await rig();
    it.emulator.faults.add({ operation: { action: "start_compute", then: "never" } });
    const call = failure(it.shim.create(inputs()));
    await expect.poll(() => isWaiting(it)).toBe(true);
    const { id } = made(it)[0]!;
    const start = performance.now();
    await it.shim.cancel();
    const error = await call;
    expect(performance.now() - start).toBeLessThan(SOON_MS);
    expect(it.shim.output.stderr).toBe("");
    expect(error!.kept).toMatchObject({ id, properties: { host: made(it)[0]!.host, size: 1 } });
    expect(error!.kept!.properties["unfinished"]).toHaveLength(1);
    expect(error!.kept!.properties).not.toHaveProperty("__urn");
    expect(error!.message).toMatch(
      new RegExp(
        `^interrupted: start_compute of ${id} \\(.*\\) goes on at the service\\. Compute ${id} .* is kept in the state; run \`pulumi up\` again to finish the work$`,
      ),
    );
    expect(mutations(it)).toHaveLength(1);

    it.emulator.faults.clear();
    const outputs = await (await it.again()).update(id, error!.kept!.properties, inputs());
    expect(outputs).not.toHaveProperty("unfinished");
    expect(made(it)).toMatchObject([{ id, current_state: "active" }]);
  });

  test("is answered, and nothing is said, where nothing waits", async () => {
    const it = await rig();
    await it.shim.create(inputs());
    await it.shim.cancel();
    expect(it.shim.said).toBe("");
    expect(it.shim.output.stderr).toBe("");
  });

  test("lets no further step begin", async () => {
    const it = await rig();
    const { id, outputs } = await it.shim.create(inputs());
    it.requests();
    const next = await it.again();
    await next.check({}, inputs());
    await next.cancel();
    expect((await failure(next.create(inputs({ type: "read_only" }))))?.message).toMatch(
      /^interrupted .*No compute was created in project \S+, and the state has nothing of it/,
    );
    expect((await failure(next.update(id, outputs, inputs({ size: 2 }))))?.message).toMatch(
      /^interrupted .*The state has compute ep-\S+ as it was\./,
    );
    expect((await failure(next.delete(id, outputs)))?.message).toMatch(
      /^interrupted .*The state still has compute ep-/,
    );
    expect((await failure(next.read(id, outputs)))?.message).toMatch(
      /^interrupted .*The state has compute ep-\S+ as before/,
    );
    expect(it.requests()).toEqual([]);
  });

  test("is not what other code in the process decodes: a dynamic resource of the user's may be a client of Pulumi's", async () => {
    const it = await rig();
    const client = `exports.handler = () => ({
      async create(inputs) {
        const load = require("module").createRequire(require("fs").realpathSync(require.resolve("@pulumi/pulumi/package.json")));
        const grpc = load("@grpc/grpc-js");
        const { ResourceProviderService, ResourceProviderClient } = load("@pulumi/pulumi/proto/provider_grpc_pb");
        const { LanguageRuntimeService } = load("@pulumi/pulumi/proto/language_grpc_pb");
        const { LanguageRuntimeClient } = load("@pulumi/pulumi/proto/language_grpc_pb");
        const { Empty } = load("google-protobuf/google/protobuf/empty_pb");
        const { PluginInfo } = load("@pulumi/pulumi/proto/plugin_pb");
        Empty.deserializeBinary(new Uint8Array());
        ResourceProviderService.cancel.responseDeserialize(Buffer.alloc(0));
        const server = new grpc.Server();
        server.addService(LanguageRuntimeService, { getPluginInfo: (call, done) => done(null, new PluginInfo()) });
        const port = await new Promise((done) =>
          server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => done(port)));
        const client = new LanguageRuntimeClient("127.0.0.1:" + port, grpc.credentials.createInsecure());
        await new Promise((done, fail) => client.getPluginInfo(new Empty(), (error) => (error ? fail(error) : done())));
        client.close();
        server.forceShutdown();
        return { id: "client", outs: {} };
      },
    });`;
    await it.shim.check({}, inputs());
    expect((await it.shim.create({ __provider: client })).id).toBe("client");
    expect((await it.shim.create(inputs())).id).toBe(made(it)[0]!.id);
  });
});

describe("what the engine registered", () => {
  const LONG = { customTimeouts: { create: "1h", update: "1h", delete: "1h" } };
  const registered = { urn: urnOf("main"), timeout: 1 };
  const TOO_LATE = /^not finished after 1 s: /;

  test("is the limit of each step, whatever the constructor was told, and gets into no state", async () => {
    const it = await rig({ operationMs: 20 });
    await it.shim.check({}, inputs());
    it.emulator.faults.add({ operation: { action: "start_compute", then: "never" } });
    const { message, kept } = (await failure(it.shim.create(inputs(LONG), registered)))!;
    expect(message).toMatch(TOO_LATE);
    expect(Object.keys(kept!.properties).filter((key) => key.startsWith("__"))).toEqual(["__autoName", "__provider"]);
    it.emulator.faults.clear();

    const outputs = await it.shim.update(kept!.id, kept!.properties, inputs(LONG), registered);
    expect(Object.keys(outputs).filter((key) => key.startsWith("__"))).toEqual(["__autoName", "__provider"]);
    it.emulator.faults.add({ operation: { action: "apply_config", then: "never" } });
    const { inputs: news } = await it.shim.check(inputs(LONG), inputs({ ...LONG, size: 2 }));
    const update = await failure(it.shim.update(kept!.id, outputs, news, registered));
    expect(update!.message).toMatch(TOO_LATE);
  });

  test.each([
    ["the first request of its process", false],
    ["a later one", true],
  ])("is the limit of a delete that is %s", async (_which, isLater) => {
    const it = await rig({ operationMs: 20 });
    const { id, outputs } = await it.shim.create(inputs(LONG));
    it.emulator.faults.add({ operation: { action: "suspend_compute", then: "never" } });
    const next = await it.again();
    if (isLater) await next.check({}, inputs());
    await next.delete(id, outputs, registered);
    expect(next.said).toMatch(/but not everything that followed went well: not finished after 1 s: /);
  });
});
