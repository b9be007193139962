import { scanSkill } from "@skillet/scan";
import { describe, expect, test } from "vitest";
import type { ReadItem } from "../plan-item.ts";
import { BODIES, skillText } from "../testing/hub-sandbox.ts";
import { inspectItem, itemOfTree, originOf } from "./inspect-item.ts";

const GIT = { kind: "git", url: "https://github.com/x/y", commit: "a".repeat(40) } as const;
const TRUSTED = ["openai/skills", "NVIDIA/skills"];

describe("where bytes came from is what they were resolved to", () => {
  test.each<[string | undefined, string]>([
    ["openai/skills", "trusted"],
    ["nvidia/skills", "trusted"],
    ["openai/skills-evil", "community"],
    ["evil/openai", "community"],
    ["openai", "community"],
    ["official", "community"],
    ["agent-created", "community"],
    ["local", "community"],
    ["skills-sh/openai", "community"],
    [undefined, "community"],
  ])("the identity %j is of origin %s", (identity, origin) => {
    // Whatever a repository is called, `sourceIdentity` gives two parts; one of them alone is not an identity.
    const named = identity?.includes("/") === true ? { identity } : {};
    expect(originOf({ resolved: GIT, ...named }, TRUSTED)).toBe(origin);
  });

  test("a folder of this machine is local, and an archive that lies on it is not", () => {
    expect(originOf({ resolved: { kind: "local", path: "/x" } }, TRUSTED)).toBe("local");
    const archive = { kind: "archive", location: "/x.zip", digest: `sha256:${"0".repeat(64)}` } as const;
    expect(originOf({ resolved: archive }, TRUSTED)).toBe("community");
  });

  test("what only a lock says counts for nothing", () => {
    expect(originOf({ resolved: GIT, identity: "openai/skills", unproven: true }, TRUSTED)).toBe("community");
    expect(originOf({ resolved: { kind: "local", path: "x" }, unproven: true }, TRUSTED)).toBe("community");
  });
});

describe("origin and verdict decide by the table", () => {
  const make = (verdict: keyof typeof BODIES, more: Partial<ReadItem>): ReadItem => ({
    ...itemOfTree([{ path: "SKILL.md", mode: "644", bytes: Buffer.from(skillText("x", BODIES[verdict])) }], {
      kind: "skill",
      name: "x",
      resolved: GIT,
      folder: "",
      identity: undefined,
      isProven: true,
    }),
    ...more,
  });
  const origins: Readonly<Record<string, Partial<ReadItem>>> = {
    trusted: { identity: "openai/skills" },
    community: {},
    local: { resolved: { kind: "local", path: "/x" } },
  };
  test.each<[string, keyof typeof BODIES, string, string]>([
    ["trusted", "safe", "allow", "allow"],
    ["trusted", "caution", "allow", "allow"],
    ["trusted", "dangerous", "block", "block"],
    ["community", "safe", "allow", "allow"],
    ["community", "caution", "block", "allow"],
    ["community", "dangerous", "block", "block"],
    ["local", "safe", "allow", "allow"],
    ["local", "caution", "allow", "allow"],
    ["local", "dangerous", "ask", "allow"],
  ])("%s and %s: %s, with force %s", async (origin, verdict, outcome, forced) => {
    const candidate = make(verdict, origins[origin] ?? {});
    const options = {
      scan: scanSkill,
      trustedSources: TRUSTED,
      home: "/none",
      isInstalled: false,
      falseAlarms: true,
    };
    const plain = await inspectItem(candidate, { ...options, force: false });
    expect([plain.origin, plain.report.verdict, plain.decision.outcome]).toEqual([origin, verdict, outcome]);
    const insisted = await inspectItem(candidate, { ...options, force: true });
    expect(insisted.decision.outcome).toBe(forced);
  });
});
