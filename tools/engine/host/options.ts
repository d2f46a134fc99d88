/** The pure part of the language host: what a request means for the process that runs the program. */

/** `runtime.options` of Pulumi.yaml, as far as they concern Node.js. */
export interface RuntimeOptions {
  typescript: boolean;
  tsconfig?: string;
  nodeargs: string[];
  packagemanager: string;
}

/** Throws, with the words for the user, where an option is not of its type. */
export function runtimeOptions(options: Record<string, unknown>): RuntimeOptions {
  const of = <T>(name: string, type: "boolean" | "string", fallback: T): T => {
    const value = options[name];
    if (value === undefined) return fallback;
    if (typeof value !== type) throw new Error(`${name} option must be a ${type}`);
    return value as T;
  };
  const packagemanager = of<string>("packagemanager", "string", "npm");
  return {
    typescript: of("typescript", "boolean", true),
    tsconfig: of<string | undefined>("tsconfig", "string", undefined),
    nodeargs: splitWords(of("nodeargs", "string", "")),
    packagemanager: packagemanager === "auto" ? "npm" : packagemanager,
  };
}

/** Words as a shell splits them: blanks part, quotes hold together, a backslash takes the next character as it is. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'\\])+/gs)) {
    words.push(
      word.replace(/\\(.)|"((?:\\.|[^"\\])*)"|'([^']*)'/gs, (_, escaped, double, single) =>
        double !== undefined ? double.replace(/\\(["\\])/g, "$1") : (single ?? escaped),
      ),
    );
  }
  return words;
}

/** The SDK reads config by keys in the older form `namespace:config:name`. */
export function programConfig(config: Iterable<readonly [string, string]>): string {
  return JSON.stringify(
    Object.fromEntries(
      [...config].map(([key, value]) => {
        const parts = key.split(":");
        return [`${parts[0]}:config:${parts.at(-1)}`, value];
      }),
    ),
  );
}

/** A program says by this code that the user has already been told what is wrong. */
const ALREADY_TOLD = 32;

/** What the end of the program's process means. */
export function outcomeOf(code: number | null, signal: string | null): { error?: string; bail?: true } {
  if (code === 0) return {};
  if (code === ALREADY_TOLD) return { bail: true };
  return {
    error: code === null ? `Program was ended by ${signal}` : `Program exited with non-zero exit code: ${code}`,
  };
}

export interface ProgramRun {
  monitor: string;
  engine: string;
  organization: string;
  project: string;
  stack: string;
  rootDirectory: string;
  programDirectory: string;
  entryPoint: string;
  parallel: number;
  dryRun: boolean;
  args: string[];
}

/** Arguments of the SDK's `cmd/run`. */
export function runArguments(request: ProgramRun): string[] {
  const named: [string, string][] = [
    ["monitor", request.monitor],
    ["engine", request.engine],
    ["organization", request.organization],
    ["project", request.project],
    ["stack", request.stack],
    ["root-directory", request.rootDirectory],
    ["pwd", request.programDirectory],
    ["parallel", String(request.parallel)],
  ];
  return [
    ...named.filter(([, value]) => value !== "").flatMap(([name, value]) => [`--${name}`, value]),
    ...(request.dryRun ? ["--dry-run"] : []),
    request.entryPoint,
    ...request.args,
  ];
}
