import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { keyPressed } from "../../tools/demo/watch";

function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  });
  return { input, modes };
}

describe("the demo waits for a key", () => {
  test("of a terminal, which then reads lines again", async () => {
    const { input, modes } = terminal();
    const pressed = keyPressed(input);
    expect(modes).toEqual([true]);
    input.write("x");
    await pressed;
    expect(modes).toEqual([true, false]);
    expect(input.isPaused()).toBe(true);
  });

  test("twice, a key for each", async () => {
    const { input } = terminal();
    input.write("a");
    await keyPressed(input);
    let isDone = false;
    const second = keyPressed(input).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isDone).toBe(false);
    input.write("b");
    await second;
  });

  test("or the end of an input that is no terminal", async () => {
    const input = new PassThrough();
    input.end();
    await keyPressed(input);
    // Nothing waits for a key that can't come any more.
    await keyPressed(input);
  });

  test("and Ctrl-C interrupts it", async () => {
    const { input, modes } = terminal();
    const interrupted = new Promise<true>((resolve) => {
      void keyPressed(input, () => resolve(true));
    });
    input.write("\u0003");
    expect(await interrupted).toBe(true);
    expect(modes).toEqual([true, false]);
  });
});
