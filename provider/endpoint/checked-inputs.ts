// Hands the old inputs, which only check gets, on to diff and update, which get outputs. The preview shows a change of
// inputs, so only these tell what it has shown.

import { canonical } from "../rules/settings.js";

type Raw = Record<string, unknown>;

export class CheckedInputs {
  readonly #byResource = new Map<string, Raw>();
  readonly #byId = new Map<string, Raw>();

  /** @param inputs the answer of check; @param olds its old inputs, empty for a resource that is made */
  remember(inputs: Raw, olds: Raw): void {
    if (olds["projectId"] !== undefined) this.#byResource.set(keyOf(inputs), olds);
  }

  /** The old inputs of the resource that is compared; undefined where check was not asked, as in a refresh. */
  compared(id: string, news: Raw): Raw | undefined {
    const olds = this.#byResource.get(keyOf(news));
    if (olds) this.#byId.set(id, olds);
    return olds;
  }

  /** The old inputs of a compute that was compared. */
  of(id: string): Raw | undefined {
    return this.#byId.get(id);
  }
}

/** Diff is told no URN: this is what differs between two resources. */
const keyOf = ({ __autoName, name, projectId, branchId, type }: Raw): string =>
  canonical([__autoName, name, projectId, branchId, type]);
