import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";

/** A skill to publish. */
export interface SkillToPublish {
  readonly name: string;
  readonly description: string;
  readonly files: readonly TreeFile[];
  readonly version?: string;
  /** Where it was made from, such as a repository and a commit; goes into the signature. */
  readonly source?: string;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;

/** Refuses a skill that clients of an index or a registry would leave out without a word. */
export function checkSkillToPublish({ name, description }: SkillToPublish): void {
  if (name.length > MAX_NAME || !NAME.test(name)) {
    const what = `its name ${JSON.stringify(name.slice(0, MAX_NAME))} is not lower-case letters and digits with single hyphens between them, at most ${MAX_NAME}`;
    throw publishRefused(name, what, "rename it in SKILL.md");
  }
  if (description.trim() === "" || description.length > MAX_DESCRIPTION)
    throw publishRefused(
      name,
      `its description has ${description.length} characters`,
      `write one of at most ${MAX_DESCRIPTION}`,
    );
}

/** That something about a skill keeps it from being published. */
export function publishRefused(name: string, what: string, remedy: string): SkilletError {
  return new SkilletError("publish-refused", `The skill cannot be published: ${what}; ${remedy}.`, {
    data: { name },
  });
}
