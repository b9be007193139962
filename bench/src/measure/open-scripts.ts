import { openSkills, type Session } from "@skillet/core";
import { createRunner } from "@skillet/run";

/** A session in which scripts of these skills may run, in the system's sandbox; every skill is active. */
export async function openScripts(options: {
  readonly skills: string;
  readonly home: string;
  readonly names: readonly string[];
}): Promise<Session> {
  const { skills: root, home, names } = options;
  const skills = await openSkills({
    workspace: root,
    roots: [root],
    environment: { HOME: home, SKILLET_HOME: home },
  });
  const active = skills.list().map(({ qualifiedName }) => qualifiedName);
  const allow = active.flatMap((skill) => names.map((name) => `${skill}:scripts/${name}`));
  const session = await skills.session({ runner: createRunner({ allow, home }) });
  for (const skill of active) await session.activate(skill, { source: "user" });
  return session;
}
