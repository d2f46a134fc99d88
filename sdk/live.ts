// What is true of a compute while a preview runs, for the warning alone: a marker with it would bind saved plans and
// approvals to a moment.

import * as pulumi from "@pulumi/pulumi";
import type { Impact } from "../provider/rules/restart.js";
import { engineEnvironment } from "./engine-environment.js";
import { accountOf, type LookupOptions, loadDesk, settingsOf } from "./lookups/ask.js";
import type { Settings } from "./provider.js";

type Now = Awaited<ReturnType<ReturnType<typeof loadDesk>["computesNow"]>>;

/** The live facts of one run: each project is asked for its computes at most once, and no account that failed again. */
export class Live {
  readonly #accounts = new Map<string, Settings>();
  readonly #asked = new Map<string, Promise<Now | undefined>>();
  readonly #failed = new Set<string>();
  readonly #engine = engineEnvironment();

  /** Notes with which account a resource is made; `urn` is known before the resource is compared. */
  follow(urn: pulumi.Input<string>, { provider, parent }: pulumi.CustomResourceOptions): void {
    if (!pulumi.runtime.isDryRun() || new pulumi.Config("compute").get("liveNotices") === "false") return;
    const settings = tried(() => settingsOf({ provider, parent } as LookupOptions));
    if (settings) pulumi.output(urn).apply((known) => this.#accounts.set(known, settings));
  }

  /** In words; undefined where nobody can tell, for whatever reason: a preview does not fail over it. */
  async wordsOf(urn: string, project: string, id: string, impact: Impact): Promise<string | undefined> {
    const settings = this.#accounts.get(urn);
    if (!settings) return undefined;
    try {
      const values = await accountOf(settings);
      const account = JSON.stringify(values);
      if (this.#failed.has(account)) return undefined;
      const key = `${account} ${project}`;
      let asked = this.#asked.get(key);
      if (!asked) {
        const desk = loadDesk();
        asked = desk
          .computesNow(desk.configFor({ get: (name) => values[name] }, process.env, this.#engine), project)
          .catch(() => void this.#failed.add(account));
        this.#asked.set(key, asked);
      }
      const now = await asked;
      const endpoint = now?.endpoints.find((one) => one.id === id);
      return now && endpoint && loadDesk().liveWords(endpoint, impact, now.nowMs);
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
