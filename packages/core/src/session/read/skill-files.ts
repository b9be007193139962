import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { Resource } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { findActive } from "../active-skills.ts";
import { placeOf } from "../records/session-record.ts";
import { isJudged, vetShown } from "../session-vetting.ts";
import { decideLoading, resolveFor } from "../skill-access.ts";
import { checkTrust, frozenIndex } from "../skill-reader.ts";
import { onRefusal, refusesDrift, type SessionState } from "../state.ts";
import { type ResourceRead, readResource } from "./read-resource.ts";

export async function listFiles(session: SessionState, name: string): Promise<readonly Resource[]> {
  const skill = await findReadable(session, name);
  if (skill !== undefined && !(await checkFiles(session, skill)).isRefused)
    return (await frozenIndex(session, skill)).resources;
  // Throws when there is no such skill; any other needs approval first.
  const { qualifiedName } = resolveFor(session, name, "model");
  const message = `The files of ${showName(qualifiedName)} are not listed before it is loaded; load it first.`;
  throw new SkilletError("skill-denied", message, { data: { skill: qualifiedName } });
}

export async function readFile(
  session: SessionState,
  givenName: unknown,
  givenPath: unknown,
  maxBytes: number | undefined,
): Promise<ResourceRead> {
  const { reader, recorder } = session;
  // Hosts pass on a model's input: anything but text is refused like a name that does not exist.
  const name = typeof givenName === "string" ? givenName : "";
  const path = typeof givenPath === "string" ? givenPath : "";
  const found = await findReadable(session, name);
  const trust = found === undefined ? NOTHING : await checkFiles(session, found);
  const skill = trust.isRefused ? undefined : found;
  const given = await readResource({ name, skill, path, maxBytes }, reader, (one) =>
    frozenIndex(session, one),
  );
  const vetted = skill === undefined ? given : await vetChanged(session, skill, given);
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

// Loaded skills may be read; of the others, those that the model may load without a question.
async function findReadable(session: SessionState, name: string): Promise<Skill | undefined> {
  const find = async (): Promise<Skill | undefined> => {
    const skill = resolveFor(session, name, "model");
    return decideLoading(session, skill, "model").outcome === "allow" ? skill : undefined;
  };
  return findActive(session, name) ?? onRefusal(find(), () => undefined);
}

/** A file that changed since the scan is vetted, with its whole skill, before it is returned. */
async function vetChanged(session: SessionState, skill: Skill, read: ResourceRead): Promise<ResourceRead> {
  if (read.digestMatchesRegistry !== false || !isJudged(session, skill)) return read;
  const { type, path, observedDigest } = read;
  const isVetted = async (): Promise<boolean> => {
    const index = await session.reader.indexResources(skill);
    await vetShown(session, skill, index);
    return index.resources.find((resource) => resource.path === path)?.digest === observedDigest;
  };
  if (await onRefusal(isVetted(), () => false)) return read;
  const message = `${showName(path)} has changed since the skill was scanned, and what it holds now did not pass; load the skill again.`;
  const error = { code: "permission_denied", message } as const;
  return { type, skill: read.skill, path, status: "error", diagnostics: [], error };
}

interface TrustCheck {
  readonly isRefused: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

const NOTHING: TrustCheck = { isRefused: false, diagnostics: [] };

function checkFiles(session: SessionState, skill: Skill): Promise<TrustCheck> {
  const check = async (): Promise<TrustCheck> => {
    const index = await frozenIndex(session, skill);
    const diagnostics = await checkTrust(session, skill, index);
    await vetShown(session, skill, index);
    return { isRefused: diagnostics.length > 0 && refusesDrift(session), diagnostics };
  };
  return onRefusal(check(), () => ({ isRefused: true, diagnostics: [] }));
}
