import { nameSkeleton } from "@skillet/scan";

/** The name among others that a name is easily taken for; undefined where there is none. */
export function findLookAlike(name: string, others: Iterable<string>): string | undefined {
  const skeleton = nameSkeleton(name);
  return [...others].find((other) => other !== name && nameSkeleton(other) === skeleton);
}

/** Why a name that looks like another is not given away. */
export function lookAlikeReason(name: string, holder: string): string {
  return `${name} is easily taken for ${holder}; pass --name OTHER.`;
}
