// Warnings about a stack's config, and the error for a host in plain text.

import { readApprovals, shortEntriesText } from "./approval-list.js";
import { CONFIG_NAMES, INSTANCE } from "./config-names.js";
import { keyAndUrl } from "./key-and-url.js";
import { previewVariableProblem } from "./policies.js";
import { isForeign } from "./service-url.js";

/** The settings of a stack under `compute:`, by their names without it. */
export interface StackSettings {
  values: Readonly<Record<string, string | undefined>>;
  /** Whether `apiKey` is known to stand there in plain text. */
  isPlainKey: boolean;
  /** The name of the project. */
  project: string | undefined;
}

/** One line for each mistake. */
export const configWarnings = (settings: StackSettings, env: NodeJS.ProcessEnv, nowMs: number): string[] =>
  [
    plainKey(settings),
    // An approval of version 1 (approval.ts) approves nothing. Users learn it here, and not from the next refusal.
    shortEntriesText(readApprovals(settings.values["approve"], nowMs)),
    previewVariableProblem(env),
    ...unknownNames(settings),
  ].filter((line) => line !== undefined);

/** Everybody who can read the stack's file or state can read the key. A `Provider` makes its key a secret itself. */
function plainKey({ values, isPlainKey }: StackSettings): string | undefined {
  if (values["apiKey"] === undefined || !isPlainKey) return undefined;
  return "compute:apiKey is in plain text in the stack's config and state. Run `pulumi config set --secret compute:apiKey …` and make a new key";
}

/** A misspelled `onRestart` would silently protect nothing. */
function unknownNames({ values, project }: StackSettings): string[] {
  // In a project with the name `compute`, the program's own settings begin with `compute:` too.
  if (project === "compute") return [];
  return Object.keys(values)
    .filter((name) => !(CONFIG_NAMES as readonly string[]).includes(name))
    .map(
      (name) =>
        `compute:${name} in the stack's config is not known, and has no effect. Known settings: ${CONFIG_NAMES.join(", ")}`,
    );
}

type ReservedName = (typeof INSTANCE)[keyof typeof INSTANCE];

/**
 * The stack's config may not set a name that is reserved for a `Provider`: an attacker could copy an encrypted key to such a name
 * and add a URL.
 */
export function instanceNameProblem(get: (name: ReservedName) => unknown): string | undefined {
  const found = Object.values(INSTANCE).find((name) => get(name) !== undefined);
  if (found === undefined) return undefined;
  return `${found} is in the stack's config, and only a Provider of the program may set it: anybody who can edit that file could send a key to another host. Nothing was sent. Remove it: \`pulumi config rm ${found}\``;
}

/**
 * The error for a plain-text key that names a host. Anybody who can edit the file could send all requests to another host.
 * They could also copy another encrypted value of the file to a name that the program reads, and so receive that secret.
 */
export function plainHostProblem({ values, isPlainKey }: Omit<StackSettings, "project">): string | undefined {
  const { apiUrl, isBound } = keyAndUrl(values["apiKey"], undefined, true);
  if (!isPlainKey || !isBound || apiUrl === undefined || !isForeign(apiUrl)) return undefined;
  return "compute:apiKey in the stack's config names a host in plain text: whoever may change that line could have the program's data sent to another host. Nothing was sent. Encrypt it: `pulumi config set --secret compute:apiKey 'https://…/api/v2#KEY'`, with a new key";
}
