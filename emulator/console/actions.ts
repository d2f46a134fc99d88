import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Method } from "./emulator-api.js";

/** Something that a person does on the page. */
export interface Action {
  /** As in "Restart ep-amber-field-a5x7w3rt". */
  what: string;
  method: Method;
  /** Below `/_emulator`. */
  path: string;
  body?: unknown;
}

/**
 * Sends the action and says at the foot of the page how it ended.
 * @returns the words of a refusal, or undefined
 */
export type Act = (action: Action) => Promise<string | undefined>;

export const ActContext = createContext<Act>(async () => undefined);

export const useAct = (): Act => useContext(ActContext);
