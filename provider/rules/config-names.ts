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
