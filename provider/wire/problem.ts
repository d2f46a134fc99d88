import * as z from "zod";
import { maybe } from "./tolerant.js";

/** Body of an error answer. It is not guaranteed: a proxy in front can answer with anything. */
export const WireProblem = z.looseObject({
  request_id: maybe(z.string()),
  code: maybe(z.string()),
  message: maybe(z.string()),
});
