import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { EndpointView } from "../model/change-types.js";
import type { State } from "./state.js";
import {
  bodyLabel,
  type Cleared,
  clearedNow,
  type Entry,
  type OperationEntry,
  type RequestEntry,
  storyOf,
  timeOf,
} from "./story.js";
import {
  durationLabel,
  operationDuration,
  operationLabel,
  operationStatus,
  timeLabel,
  toneOf,
  typeLabel,
} from "./words.js";

const SHOWN = 300;
/** A pause after which a new command has probably begun. */
const PAUSE_MS = 4000;
const ALL = "";

interface TimelineProps {
  state: State;
  projectId: string;
  endpoints: readonly EndpointView[];
}

/** Requests and operations in the order of time, so that one `pulumi up` reads like a story. It follows the newest entry. */
export function Timeline({ state, projectId, endpoints }: TimelineProps) {
  const [endpointId, setEndpointId] = useState(ALL);
  const [cleared, setCleared] = useState<Cleared>();
  const entries = useMemo(
    () => storyOf(state, { projectId, endpointId: endpointId || undefined, cleared }).slice(-SHOWN),
    [state.series, state.requests, state.operations, projectId, endpointId, cleared],
  );
  const { list, isFollowing, follow, onScroll } = useFollowing();
  return (
    <section class="panel timeline" aria-labelledby="timeline">
      <header class="panel-head">
        <h2 id="timeline">What happened</h2>
        <span class="gap" />
        <label>
          <span class="unseen">Show</span>
          <select value={endpointId} onChange={(event) => setEndpointId(event.currentTarget.value)}>
            <option value={ALL}>All computes</option>
            {endpoints.map((endpoint) => (
              <option key={endpoint.id} value={endpoint.id}>
                {typeLabel(endpoint).split(",", 1)[0]} {endpoint.id}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => setCleared(clearedNow(state))}>
          Clear
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
      <section class="scroll" aria-label="Requests and operations" tabIndex={0} ref={list} onScroll={onScroll}>
        {entries.length === 0 && (
          <p class="empty">Nothing yet. Run a program against this emulator, or press a button of a compute.</p>
        )}
        <ol class="story">
          {entries.map((entry, index) => (
            <li key={entry.key} class={beginsAnew(entries[index - 1], entry) ? "anew" : ""}>
              <time>{timeLabel(timeOf(entry))}</time>
              {entry.kind === "request" ? <Request entry={entry} /> : <Operation entry={entry} state={state} />}
            </li>
          ))}
        </ol>
      </section>
      <button type="button" class={`newest ${isFollowing ? "unneeded" : ""}`} onClick={follow}>
        Newest ↓
      </button>
    </section>
  );
}

const beginsAnew = (before: Entry | undefined, entry: Entry): boolean =>
  before !== undefined && entry.kind === "request" && timeOf(entry) - timeOf(before) > PAUSE_MS;

function Request({ entry: { request, path, times, refused } }: { entry: RequestEntry }) {
  const { method, status, message, body, by_hand } = request;
  return (
    <div class={`request ${refused ? "refused" : ""}`}>
      <p>
        <span class={`method ${method === "GET" ? "" : "changes"}`}>{method}</span> <bdi class="code path">{path}</bdi>
        {by_hand && <span class="by-hand-mark"> by hand</span>}
        {times > 1 && <span class="times"> × {times}</span>}
      </p>
      <span class="outcome">{status === "cut" ? "cut off" : (status ?? "…")}</span>
      {message !== undefined && <p class="message">{message}</p>}
      {body !== undefined && <p class="body code">{bodyLabel(body)}</p>}
    </div>
  );
}

function Operation({ entry: { operation }, state }: { entry: OperationEntry; state: State }) {
  const endpoint = state.endpoints.find(({ id }) => id === operation.endpoint_id);
  const label = operationStatus(operation.status);
  const of = endpoint ? (typeLabel(endpoint).split(",", 1)[0] as string) : "";
  return (
    <div class={`operation ${toneOf(label)}`}>
      <p>
        <strong>{operationLabel(operation.action)}</strong> {of}{" "}
        <span class="code">{operation.endpoint_id ?? operation.branch_id}</span>
      </p>
      <span class="outcome">
        <span class={`pill ${toneOf(label)}`}>{label}</span>
        <span>{durationLabel(operationDuration(operation, state.time.nowMs))}</span>
      </span>
      {operation.error !== undefined && <p class="message">{operation.error}</p>}
    </div>
  );
}

const NEAR_PX = 24;

/** Keeps the end of the list in view, until a person scrolls up. */
function useFollowing() {
  const list = useRef<HTMLElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const toEnd = () => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  };
  useLayoutEffect(() => {
    if (isFollowing) toEnd();
  });
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (isFollowing) toEnd();
    });
    if (list.current) observer.observe(list.current);
    return () => observer.disconnect();
  }, [isFollowing]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = list.current as HTMLElement;
    setFollowing(scrollHeight - scrollTop - clientHeight < NEAR_PX);
  };
  const follow = () => {
    setFollowing(true);
    toEnd();
  };
  return { list, isFollowing, follow, onScroll };
}
