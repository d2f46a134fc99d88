// The routes beside the API, for tests in any language. They need no key: only programs of this machine reach the port.

import * as z from "zod/mini";
import type { HandlerResponse } from "../http/route.js";
import type { EmulatorClock } from "../model/clock.js";
import { controlError, notFoundError } from "../model/errors.js";
import { finishStuckOperations } from "../model/event-runner.js";
import { describeIssues, SHOWN_REASONS } from "../model/issues.js";
import { LIMITS } from "../model/limits.js";
import { startServiceOperation } from "../model/service-operations.js";
import type { Simulation } from "../model/simulation.js";
import { World } from "../model/world.js";
import type { ChangeLog } from "./changes.js";
import { recordManual, sendFromConsole } from "./console-requests.js";
import { changeOutOfBand, endpointById } from "./out-of-band.js";
import { endpointResponse, operationResponse } from "./responses.js";

export interface ControlCall {
  method: string;
  /** The path's segments after `/_emulator`. */
  segments: string[];
  query: string;
  body: unknown;
  sim: Simulation;
  requests: { length: number };
  changes: ChangeLog;
  clock: EmulatorClock;
  /** Brings the world up to the present, and returns the simulation. Call it after the clock was moved. */
  catchUp(): Simulation;
  /** Ends the emulator once the response is sent. Absent if it has no server. */
  stop?: () => void;
}

type ControlHandler = (call: ControlCall, id: string) => HandlerResponse;
const ok = (body: unknown): HandlerResponse => ({ status: 200, body });
const DONE: HandlerResponse = { status: 204 };

const LONGEST_ADVANCE_MS = 366 * 24 * 3_600_000;
const LONGEST_OPERATION_MS = 3_600_000;

const TimeBody = z
  .strictObject({
    advanceMs: z.optional(z.number().check(z.gte(0), z.lte(LONGEST_ADVANCE_MS))),
    mode: z.optional(z.enum(["virtual", "real"])),
  })
  .check(z.refine((body) => Object.keys(body).length > 0, "nothing to do: give advanceMs or mode"));

const OperationBody = z
  .strictObject({
    action: z.optional(z.string().check(z.minLength(1), z.maxLength(LIMITS.nameCharacters))),
    endpointId: z.optional(z.string()),
    branchId: z.optional(z.string()),
    projectId: z.optional(z.string()),
    durationMs: z.optional(z.number().check(z.gte(0), z.lte(LONGEST_OPERATION_MS))),
  })
  .check(
    z.refine(
      ({ endpointId, branchId, projectId }) => [endpointId, branchId, projectId].filter(Boolean).length === 1,
      "give one of endpointId, branchId and projectId",
    ),
  );

function parseControlBody<T extends z.ZodMiniType>(schema: T, body: unknown, what: string): z.output<T> {
  const result = schema.safeParse(body);
  if (!result.success) throw controlError(`not ${what}: ${describeIssues(result.error, SHOWN_REASONS)}`);
  return result.data;
}

const timeResponse = ({ clock }: ControlCall): HandlerResponse =>
  ok({ mode: clock.mode, now: new Date(clock.now()).toISOString(), nowMs: clock.now() });

function setTime(call: ControlCall): HandlerResponse {
  const { mode, advanceMs } = parseControlBody(TimeBody, call.body, "a time");
  if (mode !== undefined) call.clock.run(mode);
  if (advanceMs !== undefined) advance(call.clock, advanceMs);
  call.catchUp(); // Runs the events that are due now.
  return timeResponse(call);
}

function advance(clock: EmulatorClock, ms: number): void {
  try {
    clock.advance(ms);
  } catch (error) {
    throw controlError((error as Error).message);
  }
}

/** Replaces the tables in place: a test in this process may have a reference to the world. */
function setWorld(call: ControlCall): HandlerResponse {
  const world = parseControlBody(World, call.body, "a world");
  Object.assign(call.sim.world, world);
  call.changes.restart();
  return ok(call.catchUp().world);
}

function addFault({ sim, body }: ControlCall): HandlerResponse {
  try {
    sim.faults.add(body);
  } catch (error) {
    throw controlError((error as Error).message);
  }
  return DONE;
}

function clearFaults({ sim }: ControlCall): HandlerResponse {
  sim.faults.clear();
  finishStuckOperations(sim);
  return DONE;
}

function clearRequests({ requests, changes }: ControlCall): HandlerResponse {
  requests.length = 0;
  changes.restart();
  return DONE;
}

function startOperation({ sim, body }: ControlCall): HandlerResponse {
  const what = parseControlBody(OperationBody, body, "an operation of the service");
  return { status: 201, body: { operations: startServiceOperation(sim, what).map(operationResponse) } };
}

function removeEndpoint({ sim }: ControlCall, id: string): HandlerResponse {
  delete sim.world.endpoints[endpointById(sim, id).id];
  return DONE;
}

/** Records the change for the console page, because no operation shows it. */
function recorded(work: ControlHandler): ControlHandler {
  return (call, id) =>
    recordManual({ ...call, path: `/_emulator/endpoints/${encodeURIComponent(id)}` }, () => work(call, id));
}

function stop({ stop }: ControlCall): HandlerResponse {
  if (!stop) throw controlError("nothing to stop: this emulator has no server");
  stop();
  return DONE;
}

const ROUTES: Record<string, ControlHandler> = {
  "GET requests": ({ requests }) => ok(requests),
  "DELETE requests": clearRequests,
  "GET changes": ({ query, sim, clock, changes }) =>
    ok(changes.since(new URLSearchParams(query).get("cursor"), sim, clock)),
  "GET world": ({ sim }) => ok(sim.world),
  "PUT world": setWorld,
  "GET time": timeResponse,
  "POST time": setTime,
  "POST faults": addFault,
  "GET faults": ({ sim }) => ok(sim.faults.waiting()),
  "DELETE faults": clearFaults,
  "POST operations": startOperation,
  "POST endpoints/:id": recorded(({ sim, body }, id) =>
    ok({ endpoint: endpointResponse(changeOutOfBand(sim, endpointById(sim, id), body)) }),
  ),
  "DELETE endpoints/:id": recorded(removeEndpoint),
  "POST stop": stop,
};

export function control(call: ControlCall): HandlerResponse {
  const [what, id, ...rest] = call.segments;
  if (what === "api" && id !== undefined) return sendFromConsole({ ...call, segments: [id, ...rest] });
  const key = `${call.method} ${what}${id === undefined ? "" : "/:id"}`;
  const work = rest.length === 0 && Object.hasOwn(ROUTES, key) ? ROUTES[key] : undefined;
  if (!work) throw notFoundError("route");
  return work(call, id ?? "");
}
