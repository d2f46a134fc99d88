import * as z from "zod/mini";
import { id, optional } from "./tolerant.js";

/** Answer of `GET …/branches`, as far as it shows which branches there are. */
export const WireBranchPage = z.looseObject({
  branches: z.array(z.looseObject({ id })),
  pagination: optional(z.looseObject({ next: optional(z.string()) })),
});
export type WireBranchPage = z.infer<typeof WireBranchPage>;
