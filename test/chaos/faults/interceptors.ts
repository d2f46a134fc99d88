// Faults between the provider and the service. Each kind answers a request in the service's place, or changes its answer.

import type { TransportAnswer } from "../../../provider/api/transport";
import { corrupted } from "./corrupt";
import type { Interception, Interceptor } from "./fault";
import { MISLEADING } from "./misleading";

const network = (code: string, message: string): Error => Object.assign(new Error(message), { code });
const cut = () => network("UND_ERR_SOCKET", "other side closed");
const PAGE = "<html><head><title>Bad gateway</title></head><body>Please try again later.</body></html>";
const ID = { "x-neon-ret-request-id": "rid-of-a-fault" };

export const errorAnswer = (
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code = "",
): TransportAnswer => ({
  status,
  headers: { ...ID, "content-type": "application/json", ...headers },
  text: JSON.stringify({ request_id: "rid-of-a-fault", code, message }),
});
const page = (status: number): TransportAnswer => ({ status, headers: { "content-type": "text/html" }, text: PAGE });
const late = async ({ request, clock }: Interception): Promise<never> => {
  await clock.sleep(request.timeoutMs);
  throw network("TIMED_OUT", `no whole answer within ${request.timeoutMs} ms`);
};

/** Server errors, before and after the service has done the work. */
function statuses(): Record<string, Interceptor> {
  const interceptors: Record<string, Interceptor> = {};
  for (const status of [500, 502, 504, 524]) {
    const answer = () => (status === 500 ? errorAnswer(500, "internal server error") : page(status));
    interceptors[`${status}, nothing done`] = async () => answer();
    interceptors[`${status}, work done`] = async ({ request, go }) => {
      await go(request);
      return answer();
    };
  }
  return interceptors;
}

const busy = "project already has running conflicting operations, scheduling of new ones is prohibited";
const corrupting =
  (how: Parameters<typeof corrupted>[1]): Interceptor =>
  async ({ request, go, fault }) => {
    const answer = await go(request);
    const text = answer.status >= 300 ? undefined : corrupted(answer.text, how, fault.salt);
    return text === undefined ? answer : { ...answer, text };
  };

export const INTERCEPTORS: Record<string, Interceptor> = {
  "connection refused": async () => {
    throw network("ECONNREFUSED", "connect ECONNREFUSED");
  },
  "cut before it was read": async () => {
    throw cut();
  },
  "cut after the work": async ({ request, go }) => {
    await go(request);
    throw cut();
  },
  "time-out, nothing done": late,
  "time-out, work done": async (interception) => {
    void interception.go(interception.request).catch(() => {});
    return late(interception);
  },
  ...statuses(),
  "503": async () => errorAnswer(503, "service unavailable"),
  "503, Retry-After 7": async () => errorAnswer(503, "service unavailable", { "retry-after": "7" }),
  "429": async () => errorAnswer(429, "rate limit exceeded"),
  "429, Retry-After 9": async () => errorAnswer(429, "rate limit exceeded", { "retry-after": "9" }),
  "429, Retry-After as a date": async ({ clock }) =>
    errorAnswer(429, "rate limit exceeded", { "retry-after": new Date(clock.wall() + 12_000).toUTCString() }),
  "429, Retry-After absurd": async () => errorAnswer(429, "rate limit exceeded", { "retry-after": "86400" }),
  "429, Retry-After negative": async () => errorAnswer(429, "rate limit exceeded", { "retry-after": "-5" }),
  "423 for others' work": async () => errorAnswer(423, busy),
  "HTML with 200": async ({ request, go }) => {
    await go(request);
    return page(200);
  },
  "empty body": async ({ request, go }) => ({ ...(await go(request)), text: "" }),
  "truncated body": async ({ request, go }) => {
    const answer = await go(request);
    return { ...answer, text: answer.text.slice(0, Math.ceil(answer.text.length / 2)) };
  },
  "null fields": corrupting("null"),
  "missing fields": corrupting("missing"),
  "unknown status words": corrupting("status"),
  "unknown action words": corrupting("action"),
  "404 of the project": async () => errorAnswer(404, "project not found"),
  "403": async () => errorAnswer(403, "this key is not allowed to do that"),
  "401": async () => errorAnswer(401, "supplied credentials do not pass authentication"),
  ...MISLEADING,
  "422 of a plan": async () => errorAnswer(422, "limit of the plan reached", {}, "ENDPOINTS_LIMIT_EXCEEDED"),
};
