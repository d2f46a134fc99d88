import * as pulumi from "@pulumi/pulumi";

/** An error of the program's that Pulumi prints as it is, without a stack. */
export const failure = (message: string): pulumi.RunError => withoutStack(new pulumi.RunError(message));

/**
 * Takes the stacks away, which Pulumi shows for none of our errors but formats for all of them: on Node.js 20 that takes half
 * a minute for a stack that leads through Pulumi's own files.
 */
export function withoutStack<E extends Error>(error: E): E {
  for (let at: unknown = error; at instanceof Error; at = at.cause) at.stack = `${at.name}: ${at.message}`;
  return error;
}
