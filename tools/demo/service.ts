/** Sentences on what the service was asked and did in a step. */
import type { EndpointRow, OperationRow, RequestRecord } from "../../emulator/index";

/** The requests that change something, such as `PATCH ep-amber-field-a5x7w3rt`; a new compute is `POST`. */
export const changesIn = (requests: readonly RequestRecord[]): string[] =>
  requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${computeIn(path)}`.trim());

const computeIn = (path: string): string => /\/endpoints\/([^/?]+)/.exec(path)?.[1] ?? "";

/** One line on what the service was asked. */
export function askedFor(requests: readonly RequestRecord[]): string {
  if (requests.length === 0) return "The service was asked nothing.";
  const changes = changesIn(requests);
  const looks = requests.filter(({ method }) => method === "GET");
  const atOperations = looks.filter(({ path }) => path.includes("/operations")).length;
  const said = [
    ...changes,
    counted(looks.length - atOperations, "look at the computes", "looks at the computes"),
    counted(atOperations, "look at an operation", "looks at operations"),
  ];
  return `The service was asked: ${said.filter(Boolean).join(", ")}.`;
}

const counted = (count: number, one: string, many: string): string =>
  count === 0 ? "" : `${count} ${count === 1 ? one : many}`;

/** One line on the work that the service did, such as `start_compute 2.0 s`. */
export const workIn = (operations: readonly OperationRow[]): string =>
  operations.map(({ action, total_duration_ms: ms }) => `${action} ${(ms / 1000).toFixed(1)} s`).join(", ");

/** The computes, a line each. */
export function tableOf(endpoints: readonly EndpointRow[]): string[] {
  const width = Math.max(...endpoints.map(({ id }) => id.length));
  return endpoints.map((row) => {
    const { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } = row;
    const size = min === max ? `${min} CU` : `${min} to ${max} CU`;
    return `${row.id.padEnd(width)}  ${row.type.padEnd(10)}  ${size.padEnd(12)}  ${row.current_state}`;
  });
}
