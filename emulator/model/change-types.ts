// What `GET /_emulator/changes` answers. The console page imports these types. They are apart from the schemas, so that the page
// does not include zod.
import type { FaultRule } from "./fault-types.js";

/** What changed since a cursor. */
export interface Changes {
  /** For the next request. */
  cursor: string;
  /**
   * Whether this response contains everything, because there was no cursor or the world was replaced. Discard earlier responses.
   */
  whole: boolean;
  time: { mode: "real" | "virtual"; nowMs: number };
  /** All faults that still wait, without `body` and `headers` of their responses. Absent: none has changed. */
  faults?: FaultRule[];
  /** All rows of these tables. Absent: none of them changed. */
  tables?: { projects: ProjectView[]; branches: BranchView[]; endpoints: EndpointView[] };
  /** New or newly answered, in the order of arrival. */
  requests: RequestView[];
  /** New or changed, in the order of creation. */
  operations: OperationView[];
}

export interface ProjectView {
  id: string;
  name: string;
}

/** A branch without its roles, which have passwords. */
export interface BranchView {
  id: string;
  name: string;
  project_id: string;
  current_state: string;
}

/** A compute as in a response of the API. */
export interface EndpointView {
  id: string;
  name?: string;
  host: string;
  project_id: string;
  branch_id: string;
  type: string;
  autoscaling_limit_min_cu: number;
  autoscaling_limit_max_cu: number;
  current_state: string;
  pending_state?: string;
  disabled: boolean;
  last_active?: string;
}

/** An operation as in a response of the API. */
export interface OperationView {
  id: string;
  project_id: string;
  branch_id?: string;
  endpoint_id?: string;
  action: string;
  status: string;
  error?: string;
  failures_count: number;
  retry_at?: string;
  /** In whole seconds. */
  created_at: string;
  total_duration_ms: number;
  /** Milliseconds since the epoch. */
  created_ms: number;
  /** Whether it restarts its compute. Absent: no. */
  restarts?: boolean;
}

/** A request to the API, by a client or by hand. */
export interface RequestView {
  /** The number of the request; later requests have higher numbers. */
  id: number;
  method: string;
  /** With the query, relative to the base URL. A change out of band has the control route: `/_emulator/endpoints/ID`. */
  path: string;
  /** The first 1,000 characters. Absent without a body. */
  body?: string;
  /** Absent until the response. */
  status?: number | "cut";
  /** The error message of a refused request. */
  message?: string;
  /** The compute that the request created. */
  endpoint_id?: string;
  /** Sent to a control route, as by the page. Absent: by a client. */
  by_hand?: true;
  /** Milliseconds since the epoch. */
  time: number;
}
