import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { Resource } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SessionCore } from "../equip-session.ts";
import { placeOf } from "../records/session-record.ts";
import { checkTrust } from "../skill-reader.ts";
import { type ResourceRead, readResource } from "./read-resource.ts";

/** Tier 3: the files of skills. What is loaded may be read, whoever loaded it; else what the model could load freely. */
export class SkillFiles {
  readonly #core: SessionCore;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  async list(name: string): Promise<readonly Resource[]> {
    const skill = this.#find(name);
    if (skill !== undefined && !(await this.#checkFiles(skill)).isRefused)
      return (await this.#core.frozen.get(skill)).resources;
    // Throws for what is not there; what is there waits for a yes.
    const { qualifiedName } = this.#core.skills.resolve(name, "model");
    const message = `The files of ${showName(qualifiedName)} are not listed before it is loaded; load it first.`;
    throw new SkilletError("skill-denied", message, { data: { skill: qualifiedName } });
  }

  async read(givenName: unknown, givenPath: unknown, maxBytes: number | undefined): Promise<ResourceRead> {
    const { reader, recorder, frozen } = this.#core;
    // Hosts hand on what a model wrote; what is no text is refused like one that names nothing.
    const name = typeof givenName === "string" ? givenName : "";
    const path = typeof givenPath === "string" ? givenPath : "";
    const found = this.#find(name);
    const trust = found === undefined ? NOTHING : await this.#checkFiles(found);
    const skill = trust.isRefused ? undefined : found;
    const given = await readResource({ name, skill, path, maxBytes }, reader, (one) => frozen.get(one));
    const vetted = skill === undefined ? given : await this.#vetChanged(skill, given);
    const read = { ...vetted, diagnostics: [...trust.diagnostics, ...vetted.diagnostics] };
    const { type: _type, skill: skillName, kind, content: _content, ...rest } = read;
    await recorder.append({
      kind: "resource-read",
      skillName,
      ...(kind !== undefined && { resourceKind: kind }),
      ...(skill !== undefined && placeOf(skill)),
      ...rest,
    });
    return read;
  }

  #find(name: string): Skill | undefined {
    const { activations, skills, gate } = this.#core;
    const active = activations.find(name);
    if (active !== undefined) return active;
    try {
      const skill = skills.resolve(name, "model");
      return gate.decideActivation(skill, "model").outcome === "allow" ? skill : undefined;
    } catch (error) {
      if (SkilletError.isInstance(error)) return undefined;
      throw error;
    }
  }

  /** A file that is no longer the one that was judged is judged with its skill before anybody sees it. */
  async #vetChanged(skill: Skill, read: ResourceRead): Promise<ResourceRead> {
    if (read.digestMatchesRegistry !== false || !this.#core.vetting.judges(skill)) return read;
    const { type, path, observedDigest } = read;
    try {
      const index = await this.#core.frozen.look(skill);
      await this.#core.vetting.check(skill, index);
      if (index.resources.find((resource) => resource.path === path)?.digest === observedDigest) return read;
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
    }
    const message = `${showName(path)} has changed since the skill was scanned, and what it holds now was not let pass; load the skill again.`;
    const error = { code: "permission_denied", message } as const;
    return { type, skill: read.skill, path, status: "error", diagnostics: [], error };
  }

  async #checkFiles(skill: Skill): Promise<TrustCheck> {
    const { frozen, reader, vetting } = this.#core;
    try {
      const index = await frozen.get(skill);
      const diagnostics = await checkTrust(skill, index, reader);
      await vetting.check(skill, index);
      return { isRefused: diagnostics.length > 0 && this.#core.refusesDrift(), diagnostics };
    } catch (error) {
      if (SkilletError.isInstance(error)) return { isRefused: true, diagnostics: [] };
      throw error;
    }
  }
}

interface TrustCheck {
  readonly isRefused: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

const NOTHING: TrustCheck = { isRefused: false, diagnostics: [] };
