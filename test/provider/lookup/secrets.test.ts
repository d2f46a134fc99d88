import { expect, test } from "vitest";
import { Stopped } from "../../../provider/errors.js";
import { keepSecret, withoutSecrets } from "../../../provider/lookup/index.js";

test("a secret argument of a look-up stands in no error, nor in its cause", () => {
  keepSecret({ projectId: "hidden-project-13", id: "ep-shown-1" }, ["projectId"]);
  const error = new Stopped("no compute ep-shown-1 in hidden-project-13", {
    cause: new Error("GET /projects/hidden-project-13: 404"),
  } as never);
  const said = withoutSecrets(error) as Error;
  expect(said.message).toContain("ep-shown-1");
  expect(`${said.message} ${(said.cause as Error | undefined)?.message}`).not.toContain("hidden-project-13");
});
