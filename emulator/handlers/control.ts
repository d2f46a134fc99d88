import { z } from "zod";
import { endpointAnswer, operationAnswer } from "../answers.js";
import type { EmulatorClock } from "../api.js";
import { release } from "../progress.js";
import { badControl, missing } from "../refuse.js";
import type { Answer } from "../route.js";
import type { Site } from "../rules.js";
import { reasonsOf, WorldSchema } from "../schema.js";
import { startServiceWork } from "../service.js";
import { changeByHand, endpointById } from "./by-hand.js";

/** The routes beside the API, for tests in any language. They need no key: whoever reaches this port is on this machine. */

export interface ControlCall {
  method: string;
  /** The path's segments behind `/_emulator`. */
  segments: string[];
  body: unknown;
  site: Site;
  requests: { length: number };
  clock: EmulatorClock;
  /** The world brought up to a clock that has been moved. */
  present(): Site;
}

type Work = (call: ControlCall, id: string) => Answer;
const ok = (body: unknown): Answer => ({ status: 200, body });
const DONE: Answer = { status: 204 };

const LONGEST_ADVANCE_MS = 366 * 24 * 3_600_000;

const TimeBody = z
  .strictObject({
    advanceMs: z.number().min(0).max(LONGEST_ADVANCE_MS).optional(),
    mode: z.enum(["virtual", "real"]).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, "nothing to do: give advanceMs or mode");

const OperationBody = z
  .strictObject({
    action: z.string().min(1).optional(),
    endpointId: z.string().optional(),
    branchId: z.string().optional(),
    projectId: z.string().optional(),
  })
  .refine(
    ({ endpointId, branchId, projectId }) => [endpointId, branchId, projectId].filter(Boolean).length === 1,
    "give one of endpointId, branchId and projectId",
  );

function checked<T extends z.ZodType>(schema: T, body: unknown, what: string): z.output<T> {
  const result = schema.safeParse(body);
  if (!result.success) throw badControl(`not ${what}: ${reasonsOf(result.error)}`);
  return result.data;
}

const timeAnswer = ({ clock }: ControlCall): Answer =>
  ok({ mode: clock.mode, now: new Date(clock.now()).toISOString(), nowMs: clock.now() });

function setTime(call: ControlCall): Answer {
  const { mode, advanceMs } = checked(TimeBody, call.body, "a time");
  if (mode !== undefined) call.clock.run(mode);
  if (advanceMs !== undefined) advance(call.clock, advanceMs);
  call.present();
  return timeAnswer(call);
}

function advance(clock: EmulatorClock, ms: number): void {
  try {
    clock.advance(ms);
  } catch (error) {
    throw badControl((error as Error).message);
  }
}

/** In place, for those who hold the world. */
function setWorld(call: ControlCall): Answer {
  const world = checked(WorldSchema, call.body, "a world");
  Object.assign(call.site.world, world);
  return ok(call.present().world);
}

function addFault({ site, body }: ControlCall): Answer {
  try {
    site.faults.add(body);
  } catch (error) {
    throw badControl((error as Error).message);
  }
  return DONE;
}

function clearFaults({ site }: ControlCall): Answer {
  site.faults.clear();
  release(site);
  return DONE;
}

function clearRequests({ requests }: ControlCall): Answer {
  requests.length = 0;
  return DONE;
}

function startOperation({ site, body }: ControlCall): Answer {
  const what = checked(OperationBody, body, "an operation of the service");
  return { status: 201, body: { operations: startServiceWork(site, what).map(operationAnswer) } };
}

function removeEndpoint({ site }: ControlCall, id: string): Answer {
  delete site.world.endpoints[endpointById(site, id).id];
  return DONE;
}

const ROUTES: Record<string, Work> = {
  "GET requests": ({ requests }) => ok(requests),
  "DELETE requests": clearRequests,
  "GET world": ({ site }) => ok(site.world),
  "PUT world": setWorld,
  "GET time": timeAnswer,
  "POST time": setTime,
  "POST faults": addFault,
  "GET faults": ({ site }) => ok(site.faults.waiting()),
  "DELETE faults": clearFaults,
  "POST operations": startOperation,
  "POST endpoints/:id": ({ site, body }, id) =>
    ok({ endpoint: endpointAnswer(changeByHand(site, endpointById(site, id), body)) }),
  "DELETE endpoints/:id": removeEndpoint,
};

export function control(call: ControlCall): Answer {
  const [what, id, ...rest] = call.segments;
  const key = `${call.method} ${what}${id === undefined ? "" : "/:id"}`;
  const work = rest.length === 0 && Object.hasOwn(ROUTES, key) ? ROUTES[key] : undefined;
  if (!work) throw missing("route");
  return work(call, id ?? "");
}
