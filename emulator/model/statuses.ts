// Words of the service that the emulator and its console page both compare with.

/** The statuses of an operation that is under way. */
export const PENDING_STATUSES: ReadonlySet<string> = new Set(["scheduling", "running", "cancelling"]);

/** `last_active` of a compute that nobody has used yet. */
export const NEVER_ACTIVE = "2000-01-01T00:00:00.000000Z";
