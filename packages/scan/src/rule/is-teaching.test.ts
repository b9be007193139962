import { expect, test } from "vitest";
import { makePlace } from "../testing/make-fact.ts";
import { isSpecimenHost, lowerShown } from "./is-teaching.ts";

const judge = (place: Parameters<typeof makePlace>[0]): string => {
  const at = makePlace({ medium: "fence", ...place });
  return lowerShown({ severity: "critical", place: at, message: "m" }, at).severity;
};

test("a document that names attacks shows them, by its name or its headings", () => {
  expect(judge({ file: "references/threat-landscape.md" })).toBe("warn");
  expect(judge({ file: "references/notes.md", section: ["Known attacks"] })).toBe("warn");
  expect(judge({ file: "references/setup.md", section: ["Install"] })).toBe("critical");
});

test("neither SKILL.md, nor a script, nor something decoded is lowered", () => {
  expect(judge({ file: "SKILL.md", section: ["Known attacks"] })).toBe("critical");
  expect(judge({ file: "attack.sh", medium: "script" })).toBe("critical");
  const chain = [{ how: "base64", line: 1 }] as never;
  expect(judge({ file: "references/attacks.md", chain })).toBe("critical");
});

test.each(["evil.com", "attacker.co.uk", "my-evil-host.net", "lhost", "c2.io", "192.0.2.7"])(
  "%s stands for an attacker's address",
  (host) => expect(isSpecimenHost(host)).toBe(true),
);

test.each(["c2.keyaudit.dev", "example.keyaudit.dev", "evil.keyaudit.dev", "kali.a.b.dev"])(
  "%s is an address that its owner calls so, and a real one",
  (host) => expect(isSpecimenHost(host)).toBe(false),
);
