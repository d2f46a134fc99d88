// The current computes of the projects, for a preview.

import type { ProviderConfig } from "../provider/config.js";
import { UNKNOWN_VALUE } from "../provider/endpoint/inputs.js";
import type { ProjectNow } from "../provider/lookup/live.js";
import { OncePerProject } from "../provider/rules/once-per-project.js";

export class LiveProjects {
  readonly #answers: OncePerProject<ProjectNow>;

  /** @param warn shows a line at the stack */
  constructor(
    private readonly config: ProviderConfig,
    warn: (text: string) => Promise<void>,
  ) {
    this.#answers = new OncePerProject((error) => warn(lookups().couldNotLook(error)));
  }

  /** Undefined if the project is not known yet, if the request fails, or if there is no account. */
  async projectOf(projectId: unknown): Promise<ProjectNow | undefined> {
    const { account } = this.config;
    if (typeof projectId !== "string" || projectId === UNKNOWN_VALUE || account instanceof Error) return undefined;
    // One provider has one account.
    return this.#answers.answer("", projectId, () => lookups().projectNow({ ...this.config, account }, projectId));
  }
}

const lookups = () => require("../provider/lookup/index.js") as typeof import("../provider/lookup/index.js");
