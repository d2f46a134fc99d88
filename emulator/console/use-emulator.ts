import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { changesSince } from "./emulator-api.js";
import { type State, withChanges } from "./state.js";

const PAUSE_MS = 400;
/** The pause is at least this many times as long as the last answer took: a world of thousands of computes must not keep the emulator busy. */
const PAUSE_FACTOR = 5;
/** The pause after the emulator did not answer. */
const LONG_PAUSE_MS = 1500;

export interface Emulator {
  /** Undefined until the first answer. */
  state: State | undefined;
  /** Whether the last request for changes was answered. */
  isLive: boolean;
  /** Asks for changes at once, after an action. */
  refresh(): void;
}

/** Keeps the state up to date while the page is visible. */
export function useEmulator(): Emulator {
  const [state, setState] = useState<State>();
  const [isLive, setLive] = useState(true);
  const refresh = useRef(() => {});

  useEffect(() => {
    let cursor: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isAsking = false;
    let isAskedAgain = false;

    const ask = async () => {
      clearTimeout(timer);
      if (isAsking) {
        isAskedAgain = true;
        return;
      }
      isAsking = true;
      let pause = PAUSE_MS;
      const askedAt = performance.now();
      try {
        const changes = await changesSince(cursor);
        cursor = changes.cursor;
        setState((before) => withChanges(before, changes));
        setLive(true);
        pause = Math.max(PAUSE_MS, PAUSE_FACTOR * (performance.now() - askedAt));
      } catch {
        setLive(false);
        pause = LONG_PAUSE_MS;
      }
      isAsking = false;
      if (isAskedAgain) {
        isAskedAgain = false;
        void ask();
      } else if (!document.hidden) timer = setTimeout(ask, pause);
    };
    const askIfVisible = () => {
      if (!document.hidden) void ask();
    };

    refresh.current = () => void ask();
    document.addEventListener("visibilitychange", askIfVisible);
    void ask();
    return () => {
      document.removeEventListener("visibilitychange", askIfVisible);
      clearTimeout(timer);
    };
  }, []);

  return { state, isLive, refresh: useCallback(() => refresh.current(), []) };
}
