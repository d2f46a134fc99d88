/** What a compute of a size has. Documented by the service, approximate. */
export interface Capacity {
  /** vCPUs at the upper limit; below 1 the compute shares a vCPU. */
  vcpu: number;
  /** Whether the compute shares its vCPU at the lower limit (0.25 and 0.5 CU). */
  shared: boolean;
  /** Memory at the upper limit, in GB. */
  memoryGb: number;
  /** Local file cache at the upper limit (75 % of the memory), in GB. */
  cacheGb: number;
  /** Local temporary disk, in GiB: the larger of 20 and 15 × the upper limit. A full one is SQLSTATE 53100. */
  diskGib: number;
  /** Concurrent client connections through the pooled host. */
  pooledClients: number;
  /** `max_connections` of Postgres; it depends on both limits. Absent above 38 CU, where it is not documented. */
  maxConnections?: number;
}

const MEMORY_GB_PER_CU = 4;
const CACHE_SHARE = 0.75;
const POOLED_CLIENTS = 10_000;
const SMALLEST_DISK_GIB = 20;
const DISK_GIB_PER_CU = 15;

/** Postgres `max_connections` by size; from 9 to 38 CU it is `MOST_CONNECTIONS`. */
const MAX_CONNECTIONS = new Map<number, number>([
  [0.25, 112],
  [0.5, 225],
  [1, 450],
  [2, 901],
  [3, 1351],
  [4, 1802],
  [5, 2253],
  [6, 2703],
  [7, 3154],
  [8, 3604],
]);
const MOST_CONNECTIONS = 4000;
const LARGEST_DOCUMENTED_CU = 38;
/** The size that decides `max_connections` is the upper limit, but at most this many times the lower one. */
const CONNECTIONS_GROWTH = 8;

export function maxConnections(minCu: number, maxCu: number): number | undefined {
  const deciding = Math.min(maxCu, CONNECTIONS_GROWTH * minCu);
  if (deciding > LARGEST_DOCUMENTED_CU) return undefined;
  return MAX_CONNECTIONS.get(deciding) ?? (deciding > 8 ? MOST_CONNECTIONS : undefined);
}

export function capacityOf(minCu: number, maxCu: number): Capacity {
  const connections = maxConnections(minCu, maxCu);
  return {
    vcpu: maxCu,
    shared: minCu < 1,
    memoryGb: maxCu * MEMORY_GB_PER_CU,
    cacheGb: maxCu * MEMORY_GB_PER_CU * CACHE_SHARE,
    diskGib: Math.max(SMALLEST_DISK_GIB, maxCu * DISK_GIB_PER_CU),
    pooledClients: POOLED_CLIENTS,
    ...(connections === undefined ? {} : { maxConnections: connections }),
  };
}
