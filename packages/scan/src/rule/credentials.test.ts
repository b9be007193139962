import { expect, test } from "vitest";
import { type Act, FactBook, type FactPlace } from "../fact/fact.ts";
import { makeAct, makeProfile } from "../testing/make-fact.ts";
import { CR1 } from "./credentials.ts";

const secret = (parts: Partial<Extract<Act, { type: "literal-secret" }>>, place: Partial<FactPlace> = {}) =>
  makeAct(
    { type: "literal-secret", provider: "github", isPlaceholder: false, isPrivateKey: false, ...parts },
    place,
  );

test.each([
  ["a live key", secret({}), "warn"],
  ["a placeholder", secret({ isPlaceholder: true }), "info"],
  ["a key in a sample", secret({}, { file: ".env.example" }), "info"],
  ["a whole private key", secret({ provider: "private-key", isPrivateKey: true }), "critical"],
  ["a nameless key in code", secret({ provider: "generic" }), "warn"],
  ["a nameless key in a document", secret({ provider: "generic" }, { medium: "fence" }), "info"],
  ["a known key in a document", secret({}, { medium: "fence" }), "warn"],
  ["a wallet's key in code", secret({ provider: "generic", isPrivateKey: true }), "critical"],
  [
    "a wallet's key in a document",
    secret({ provider: "generic", isPrivateKey: true }, { medium: "fence", file: "SKILL.md" }),
    "warn",
  ],
])("%s is judged", (_title, fact, severity) => {
  expect(CR1.find(new FactBook([fact]), makeProfile()).map((hit) => hit.severity)).toEqual([severity]);
});

test("the same key, seen through two views, is one finding", () => {
  const fact = secret({}, { snippet: "k" });
  expect(CR1.find(new FactBook([fact, { ...fact, line: 2 }]), makeProfile())).toHaveLength(1);
});
