import { describe, expect, test } from "vitest";
import { capacityOf, maxConnections } from "../../../provider/rules/capacity.js";
import { SIZES } from "../../../provider/rules/size.js";

describe("connections", () => {
  test.each([
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
    [9, 4000],
    [16, 4000],
    [18, 4000],
    [38, 4000],
    [40, undefined],
    [56, undefined],
  ])("a fixed %d CU has %s", (cu, connections) => {
    expect(maxConnections(cu, cu)).toBe(connections);
  });

  test.each([
    [0.25, 1, 450],
    [0.25, 2, 901],
    [0.25, 4, 901],
    [0.25, 8, 901],
    [0.5, 8, 1802],
    [1, 8, 3604],
    [1, 9, 3604],
    [2, 8, 3604],
    [2, 10, 4000],
    [8, 16, 4000],
  ])(
    "%d to %d CU has %d: the smaller of the upper limit and eight times the lower one decides",
    (min, max, connections) => {
      expect(maxConnections(min, max)).toBe(connections);
    },
  );

  test("every pair of sizes up to 16 CU has a number", () => {
    const small = SIZES.filter((cu) => cu <= 16);
    for (const min of small)
      for (const max of small) if (min <= max) expect(maxConnections(min, max)).toBeGreaterThan(0);
  });
});

describe("what a size gives", () => {
  test.each([
    [0.25, 0.25, { vcpu: 0.25, shared: true, memoryGb: 1, cacheGb: 0.75, diskGib: 20 }],
    [0.25, 2, { vcpu: 2, shared: true, memoryGb: 8, cacheGb: 6, diskGib: 30 }],
    [1, 1, { vcpu: 1, shared: false, memoryGb: 4, cacheGb: 3, diskGib: 20 }],
    [1, 4, { vcpu: 4, shared: false, memoryGb: 16, cacheGb: 12, diskGib: 60 }],
    [56, 56, { vcpu: 56, shared: false, memoryGb: 224, cacheGb: 168, diskGib: 840 }],
  ])("%d to %d CU", (min, max, expected) => {
    expect(capacityOf(min, max)).toMatchObject({ ...expected, pooledClients: 10_000 });
  });

  test("a number that is not documented is absent, not undefined: Pulumi's structs refuse that", () => {
    expect(Object.keys(capacityOf(56, 56))).not.toContain("maxConnections");
  });
});
