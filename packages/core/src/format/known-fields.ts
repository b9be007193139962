/** A key that some dialect defines, by its kebab-case spelling. */
export type FieldName = (typeof STANDARD)[number] | (typeof EXTENSIONS)[number];

const STANDARD = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"] as const;

const EXTENSIONS = [
  // Claude Code
  "when-to-use",
  "argument-hint",
  "arguments",
  "disable-model-invocation",
  "user-invocable",
  "disallowed-tools",
  "model",
  "effort",
  "context",
  "agent",
  "background",
  "hooks",
  "paths",
  "shell",
  "display-name",
  // Hermes
  "version",
  "platforms",
  "environments",
  "prerequisites",
  "setup",
  "required-environment-variables",
  "required-credential-files",
  "credential-destinations",
  "related-skills",
  "requires-tools",
  "requires-toolsets",
  "fallback-for-tools",
  "fallback-for-toolsets",
  // Others
  "author",
  "homepage",
  "tags",
  "triggers",
  "toolsets",
  "requires-skills",
] as const;

const FIELDS: ReadonlyMap<string, FieldName> = new Map([
  ...STANDARD.map((name) => [name, name] as const),
  ...EXTENSIONS.flatMap((name) => spellings(name).map((spelling) => [spelling, name] as const)),
  // The specification spells this one with a hyphen, but everybody reads the others.
  ...spellings("allowed-tools").map((spelling) => [spelling, "allowed-tools"] as const),
]);

/** What a key means, or undefined for keys that no dialect defines. */
export function fieldOf(key: string): FieldName | undefined {
  return FIELDS.get(key);
}

/** Every key that some dialect defines, in kebab case. */
export const FIELD_NAMES: readonly FieldName[] = [...STANDARD, ...EXTENSIONS];

/** Whether the specification itself defines a key, so that every client takes it. */
export function isStandardKey(key: string): boolean {
  return (STANDARD as readonly string[]).includes(key);
}

/** Kebab, snake and camel case of a name. */
function spellings(name: string): readonly string[] {
  const words = name.split("-");
  const camel = words.map((word, index) =>
    index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1),
  );
  return [...new Set([name, words.join("_"), camel.join("")])];
}
