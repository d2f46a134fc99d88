/** The judges of the class judge the plugin: the service's faults, and processes that are killed. */
import { vi } from "vitest";
import "../faults.test";
import "../kills.test";

vi.mock("../support", async (original) => {
  const { nativeRig } = await import("./form.js");
  const support = await original<typeof import("../support")>();
  return { ...support, rig: nativeRig(support) };
});
