import { useEffect } from "preact/hooks";

/** Milliseconds that a success is shown. A refusal stays until it is dismissed. */
const SHOWN_MS = 5000;

/** The outcome of the last action, over the foot of the page, so that nothing moves when it comes. */
export interface Outcome {
  text: string;
  isRefusal: boolean;
}

export function Notice({ outcome, onDismiss }: { outcome: Outcome | undefined; onDismiss: () => void }) {
  useEffect(() => {
    if (outcome === undefined || outcome.isRefusal) return;
    const timer = setTimeout(onDismiss, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome, onDismiss]);
  return (
    <div class="notice" role="status">
      {outcome && (
        <div class={`notice-box ${outcome.isRefusal ? "bad" : "good"}`}>
          <p>
            <bdi>{outcome.text}</bdi>
          </p>
          <button type="button" class="plain" aria-label="Dismiss" onClick={onDismiss}>
            ×
          </button>
        </div>
      )}
    </div>
  );
}
