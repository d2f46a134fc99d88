/**
 * What an instance of the class `Provider` hands to its own provider process, beside the stack's other settings: names in
 * its config. They stand in states, so they are frozen.
 */
export const INSTANCE = {
  /** The instance's name, for messages. That it is there says that the account is the instance's and nobody else's. */
  name: "compute:instance",
  apiKey: "compute:instanceApiKey",
  apiUrl: "compute:instanceApiUrl",
} as const;
