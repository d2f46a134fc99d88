/**
 * What a control plane for computes does, told by requests alone. It runs on the emulator; with CONTRACT_BASE_URL and
 * CONTRACT_API_KEY on the service that they name, by hand and never in CI. Where the two differ, the emulator is wrong.
 */
import { afterAll, beforeAll } from "vitest";
import { changes } from "./changes";
import { computes } from "./computes";
import { errors } from "./errors";
import { LIMIT, place, setup } from "./here";
import { operations } from "./operations";
import { surroundings } from "./surroundings";

beforeAll(async () => {
  Object.assign(place, await setup.make(process.env));
}, LIMIT.timeout);
afterAll(() => setup.takeAway(), LIMIT.timeout);

computes();
changes();
operations();
surroundings();
errors();
