import { describe, expect, test } from "vitest";
import { OncePerProject } from "../../../provider/rules/once-per-project.js";

interface Answer {
  project: string;
  isForAccount?: boolean;
}

function asked(answers: Record<string, Answer | Error>) {
  const failures: unknown[] = [];
  const requests: string[] = [];
  const projects = new OncePerProject<Answer>((error) => void failures.push(error));
  const ask = (account: string, project: string) =>
    projects.answer(account, project, async () => {
      requests.push(`${account} ${project}`);
      const answer = answers[project]!;
      if (answer instanceof Error) throw answer;
      return answer;
    });
  return { ask, failures, requests };
}

describe("an answer about a project", () => {
  test("is asked for once", async () => {
    const { ask, requests } = asked({ a: { project: "a" } });
    expect(await Promise.all([ask("one", "a"), ask("one", "a")])).toEqual([{ project: "a" }, { project: "a" }]);
    expect(requests).toEqual(["one a"]);
  });

  test("that holds for the account is the answer for its other projects, and for no other account's", async () => {
    const refused = { project: "a", isForAccount: true };
    const { ask, requests, failures } = asked({ a: refused, b: { project: "b" } });
    expect([await ask("one", "a"), await ask("one", "b"), await ask("two", "b")]).toEqual([
      refused,
      refused,
      { project: "b" },
    ]);
    expect([requests, failures]).toEqual([["one a", "two b"], []]);
  });

  test("that failed is told once for each account, which is not asked again", async () => {
    const error = new Error("no connection");
    const { ask, requests, failures } = asked({ a: error, b: error, c: { project: "c" } });
    expect(await Promise.all([ask("one", "a"), ask("one", "b")])).toEqual([undefined, undefined]);
    expect(await ask("one", "c")).toBeUndefined();
    expect(failures).toEqual([error]);
    expect(requests).toEqual(["one a", "one b"]);
    await ask("two", "a");
    expect(failures).toEqual([error, error]);
  });
});
