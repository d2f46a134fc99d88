import * as pulumi from "@pulumi/pulumi";

/** An error of the program's that Pulumi prints as it is, without a stack. */
export const failure = (message: string): pulumi.RunError => withoutStack(new pulumi.RunError(message));

/** Removes stack traces. Pulumi never prints those of our errors but formats them, which can take half a minute on Node.js 20. */
export function withoutStack<E extends Error>(error: E): E {
  for (let at: unknown = error; at instanceof Error; at = at.cause) at.stack = `${at.name}: ${at.message}`;
  return error;
}
