import * as z from "zod/mini";
import { optional } from "./tolerant.js";

/** Body of an error answer. It is not guaranteed: a proxy in front can answer with anything. */
export const WireProblem = z.looseObject({
  request_id: optional(z.string()),
  code: optional(z.string()),
  message: optional(z.string()),
});
