import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { auditActor } from "./audit-actor.ts";

test("the actor is the operating system's name for the user", () => {
  expect(auditActor()).toBe(userInfo().username);
});
