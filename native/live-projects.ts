// The current computes of the projects, for a preview.

import type { ProviderConfig } from "../provider/config.js";
import type { ProjectNow } from "../provider/lookup/live.js";
import { OncePerProject } from "../provider/rules/once-per-project.js";

export class LiveProjects {
  readonly #answers = new OncePerProject<ProjectNow>();

  constructor(private readonly config: ProviderConfig) {}

  /** Undefined if the request fails or there is no account. */
  async of(projectId: unknown): Promise<ProjectNow | undefined> {
    const { account } = this.config;
    if (typeof projectId !== "string" || account instanceof Error) return undefined;
    // One provider has one account.
    return this.#answers.answer("", projectId, () => {
      const { projectNow } = require("../provider/lookup/index.js") as typeof import("../provider/lookup/index.js");
      return projectNow({ ...this.config, account }, projectId);
    });
  }
}
