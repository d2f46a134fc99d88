import * as z from "zod";

/**
 * A field of an answer that may be absent, null, or of a type we do not know: all of these read as absent. The service
 * adds and drops fields without a new version, and a compute must not be lost over one of them.
 */
export const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** A list of an answer. A missing list is read as an empty one, and a row that can't be read is left out. */
export const rows = <T extends z.ZodType>(row: T) => listAndWhole(row).transform(({ list }) => list);

/** A list of an answer, and whether it is complete. An empty list is complete; a missing one is not. */
export const listAndWhole = <T extends z.ZodType>(row: T) =>
  z
    .array(z.unknown())
    .nullable()
    .catch(null)
    .transform((all) => {
      const list = (all ?? []).flatMap((one): z.output<T>[] => {
        const parsed = row.safeParse(one);
        return parsed.success ? [parsed.data] : [];
      });
      return { list, isWhole: all?.length === list.length };
    });
