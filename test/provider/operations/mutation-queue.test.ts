import { describe, expect, test } from "vitest";
import { MutationQueue } from "../../../provider/operations/mutation-queue.js";
import type { WireOperation } from "../../../provider/wire/operation.js";
import { VirtualClock } from "../../support/virtual-clock.js";

const P = "p";
const going = (branch?: string, endpoint?: string): WireOperation => ({
  id: "op",
  action: "start_compute",
  status: "running",
  ...(branch === undefined ? {} : { branch_id: branch }),
  ...(endpoint === undefined ? {} : { endpoint_id: endpoint }),
});

/** A bench of turns by hand: `log` tells who has begun, `end` ends one. */
function workshop({ yields = false } = {}) {
  const clock = new VirtualClock();
  const turns = yields ? new MutationQueue(undefined, clock) : new MutationQueue();
  const log: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const take = (keys: string[], name = keys.join("+"), project = P) =>
    turns.run(project, keys, () => {
      log.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      });
    });
  const settled = () => clock.run(clock.sleep(1));
  const begun = async () => {
    await settled();
    return log.splice(0);
  };
  const end = (name: string, error?: Error) => ends.get(name)!(error);
  /** Goes through that many turns of a branch each, which come one after the other or as many as the window lets. */
  const pass = async (count: number, from = 0) => {
    for (let index = from; index < from + count; index++) {
      void take([`pass-${index}`]);
      await settled();
      end(`pass-${index}`);
      await settled();
    }
    log.length = 0;
  };
  return { clock, turns, take, begun, end, pass, settled };
}

/** Two are under way, `a` has work going on, and `b` is refused for it. */
async function narrowed() {
  const shop = workshop();
  for (const name of ["a", "b", "c", "d"]) void shop.take([name]);
  expect(await shop.begun()).toEqual(["a", "b"]);
  shop.turns.accepted(P, "a", true);
  shop.turns.refused(P, "b", [going("a")]);
  return shop;
}

describe("turns of one project", () => {
  test("begin with two at once, in the order of asking; other projects don't wait", async () => {
    const { take, begun, end } = workshop();
    for (const name of ["a", "b", "c"]) void take([name]);
    void take(["x"], "x", "q");
    expect(await begun()).toEqual(["a", "b", "x"]);
    end("b");
    expect(await begun()).toEqual(["c"]);
  });

  test("that share a key come one after the other, and nobody overtakes who waits for the same", async () => {
    const { take, begun, end } = workshop();
    void take(["a"]);
    void take(["a", "b"]);
    void take(["b"]);
    void take(["c"]);
    expect(await begun()).toEqual(["a", "c"]);
    end("c");
    expect(await begun()).toEqual([]);
    end("a");
    expect(await begun()).toEqual(["a+b"]);
    end("a+b");
    expect(await begun()).toEqual(["b"]);
  });

  test("that fail give the turn on, and the error to their own caller only", async () => {
    const { clock, take, begun, end } = workshop();
    const broken = take(["a"], "first");
    const next = take(["a"], "second");
    expect(await begun()).toEqual(["first"]);
    end("first", new Error("broken"));
    await expect(clock.run(broken)).rejects.toThrow("broken");
    expect(await begun()).toEqual(["second"]);
    end("second");
    expect(await clock.run(next)).toBe("second");
  });

  test("work that throws at once is a rejection, and nothing stays behind", async () => {
    const { clock, turns } = workshop();
    const thrower = () => {
      throw new Error("at once");
    };
    await expect(clock.run(turns.run(P, ["a"], thrower))).rejects.toThrow("at once");
    expect(await clock.run(turns.run(P, ["a"], async () => "next"))).toBe("next");
  });
});

describe("a project that takes a change beside running work of another branch", () => {
  test("gets twice as many with each", async () => {
    const { turns, take, begun } = workshop();
    for (const name of "abcdefghijklmnop") void take([name]);
    expect(await begun()).toEqual(["a", "b"]);
    turns.accepted(P, "a", true);
    expect(await begun()).toEqual([]);
    turns.accepted(P, "b", true);
    expect(await begun()).toEqual(["c", "d"]);
    turns.accepted(P, "c", true);
    expect(await begun()).toEqual(["e", "f", "g", "h"]);
    turns.accepted(P, "d", true);
    expect(await begun()).toEqual([..."ijklmnop"]);
  });

  test.each([
    ["work that ended with the answer", false, "b"],
    ["its own work alone", true, "a"],
    ["a key that nobody has", true, "z"],
  ])("has shown nothing with %s", async (_what, works, key) => {
    const { turns, take, begun } = workshop();
    for (const name of ["a", "b", "c"]) void take([name]);
    await begun();
    turns.accepted(P, "a", works);
    turns.accepted(P, key, true);
    expect(await begun()).toEqual([]);
  });

  test("has shown nothing after a refusal: the other work may have ended", async () => {
    const { turns, take, begun } = workshop();
    for (const name of ["a", "b", "c"]) void take([name]);
    await begun();
    turns.accepted(P, "a", true);
    turns.refused(P, "b", [going("b")]);
    turns.accepted(P, "b", true);
    expect(await begun()).toEqual([]);
  });
});

describe("a project that refuses a change", () => {
  test("for work of another branch gets one at a time from then on", async () => {
    const { begun, end } = await narrowed();
    end("a");
    expect(await begun()).toEqual([]);
    end("b");
    expect(await begun()).toEqual(["c"]);
  });

  test.each([
    ["of this very branch", [going("b")]],
    ["of this very compute", [going(undefined, "ep-b")]],
    ["of this branch beside work of another", [going("a"), going("b")]],
    ["of no branch", [going()]],
  ])("for work %s has not shown that it locks as a whole", async (_what, operations) => {
    const { turns, take, begun, end } = workshop();
    void take(["a"]);
    void take(["b", "ep-b"], "b");
    for (const name of ["c", "d"]) void take([name]);
    await begun();
    turns.accepted(P, "a", true);
    turns.refused(P, "b", operations);
    end("a");
    expect(await begun()).toEqual(["c"]);
  });

  test("while nothing can be seen has shown it where work of ours goes on, and nothing where none does", async () => {
    for (const works of [true, false]) {
      const { turns, take, begun, end } = workshop();
      for (const name of ["a", "b", "c"]) void take([name]);
      await begun();
      turns.accepted(P, "a", works);
      turns.refused(P, "b", []);
      end("a");
      expect(await begun()).toEqual(works ? [] : ["c"]);
    }
  });

  test("is tried with two after 20 turns, and after 40 when it refuses again", async () => {
    const { turns, take, begun, end, pass } = await narrowed();
    for (const name of ["a", "b", "c", "d"]) {
      await begun();
      end(name);
    }
    await pass(15);
    void take(["e"]);
    void take(["f"]);
    expect(await begun()).toEqual(["e"]);
    end("e");
    expect(await begun()).toEqual(["f"]);
    void take(["g"]);
    expect(await begun()).toEqual(["g"]);
    turns.accepted(P, "f", true);
    turns.refused(P, "g", [going("f")]);
    for (const name of ["f", "g"]) end(name);
    await pass(37, 100);
    void take(["h"]);
    void take(["i"]);
    expect(await begun()).toEqual(["h"]);
    end("h");
    expect(await begun()).toEqual(["i"]);
    void take(["j"]);
    expect(await begun()).toEqual(["j"]);
  });
});

describe("a stack that has held a project for long", () => {
  /** Turns of one branch that last for that long each, and when each began. */
  async function held(lastMs: number, count: number, onBegin = (_shop: ReturnType<typeof workshop>) => {}) {
    const shop = workshop({ yields: true });
    const { clock, turns } = shop;
    const begun: number[] = [];
    const all = Array.from({ length: count }, () =>
      turns.run(P, ["main"], async () => {
        begun.push(clock.now());
        onBegin(shop);
        await clock.sleep(lastMs);
      }),
    );
    await clock.run(Promise.all(all));
    return begun.slice(1).map((at, index) => at - begun[index]! - lastMs);
  }

  test("lets half a second pass after eight seconds, since another stack can't be seen", async () => {
    expect(await held(3000, 8)).toEqual([0, 0, 500, 0, 0, 500, 0]);
    expect(await held(1000, 10)).toEqual([0, 0, 0, 0, 0, 0, 0, 500, 0]);
    expect(await held(9000, 3)).toEqual([500, 500]);
  });

  test("lets almost a second pass after each mutation while another stack waits", async () => {
    const gaps = await held(1000, 5, ({ turns }) => turns.refused(P, "main", [going("theirs")]));
    expect(gaps).toEqual([950, 950, 950, 950]);
  });

  test("also where work of another has just ended", async () => {
    const gaps = await held(1000, 3, ({ turns }) => turns.refused(P, "main", [], [going("theirs")]));
    expect(gaps).toEqual([950, 950]);
  });

  test("forgets a stack that has not used two chances", async () => {
    let refusals = 0;
    const gaps = await held(3000, 8, ({ turns }) => {
      if (refusals++ === 0) turns.refused(P, "main", [going("theirs")]);
    });
    expect(gaps).toEqual([950, 950, 0, 0, 500, 0, 0]);
  });

  test("takes its own work for no other stack's", async () => {
    const gaps = await held(1000, 8, ({ turns }) => turns.refused(P, "main", [going("main")]));
    expect(gaps).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test("keeps nobody waiting that comes after a pause of its own", async () => {
    const { clock, turns } = workshop({ yields: true });
    const work = () => clock.sleep(9000);
    await clock.run(turns.run(P, ["a"], work));
    await clock.run(clock.sleep(1000));
    const before = clock.now();
    let begunAt = 0;
    await clock.run(
      turns.run(P, ["a"], async () => {
        begunAt = clock.now();
      }),
    );
    expect(begunAt).toBe(before);
  });

  test("lets nobody wait while another change of its own is under way", async () => {
    const { clock, turns } = workshop({ yields: true });
    const begun: number[] = [];
    const take = (key: string, ms: number) =>
      turns.run(P, [key], async () => {
        begun.push(clock.now());
        await clock.sleep(ms);
      });
    await clock.run(Promise.all([take("a", 20_000), take("b", 9000), take("c", 1000), take("d", 1000)]));
    expect(begun).toEqual([0, 0, 9000, 10_000]);
  });
});
