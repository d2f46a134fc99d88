// Whose compute it is that stands in the way, as far as this run knows. No service tells.

import { looksGenerated } from "../rules/auto-name.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { Process } from "./step.js";

/** A sentence, or nothing where nothing is known. */
export function whose({ ownership, created }: Process, { id, name }: Pick<WireEndpoint, "id" | "name">): string {
  const resource = ownership?.resourceWith(id);
  if (resource !== undefined) return ` It is the compute of resource ${resource} of this stack.`;
  if (created.has(id)) return " Another resource of this same run has made it or taken it over.";
  if (ownership?.isHeld(id)) return " Another resource of this program has it, with another Provider instance.";
  if (name === undefined) return "";
  return looksGenerated(name)
    ? ` Its name, ${name}, was generated for a resource of this package, perhaps in another stack. If that resource leaves this program, take it out in a \`pulumi up\` of its own before: Pulumi deletes last.`
    : ` Its name is ${name}.`;
}
