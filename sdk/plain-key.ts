import * as pulumi from "@pulumi/pulumi";

/** Runs that were warned: the Automation API can have several in one process. */
const warned = new WeakSet<object>();

/**
 * Warns once a run of a key in plain config, which Pulumi shows to everybody who can read the stack's file and its state.
 * The keys of instances are made secrets.
 */
export function warnOfPlainKey(): void {
  const monitor = pulumi.runtime.getMonitor() as { mocks?: unknown } | undefined;
  if (!monitor || monitor.mocks !== undefined || warned.has(monitor)) return;
  warned.add(monitor);
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (name: string) => boolean };
  if (new pulumi.Config("compute").get("apiKey") === undefined || !isConfigSecret) return;
  if (isConfigSecret("compute:apiKey")) return;
  void pulumi.log.warn(
    "compute:apiKey stands in plain text in the stack's config and state. Run `pulumi config set --secret compute:apiKey …` and make a new key",
  );
}
