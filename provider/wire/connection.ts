import * as z from "zod";

/** Answer of `GET …/connection_uri`. It holds a password. */
export const WireConnectionUri = z.looseObject({ uri: z.string().min(1) });
