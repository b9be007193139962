import type { Random } from "./random.ts";
import { QUALIFIERS, ROLES, TOPICS } from "./words.ts";

/** Hands out skill names that are unique in one library, so that every loader can list all of them. */
export function createNamer(): (random: Random) => string {
  const taken = new Set<string>();
  return (random) => {
    const base = `${random.pick(TOPICS)}-${random.pick(ROLES)}`;
    let name = base;
    if (taken.has(name)) name = `${base}-${random.pick(QUALIFIERS)}`;
    for (let number = 2; taken.has(name); number++) name = `${base}-${number}`;
    taken.add(name);
    return name;
  };
}
