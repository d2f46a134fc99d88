// Misleading answers: success without the work, lists without a compute, and operations that can't be read.

import type { TransportAnswer } from "../../../provider/api/transport";
import type { Interception, Interceptor } from "./fault";

type Row = Record<string, unknown> & { id?: string };

const json = (status: number, body: unknown): TransportAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  text: body === undefined ? "" : JSON.stringify(body),
});

export const SUCCESS_WITHOUT_WORK = "success without the work";
export const LAGGING_LIST = "a list that lags";
const UNREADABLE_OPERATIONS = "operations that can't be read";

/** The compute in the request's path, as the service has it. */
async function rowOf({ request, go }: Interception): Promise<Row | undefined> {
  const url = /^.*\/endpoints\/[^/?]+/.exec(request.url)?.[0];
  if (!url) return undefined;
  const answer = await go({ ...request, method: "GET", url, body: undefined });
  return answer.status === 200 ? (JSON.parse(answer.text) as { endpoint: Row }).endpoint : undefined;
}

const asked = (request: Interception["request"]): Row =>
  request.body ? ((JSON.parse(request.body) as { endpoint?: Row }).endpoint ?? {}) : {};

/** Success answers of a service that has accepted a request and does nothing. */
const succeedWithoutWork: Interceptor = async (interception) => {
  const { request, fault, go } = interception;
  const { salt } = fault;
  if (request.method === "GET") return go(request);
  if (request.method === "DELETE") {
    const row = await rowOf(interception);
    if (!row) return go(request);
    const bodies: [number, unknown][] = [
      [204, undefined],
      [200, {}],
      [202, undefined],
      [200, { endpoint: { ...row, id: "ep-another-one-a5other" }, operations: [] }],
      [200, { endpoint: row, operations: [] }],
    ];
    return json(...bodies[salt % bodies.length]!);
  }
  if (/\/endpoints$/.test(request.url)) {
    const id = `ep-nobody-a5${[...(request.body ?? "")].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 99_991, salt)}`;
    const endpoint = {
      ...asked(request),
      id,
      host: `${id}.test`,
      project_id: projectIn(request.url),
      current_state: "init",
    };
    const operation = { id: "00000000-0000-4000-8000-000000000000", action: "start_compute", status: "finished" };
    return json(201, {
      endpoint,
      operations: salt % 2 === 0 ? [] : [{ ...operation, endpoint_id: id, project_id: endpoint.project_id }],
    });
  }
  const row = await rowOf(interception);
  return row ? json(200, { endpoint: { ...row, ...asked(request) }, operations: [] }) : go(request);
};

const projectIn = (url: string): string => /\/projects\/([^/?]+)/.exec(url)?.[1] ?? "";

/** The list lacks one compute, although a GET of that compute works. */
const omitOneCompute: Interceptor = async ({ request, go, fault }) => {
  const answer = await go(request);
  if (request.method !== "GET" || !/\/endpoints(\?|$)/.test(request.url) || answer.status !== 200) return answer;
  const body = JSON.parse(answer.text) as { endpoints: Row[] };
  const newest = [...body.endpoints].sort((a, b) => String(b["created_at"]).localeCompare(String(a["created_at"])));
  const lost = newest[fault.salt % Math.max(1, Math.min(3, newest.length))];
  return { ...answer, text: JSON.stringify({ ...body, endpoints: body.endpoints.filter((one) => one !== lost) }) };
};

/** A number in place of each operation's id. */
const numberOf = ({ id }: Row, index: number): number => Number.parseInt(String(id).slice(0, 8), 16) || index + 1;

const hideOperations: Interceptor = async ({ request, go, fault }) => {
  const answer = await go(request);
  if (request.method === "GET" || answer.status >= 300 || !answer.text.includes('"operations"')) return answer;
  const { operations, ...rest } = JSON.parse(answer.text) as { operations?: Row[] };
  const forms: unknown[] = [
    null,
    undefined,
    {},
    operations?.map((one, index) => ({ ...one, id: numberOf(one, index) })),
  ];
  return { ...answer, text: JSON.stringify({ ...rest, operations: forms[fault.salt % forms.length] }) };
};

export const MISLEADING: Record<string, Interceptor> = {
  [SUCCESS_WITHOUT_WORK]: succeedWithoutWork,
  [LAGGING_LIST]: omitOneCompute,
  [UNREADABLE_OPERATIONS]: hideOperations,
};
