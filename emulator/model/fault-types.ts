// Fault types for users. They are apart from the schemas, so that a user's compiler does not need zod's types.

/** Changes the responses to requests. */
export interface RequestFault {
  /** Which requests. */
  match: {
    /** `"*"` also means any. At most 100 characters. @default any */
    method?: string;
    /**
     * Relative to the base URL, without the query: `/projects/p/endpoints`. Without a `*` it is a prefix. With a `*` it is a
     * pattern for the whole path: `*` stands for anything within one segment, `**` for anything. @default any
     */
    path?: string;
  };
  /** How many requests the rule changes. @default 1 */
  times?: number;
  /** At least one of these, apart from `work`. `status` and `cut` exclude each other. */
  then: {
    /** The status of the response. @default the real one */
    status?: number;
    /** With `status`. A string is sent as it is (an HTML page), anything else as JSON. @default an error body */
    body?: unknown;
    /** More headers, such as `Retry-After`. They do not replace the security headers. */
    headers?: Record<string, string>;
    /** Milliseconds before the response. The request is carried out before the delay. @default 0 */
    delayMs?: number;
    /** Cut the connection in place of a response. */
    cut?: true;
    /** Whether the request is carried out. @default false with `status` or `cut`, else true */
    work?: boolean;
  };
}

/** Decides how operations end. */
export interface OperationFault {
  operation: {
    /** `start_compute`, `apply_config`, …, or `"*"` for any. At most 100 characters. */
    action: string;
    /** How many operations of that action, counted from now in the order of their creation. @default 1 */
    times?: number;
    /**
     * The status with which the operation ends. `never`: it runs until the faults are cleared. `failed-then-finished`: it
     * fails, the service tries it again after the option `failedRetryMs`, and it succeeds.
     */
    then: "failed" | "failed-then-finished" | "error" | "cancelled" | "skipped" | "never";
    /** With `failed-then-finished`: how many attempts fail. @default 1 */
    failures?: number;
  };
}

/** Makes the service ignore settings, although it answers with success. */
export interface IgnoreFault {
  ignore: {
    /** `"autoscaling_limit_max_cu"`, `"settings.pg_settings.work_mem"`. */
    fields: string[];
    /** @default both */
    method?: "POST" | "PATCH";
    /** How many requests that have one of the fields. @default 1 */
    times?: number;
  };
}

/** One thing that goes wrong: a changed response, an operation that does not succeed, or settings that are ignored. */
export type FaultRule = RequestFault | OperationFault | IgnoreFault;
