import * as pulumi from "@pulumi/pulumi";
import { readApprovals, shortEntriesText } from "../provider/rules/approval.js";
import { CONFIG_NAMES } from "../provider/rules/config-names.js";

/** Runs that were warned: the Automation API can have several in one process. */
const warned = new WeakSet<object>();

/** Warns once a run of what is wrong with the stack's config and stops nothing. */
export function warnOfConfig(): void {
  const monitor = pulumi.runtime.getMonitor() as { mocks?: unknown } | undefined;
  if (!monitor || monitor.mocks !== undefined || warned.has(monitor)) return;
  warned.add(monitor);
  for (const line of [plainKey(), shortApprovals(), ...unknownNames()]) if (line) void pulumi.log.warn(line);
}

/** Pulumi shows it to everybody who can read the stack's file and its state. The keys of instances are made secrets. */
function plainKey(): string | undefined {
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (name: string) => boolean };
  if (new pulumi.Config("compute").get("apiKey") === undefined || !isConfigSecret) return undefined;
  if (isConfigSecret("compute:apiKey")) return undefined;
  return "compute:apiKey stands in plain text in the stack's config and state. Run `pulumi config set --secret compute:apiKey …` and make a new key";
}

/** An approval of an earlier version approves nothing. Users learn it here, and not from the next refusal. */
const shortApprovals = (): string | undefined =>
  shortEntriesText(readApprovals(new pulumi.Config("compute").get("approve"), Date.now()));

/** A guard with a typo in its name would guard nothing, in silence. */
function unknownNames(): string[] {
  // A project of that name has settings of its own there.
  if (pulumi.getProject() === "compute") return [];
  const { allConfig } = pulumi.runtime as { allConfig?: () => Record<string, string> };
  const names = Object.keys(allConfig?.() ?? {}).filter((name) => name.startsWith("compute:"));
  return names
    .map((name) => name.slice("compute:".length))
    .filter((name) => !(CONFIG_NAMES as readonly string[]).includes(name))
    .map(
      (name) =>
        `compute:${name} in the stack's config is not known, and does nothing. Known are ${CONFIG_NAMES.join(", ")}`,
    );
}
