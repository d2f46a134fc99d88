// The current computes of the projects, for warnings only. They must not get into the notice: a notice that changes every minute
// would break saved plans and approvals.

import * as pulumi from "@pulumi/pulumi";
import { OncePerProject } from "../provider/rules/once-per-project.js";
import { engineEnvironment } from "./engine-environment.js";
import { knownSettings, type LookupModule, loadLookups, settingsFor } from "./lookups/ask.js";
import type { LookupOptions } from "./lookups/options.js";
import type { InstanceConfig } from "./provider.js";

export type ProjectNow = Awaited<ReturnType<LookupModule["projectNow"]>>;

/** The live projects of one run. */
export class LiveProjects {
  readonly #accounts = new Map<string, InstanceConfig>();
  readonly #answers = new OncePerProject<ProjectNow>((error) => {
    void pulumi.log.warn(loadLookups().couldNotLook(error));
  });
  readonly #engine = engineEnvironment();

  /** Records the account of a resource. `urn` is known before the hook runs. */
  recordAccount(urn: pulumi.Input<string>, { provider, parent }: pulumi.CustomResourceOptions): void {
    if (!pulumi.runtime.isDryRun() || new pulumi.Config("compute").get("liveNotices") === "false") return;
    const settings = tried(() => settingsFor({ provider, parent } as LookupOptions));
    if (settings) pulumi.output(urn).apply((known) => this.#accounts.set(known, settings));
  }

  /**
   * A project as it is now, with the account of this resource. Undefined if the request fails, because a preview
   * must not fail then.
   */
  async projectOf(urn: string, projectId: unknown): Promise<ProjectNow | undefined> {
    const settings = this.#accounts.get(urn);
    if (!settings || typeof projectId !== "string") return undefined;
    try {
      const values = await knownSettings(settings);
      return await this.#answers.answer(JSON.stringify(values), projectId, () => {
        const lookups = loadLookups();
        const config = lookups.configFor({ get: (name) => values[name] }, process.env, this.#engine);
        return lookups.projectNow(config, projectId);
      });
    } catch {
      return undefined;
    }
  }
}

function tried<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
