import * as pulumi from "@pulumi/pulumi";
import { withoutStack } from "../failure.js";

/**
 * A look-up that could not be answered. Pulumi prints its message without a stack: it says what was asked, what the service
 * said, and what to do next. It never holds a key or a password.
 */
export class LookupError extends pulumi.RunError {
  override readonly name = "LookupError";
  /**
   * `service`: it refused or failed; `config`: no key, or a pair of key and URL that can't be used; `unclear`: an answer that
   * can't be read; `deadline`: not in time; `stopped`: not asked, not reached, or not there.
   */
  readonly kind: string;
  /** What the service answered; 404 for what is not there, or can't be seen with this key. */
  readonly status?: number;

  /** @internal */
  constructor(cause: Error & { kind: string }) {
    super(cause.message);
    this.cause = cause;
    this.kind = cause.kind;
    const status = statusOf(cause) ?? statusOf(cause.cause);
    if (status !== undefined) this.status = status;
    withoutStack(this);
  }
}

const statusOf = (error: unknown): number | undefined =>
  (error as { answer?: { status?: number } } | undefined)?.answer?.status;

/** By message. Without a key, all look-ups of a program fail alike: they share one error, which Pulumi prints once. */
const ofConfig = new Map<string, LookupError>();

/** Errors of the provider's code come out as a `LookupError`, whichever copy of the package they are from. */
export function asLookupError(error: unknown): unknown {
  const { kind } = (error ?? {}) as { kind?: unknown };
  if (!(error instanceof Error) || typeof kind !== "string") return error;
  const own = ofConfig.get(error.message) ?? new LookupError(error as Error & { kind: string });
  if (kind === "config") ofConfig.set(error.message, own);
  return own;
}
