import { expect, test } from "vitest";
import { pulumiCommand } from "../../../provider/rules/shell.js";

test.each([
  [pulumiCommand("up", undefined), "pulumi up"],
  [pulumiCommand("up", "prod"), "pulumi up --stack prod"],
  [pulumiCommand("refresh", "a b", "--clear-pending-creates"), "pulumi refresh --stack 'a b' --clear-pending-creates"],
])("%s acts on the stack that it names", (command, text) => expect(command).toBe(text));
