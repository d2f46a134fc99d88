import * as z from "zod/mini";

/** Answer of `GET …/connection_uri`. It holds a password. */
export const WireConnectionUri = z.looseObject({ uri: z.string().check(z.minLength(1)) });
