/** The built package as programs load it: look-ups load their other half by `require`, which only finds built files. */
import { resolve } from "node:path";

export const BUILT = resolve(__dirname, "../../dist/sdk/index.js");

export const loadSdk = () => require(BUILT) as typeof import("../../sdk/index.js");

/** The value of an output that is known. */
export const valueIn = <T>(output: { apply(work: (value: T) => void): unknown }): Promise<T> =>
  new Promise((done) => output.apply((value: T) => done(value)));
