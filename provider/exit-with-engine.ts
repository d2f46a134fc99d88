import { connect } from "node:http2";

export interface ExitHandlers {
  /** The engine asks this process to end: at the end of a command, and at a second Ctrl-C. */
  beforeExit(): void;
  exit(code: number): void;
}

/** The engine's address among the arguments of a provider process. */
export const engineAddressIn = (argv: readonly string[]): string | undefined =>
  argv.find((word) => /^127\.0\.0\.1:\d+$|^localhost:\d+$|^\[::1\]:\d+$/.test(word));

/**
 * Ends this process when its engine says so or is gone. After a kill -9 of the engine nobody tells the provider, and it
 * would wait for operations for ever: so it holds a connection to the engine, whose address Pulumi gives as an argument.
 */
export function exitWithEngine(argv: readonly string[], { beforeExit, exit }: ExitHandlers): void {
  const address = engineAddressIn(argv);
  if (!address) return;
  process.once("SIGINT", () => {
    beforeExit();
    exit(130);
  });
  const session = connect(`http://${address}`);
  let connected = false;
  session.once("connect", () => {
    connected = true;
  });
  // An engine that can't be reached this way is not a reason to stop working.
  session.on("error", () => {});
  session.once("close", () => {
    if (connected) exit(1);
  });
  session.unref();
}
