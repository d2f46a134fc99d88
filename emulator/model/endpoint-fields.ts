import * as z from "zod/mini";
import { EndpointCreateBody } from "../../provider/wire/endpoint.js";

const FIELDS = Object.keys(EndpointCreateBody.shape.endpoint.shape);
const LONGEST_FIELD = 300;

/** The path of a field of a compute: `settings.pg_settings.work_mem`. */
export const KnownField = z.string().check(
  z.maxLength(LONGEST_FIELD),
  z.refine((path) => FIELDS.includes(path.split(".", 1)[0] as string), {
    error: (issue) => `${JSON.stringify(issue.input)} is no field of a compute`,
  }),
);
