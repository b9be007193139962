import type { Origin, Scope } from "@skillet/core";
import { DEFAULT_TRUSTED_SOURCES } from "@skillet/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { deriveOrigin } from "./decide.ts";

const of = (source: string | undefined, scope: Scope = "plugin"): Origin =>
  deriveOrigin({ scope, source, trustedSources: DEFAULT_TRUSTED_SOURCES });

test.each<[Scope, Origin]>([
  ["bundled", "builtin"],
  ["organisation", "organisation"],
  ["project", "local"],
  ["claude", "local"],
  ["user", "local"],
  ["explicit", "local"],
  ["plugin", "community"],
])("a skill of the scope %s that nobody installed is %s", (scope, origin) => {
  expect(of(undefined, scope)).toBe(origin);
});

test.each<[string, Origin]>([
  ["official", "builtin"],
  ["agent-created", "agent-created"],
  ["local", "local"],
  ["openai/skills", "trusted"],
  ["anthropics/skills/pdf", "trusted"],
  ["anthropics/skills/document-skills/pdf", "trusted"],
  ["NVIDIA/skills", "trusted"],
  ["skills-sh/openai/skills/x", "trusted"],
  ["skills.sh/openai/skills", "trusted"],
  ["skils-sh/huggingface/skills", "trusted"],
  ["skils.sh/huggingface/skills", "trusted"],
])("the source %s is %s", (source, origin) => {
  expect(of(source)).toBe(origin);
});

test.each([
  "",
  "official/x",
  "local/x",
  "Local",
  "Official",
  "official ",
  "openai/skills-evil",
  "openai/skillsevil/x",
  "evil/openai/skills",
  "openai/skills/../../evil/x",
  "openai/skills/./x",
  "openai/skills//x",
  "openai/skills/",
  "/openai/skills",
  "openai\\skills",
  "OpenAI/skills",
  "openai/Skills",
  "nvidia/skills",
  "оpenai/skills",
  "openai/skills\u200b",
  "openai/skills\0",
  "openai/skills%2f..%2fevil",
  "openai/skills#main",
  "openai/skills@evil",
  "skills-sh/skills-sh/openai/skills",
  "skills-sh/official",
  "skills-sh/agent-created",
  "https://github.com/openai/skills",
  "github:openai/skills",
  "openai",
  "*/skills",
  "__proto__",
])("the source %j, which only looks like a friend, is the community's", (source) => {
  expect(of(source)).toBe("community");
});

test("nothing in the list but a whole owner and repository trusts anybody", () => {
  const origins = ["openai", "", "openai/", "/skills", "openai/skills/pdf"].map((trusted) =>
    deriveOrigin({ scope: "plugin", source: "openai/skills/pdf", trustedSources: [trusted] }),
  );
  expect(new Set(origins)).toEqual(new Set(["community"]));
});

test("whatever follows, precedes or replaces a character of a trusted source makes a stranger, except a folder below it", () => {
  const edit = fc.record({
    trusted: fc.constantFrom(...DEFAULT_TRUSTED_SOURCES),
    at: fc.nat(30),
    text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }),
    replaces: fc.nat(2),
  });
  fc.assert(
    fc.property(edit, ({ trusted, at, text, replaces }) => {
      const source = trusted.slice(0, at) + text + trusted.slice(at + replaces);
      const isFriend = DEFAULT_TRUSTED_SOURCES.some(
        (one) => source === one || /^\/[\w.-]+$/.test(source.startsWith(one) ? source.slice(one.length) : ""),
      );
      fc.pre(!isFriend);
      expect(of(source)).toBe("community");
    }),
  );
});
