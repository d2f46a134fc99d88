/** The settings in the stack's config, as `compute:<name>`. */
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

/** The environment variables that name an account. */
export const ACCOUNT_VARIABLES = ["COMPUTE_API_KEY", "COMPUTE_API_URL", "NEON_API_KEY", "NEON_API_HOST"] as const;

/**
 * Config names by which an instance of the class `Provider` hands its account to its own provider process. States contain them, so
 * they are frozen.
 */
export const INSTANCE = {
  /** The instance's name, for messages. Where it is set, only the instance's account is used. */
  name: "compute:instance",
  apiKey: "compute:instanceApiKey",
  apiUrl: "compute:instanceApiUrl",
  /**
   * Marks an instance that the program made. Its name has four parts, and Pulumi allows three in a stack's file. So nobody can
   * set it by changing the file.
   */
  byProgram: "compute:instance:by:program",
} as const;
