/** Everything that can be set in the stack's config, as `compute:<name>`. */
export const CONFIG_NAMES = [
  "apiKey",
  "apiUrl",
  "onRestart",
  "approve",
  "askAgain",
  "liveNotices",
  "sizes",
  "autoName",
  "pollSeconds",
  "requestsPerMinute",
] as const;

export type ConfigName = `compute:${(typeof CONFIG_NAMES)[number]}`;

/** The variables of the environment that name an account. */
export const ACCOUNT_VARIABLES = ["COMPUTE_API_KEY", "COMPUTE_API_URL", "NEON_API_KEY", "NEON_API_HOST"] as const;
