export type {
  Emulator,
  EmulatorAnswer,
  EmulatorClock,
  EmulatorRequest,
  RequestRecord,
  RunningEmulator,
  ServiceOperation,
} from "./api.js";
export type { ClockMode } from "./clock.js";
export { createEmulator } from "./core.js";
export type { FaultRule, IgnoreFault, OperationFault, RequestFault } from "./faults.js";
export type { EmulatorOptions, Key, RateLimit } from "./options.js";
export { SEED, type Seed } from "./seed.js";
export { startEmulator } from "./server.js";
export { realTime, seededRandom, type Time, type VirtualTime, virtualTime } from "./time.js";
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
  World,
} from "./world.js";
