import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** As much of an engine as the provider sees when it does not ask for anything: an HTTP/2 server, in its own process. */
const SERVER = `
  const server = require("node:http2").createServer();
  server.listen(Number(process.argv[1]), "127.0.0.1", () => console.log(server.address().port));`;

export interface FakeEngine {
  address: string;
  /** As `kill -9`. */
  kill(): Promise<void>;
}

export async function startFakeEngine(port = 0): Promise<FakeEngine> {
  const child: ChildProcess = spawn(process.execPath, ["-e", SERVER, String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const [line] = await once(child.stdout!, "data");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return { address: `127.0.0.1:${String(line).trim()}`, kill };
}
