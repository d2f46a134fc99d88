/** The project that was asked is the compute's, whatever an answer calls it: another one would be a new compute. */
import { expect, test } from "vitest";
import { Lab, labWith, primary, SEED } from "./support.js";

test("a service that knows the project by a second name gets updates, not replacements", async () => {
  const lab = new Lab({
    between: (request, go) => go({ ...request, url: request.url.replace("my-shop", SEED.projectId) }),
  });
  await lab.up("db", primary({ projectId: "my-shop", size: 1 }));
  const { id, outputs } = lab.resource("db");
  expect(outputs["projectId"]).toBe("my-shop");
  expect((await lab.preview("db", primary({ projectId: "my-shop", size: 1 }))).op).toBe("same");
  await lab.up("db", primary({ projectId: "my-shop", size: 2 }));
  expect(lab.resource("db").id).toBe(id);
});

test("a list that names another project once does not make the next up replace the compute", async () => {
  let isOdd = false;
  const lab = await labWith("db", primary({ size: 1 }), {
    between: async (request, go) => {
      const answer = await go(request);
      return isOdd ? { ...answer, text: answer.text.replaceAll(SEED.projectId, "other-project-1") } : answer;
    },
  });
  isOdd = true;
  await lab.refresh();
  isOdd = false;
  expect((await lab.preview("db", primary({ size: 1 }))).op).toBe("same");
});
