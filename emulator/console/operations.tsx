import { useState } from "preact/hooks";
import type { OperationView } from "../model/change-types.js";
import { send } from "./emulator-api.js";
import type { State } from "./state.js";
import { dateLabel, durationLabel, operationDuration, operationLabel, operationStatus, toneOf } from "./words.js";

/** Rows of a page. The panel has room for them, so that nothing moves. */
const PAGE = 8;

type Rows = Omit<OperationView, "created_ms">[];

/** The operations of a project, newest first. The first page is live, and older ones come by the API's cursor. */
export function Operations({ state, projectId }: { state: State; projectId: string }) {
  const newest = state.operations
    .filter((one) => one.project_id === projectId)
    .slice(-PAGE)
    .reverse();
  const pages = useOlderPages(projectId);
  const rows = pages.rows ?? newest;
  return (
    <section class="panel operations" aria-labelledby="operations">
      <header class="panel-head">
        <h2 id="operations">Operations</h2>
        <span class="gap" />
        <span class="page">{pages.number === 1 ? "newest, live" : `page ${pages.number}`}</span>
        <button type="button" aria-label="Newer operations" onClick={pages.goNewer}>
          Newer
        </button>
        <button type="button" aria-label="Older operations" onClick={pages.goOlder}>
          Older
        </button>
      </header>
      <div class="rows">
        <table>
          <thead>
            <tr>
              <th scope="col">Operation</th>
              <th scope="col" class="wide branch">
                Branch
              </th>
              <th scope="col" class="wide compute-id">
                Compute
              </th>
              <th scope="col" class="fixed">
                Status
              </th>
              <th scope="col" class="duration">
                Duration
              </th>
              <th scope="col" class="wide date">
                Date
              </th>
            </tr>
          </thead>
          <tbody>
            {/* Without keys: a new operation changes the texts of the rows and moves none of them. */}
            {rows.map((operation) => OperationRow({ operation: withMs(operation), state }))}
          </tbody>
        </table>
        {rows.length === 0 && <p class="empty">No operation yet.</p>}
      </div>
    </section>
  );
}

const withMs = (row: Rows[number]): OperationView => ({ created_ms: Date.parse(row.created_at), ...row });

function OperationRow({ operation, state }: { operation: OperationView; state: State }) {
  const { branch_id, endpoint_id, action, status, error } = operation;
  const branch = state.branches.find(({ id }) => id === branch_id)?.name ?? branch_id ?? "–";
  const label = operationStatus(status);
  const date = dateLabel(operation.created_ms);
  return (
    <tr>
      <td>
        {operationLabel(action)}
        <span class="narrow">
          <bdi>{endpoint_id ?? branch}</bdi>, {date}
        </span>
      </td>
      <td class="wide">
        <bdi>{branch}</bdi>
      </td>
      <td class="wide code">{endpoint_id ?? "–"}</td>
      <td>
        <span class={`pill ${toneOf(label)}`} title={error}>
          {label}
        </span>
      </td>
      <td class="duration">{durationLabel(operationDuration(operation, state.time.nowMs))}</td>
      <td class="wide date">{date}</td>
    </tr>
  );
}

interface OperationsPage {
  operations: Rows;
  pagination?: { cursor: string };
}

/** The pages after the first. Each is as it was when it was asked for. */
function useOlderPages(projectId: string) {
  const [older, setOlder] = useState<OperationsPage[]>([]);
  const ask = (cursor?: string) => {
    const after = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    return send<OperationsPage>("GET", `/api/projects/${projectId}/operations?limit=${PAGE}${after}`);
  };
  const goOlder = async () => {
    // The first page is live and has no cursor of its own.
    const { pagination } = older.at(-1) ?? (await ask());
    if (!pagination) return;
    const next = await ask(pagination.cursor);
    if (next.operations.length > 0) setOlder([...older, next]);
  };
  return {
    number: older.length + 1,
    rows: older.at(-1)?.operations,
    // If the request fails, the rows stay, and the header of the page says that the emulator does not answer.
    goOlder: () => void goOlder().catch(() => {}),
    goNewer: () => setOlder(older.slice(0, -1)),
  };
}
