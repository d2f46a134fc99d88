export { createEmulator, type Emulator } from "./emulator.js";
export type { EmulatorAnswer, EmulatorRequest } from "./http/messages.js";
export type { RequestRecord } from "./http/request-log.js";
export type { ClockMode, EmulatorClock } from "./model/clock.js";
export type { FaultRule, IgnoreFault, OperationFault, RequestFault } from "./model/fault-types.js";
export { seededRandom } from "./model/ids.js";
export type { EmulatorOptions, Key, RateLimit } from "./model/options.js";
export type {
  ApiKeyRow,
  BranchRow,
  DatabaseRow,
  EndpointDefaults,
  EndpointRow,
  EndpointSettings,
  EndpointState,
  JwksRow,
  OperationEnd,
  OperationRow,
  PermissionRow,
  ProjectRow,
  RoleRow,
} from "./model/rows.js";
export { SEED, type Seed } from "./model/seed.js";
export type { ServiceOperation } from "./model/service-operations.js";
export { realTime, type Time, type VirtualTime, virtualTime } from "./model/time.js";
export type { World } from "./model/world.js";
export { type RunningEmulator, startEmulator } from "./server.js";
