import { useState } from "preact/hooks";
import type { FaultRule } from "../model/fault-types.js";
import { useAct } from "./actions.js";
import type { State } from "./state.js";
import { operationLabel, timeLabel } from "./words.js";

/** What a person does to the emulator itself: its clock, a lock, the end of the next operation. */
export function ByHand({ state, projectId }: { state: State; projectId: string }) {
  return (
    <section class="panel by-hand" aria-labelledby="by-hand">
      <h2 id="by-hand" class="panel-title">
        By hand
      </h2>
      <div class="scroll">
        <ClockControls time={state.time} />
        <LockControls projectId={projectId} />
        <FaultControls faults={state.faults} />
      </div>
    </section>
  );
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const ADVANCES: [label: string, ms: number][] = [
  ["1 second", SECOND_MS],
  ["10 seconds", 10 * SECOND_MS],
  ["1 minute", MINUTE_MS],
  ["5 minutes", 5 * MINUTE_MS],
  ["1 hour", 60 * MINUTE_MS],
];
const LOCKS: [label: string, ms: number][] = [
  ["10 seconds", 10 * SECOND_MS],
  ["30 seconds", 30 * SECOND_MS],
  ["2 minutes", 2 * MINUTE_MS],
  ["10 minutes", 10 * MINUTE_MS],
];

function ClockControls({ time: { mode, nowMs } }: { time: State["time"] }) {
  const act = useAct();
  const [ms, setMs] = useState(SECOND_MS);
  const isStopped = mode === "virtual";
  const setTime = (what: string, body: object) => void act({ what, method: "POST", path: "/time", body });
  return (
    <fieldset class="control" aria-label="Clock">
      <p>
        {isStopped ? "Stopped" : "Clock"} <span class="time">{timeLabel(nowMs)}</span>
      </p>
      <div class="buttons">
        <button
          type="button"
          class="toggle"
          onClick={() =>
            isStopped ? setTime("Start the clock", { mode: "real" }) : setTime("Stop the clock", { mode: "virtual" })
          }
        >
          {isStopped ? "Start clock" : "Stop clock"}
        </button>
        <Choice label="Advance by" options={ADVANCES} value={ms} onChange={(value) => setMs(Number(value))} />
        <button type="button" onClick={() => setTime("Advance the clock", { advanceMs: ms })}>
          Advance
        </button>
      </div>
    </fieldset>
  );
}

/** An operation of the service on the whole project. It locks as the service's own work does. */
const LOCKING_ACTION = "apply_storage_config";

function LockControls({ projectId }: { projectId: string }) {
  const act = useAct();
  const [durationMs, setDuration] = useState(10 * SECOND_MS);
  const body = { projectId, action: LOCKING_ACTION, durationMs };
  return (
    <fieldset class="control" aria-label="Lock">
      <p>Lock the project</p>
      <div class="buttons">
        <Choice label="Lock for" options={LOCKS} value={durationMs} onChange={(value) => setDuration(Number(value))} />
        <button
          type="button"
          onClick={() => void act({ what: "Lock the project", method: "POST", path: "/operations", body })}
        >
          Lock
        </button>
      </div>
    </fieldset>
  );
}

const ACTIONS: [label: string, action: string][] = [
  ["operation", "*"],
  ...["apply_config", "start_compute", "suspend_compute", "check_availability"].map((action): [string, string] => [
    action,
    action,
  ]),
];
const ENDS: [label: string, end: string][] = [
  ["fails", "failed"],
  ["hangs", "never"],
  ["is cancelled", "cancelled"],
  ["fails once", "failed-then-finished"],
];

function FaultControls({ faults }: { faults: readonly FaultRule[] }) {
  const act = useAct();
  const [action, setAction] = useState("*");
  const [then, setThen] = useState("failed");
  const rule = { operation: { action, then } };
  return (
    <fieldset class="control faults" aria-label="Faults">
      <p>The next</p>
      <div class="buttons">
        <Choice label="Which operation" options={ACTIONS} value={action} onChange={setAction} />
        <Choice label="How it ends" options={ENDS} value={then} onChange={setThen} />
        <button
          type="button"
          onClick={() => void act({ what: "Set the fault", method: "POST", path: "/faults", body: rule })}
        >
          Set
        </button>
        <button type="button" onClick={() => void act({ what: "Clear all faults", method: "DELETE", path: "/faults" })}>
          Clear
        </button>
      </div>
      <p class="waiting">{waitingLabel(faults)}</p>
    </fieldset>
  );
}

function waitingLabel(faults: readonly FaultRule[]): string {
  const [first, ...more] = faults;
  if (!first) return "No fault waits.";
  const others = more.length === 0 ? "" : `, and ${more.length} more`;
  return `Waits: ${faultLabel(first)}${others}.`;
}

function faultLabel(rule: FaultRule): string {
  if ("operation" in rule) {
    const { action, then } = rule.operation;
    const end = ENDS.find(([, word]) => word === then)?.[0] ?? then;
    return `the next ${action === "*" ? "operation" : operationLabel(action)} ${end}`;
  }
  if ("ignore" in rule) return `${rule.ignore.fields.join(", ")} is ignored`;
  return `${rule.match.method ?? "any request"} ${rule.match.path ?? ""} is spoilt`;
}

interface ChoiceProps<T> {
  label: string;
  options: readonly (readonly [label: string, value: T])[];
  value: T;
  onChange: (value: string) => void;
}

function Choice<T extends string | number>({ label, options, value, onChange }: ChoiceProps<T>) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([text, one]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}
