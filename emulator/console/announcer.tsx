import { useEffect, useRef, useState } from "preact/hooks";
import type { EndpointView } from "../model/change-types.js";
import type { State } from "./state.js";
import { isPending, pendingLabel, statusLabel, typeLabel } from "./words.js";

/** Says to a screen reader what changed at computes. The timeline would say too much. */
export function Announcer({ state, endpoints }: { state: State; endpoints: readonly EndpointView[] }) {
  const known = useRef<Map<string, string> | undefined>(undefined);
  const [said, say] = useState("");
  useEffect(() => {
    const texts = new Map(endpoints.map((endpoint) => [endpoint.id, describe(endpoint, state)]));
    const before = known.current;
    known.current = texts;
    if (!before) return;
    const news = [
      ...[...texts].filter(([id, text]) => before.get(id) !== text).map(([, text]) => text),
      ...[...before.keys()].filter((id) => !texts.has(id)).map((id) => `${id}: deleted`),
    ];
    if (news.length > 0) say(news.join(". "));
  }, [state, endpoints]);
  return (
    <p class="unseen" role="status">
      {said}
    </p>
  );
}

function describe(endpoint: EndpointView, { operations, time }: State): string {
  const pending = operations.filter((one) => one.endpoint_id === endpoint.id && isPending(one, time.nowMs));
  const now = [statusLabel(endpoint), pendingLabel(endpoint, pending)].filter(Boolean).join(", ");
  return `${typeLabel(endpoint)} ${endpoint.id}: ${now}`;
}
