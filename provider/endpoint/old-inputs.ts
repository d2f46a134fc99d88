// Keeps the old inputs for diff and update. Pulumi passes the old inputs only to check, and old outputs to diff and update. What
// a preview shows is the difference between old and new inputs, so diff and update need both.

import { canonical } from "../rules/equality.js";

type Raw = Record<string, unknown>;

/** The old inputs of the resources that check was asked about. */
export class OldInputs {
  readonly #byResource = new Map<string, Raw>();
  readonly #byId = new Map<string, Raw>();

  /** @param inputs the inputs that check returned; @param olds the old inputs, empty for a new resource */
  rememberChecked(inputs: Raw, olds: Raw): void {
    if (olds["projectId"] !== undefined) this.#byResource.set(keyOf(inputs), olds);
  }

  /**
   * Finds the old inputs of the resource with these new inputs, and stores them under the compute's id.
   * @returns them; undefined if no check came before, as in a refresh
   */
  rememberCompared(id: string, news: Raw): Raw | undefined {
    const olds = this.#byResource.get(keyOf(news));
    if (olds) this.#byId.set(id, olds);
    return olds;
  }

  /** Notes the old inputs of a compute where the engine gives them to diff as well. */
  rememberFor(id: string, olds: Raw): void {
    this.#byId.set(id, olds);
  }

  /** The old inputs of a compute that was compared. */
  of(id: string): Raw | undefined {
    return this.#byId.get(id);
  }
}

/** Pulumi's shim passes diff no URN. These properties differ between two resources. */
const keyOf = ({ __autoName, name, projectId, branchId, type }: Raw): string =>
  canonical([__autoName, name, projectId, branchId, type]);
