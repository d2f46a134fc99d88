import * as z from "zod/mini";

/** Import this file wherever a text of zod's is shown: `zod/mini` says "Invalid input" to everything until it has a language. */
z.config(z.locales.en());
