/** The signals that end a tool, with the exit codes that a shell gives them. */
const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

/** An exit ends the processes that we have started (`engine/run.ts`). The signal alone would not. */
export function onSignals(leave: (code: number) => void = (code) => process.exit(code)): void {
  for (const [signal, code] of SIGNALS) process.once(signal, () => leave(code));
}
