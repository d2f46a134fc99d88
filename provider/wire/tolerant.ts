import * as z from "zod/mini";
import { visibleWord } from "../visible-text.js";

/** An id. Other servers than the public one have other prefixes. Texts for people quote ids, also in commands. */
export const id = z.string().check(z.regex(/^[\w.-]{1,200}$/));

/** Any word of the service but a name: one visible line, however a broken service writes it. */
export const word = z.pipe(z.string(), z.transform(visibleWord));

/**
 * A name is compared with the program's, so it stays as it is. A name that no compute can have becomes a visible line too: one
 * with a control character or a line break, or a very long one.
 */
export const name = z.pipe(
  z.string(),
  z.transform((text) => (text.length > LONGEST_KEPT_NAME || UNFIT.test(text) ? visibleWord(text) : text)),
);
/** More than a program may give (64): another service may allow more. */
const LONGEST_KEPT_NAME = 200;
/** The same as in `rules/name.ts`, which wire/ may not import. */
const UNFIT = /[\p{Control}\p{Surrogate}\u2028\u2029]/u;

/**
 * A field of an answer that may be absent, null, or of a type we do not know: all of these read as absent. The service
 * adds and drops fields without a new version, and a compute must not be lost over one of them.
 */
export const optional = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined);

/** A list of an answer. A missing list is read as an empty one, and a row that can't be read is left out. */
export const rows = <T extends z.ZodMiniType>(row: T) =>
  z.pipe(
    listAndWhole(row),
    z.transform(({ list }) => list),
  );

/** A list of an answer, and whether it is complete. An empty list is complete; a missing one is not. */
export const listAndWhole = <T extends z.ZodMiniType>(row: T) =>
  z.pipe(
    z.catch(z.nullable(z.array(z.unknown())), null),
    z.transform((all) => {
      const list = (all ?? []).flatMap((one): z.output<T>[] => {
        const parsed = row.safeParse(one);
        return parsed.success ? [parsed.data] : [];
      });
      return { list, isWhole: all?.length === list.length };
    }),
  );
