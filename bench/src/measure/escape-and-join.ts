import type { Skill } from "./product.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};

/** The least that writing a catalogue takes: escapes every value and joins all lines of the reference form. */
export function escapeAndJoin(skills: readonly Skill[], what: "everything" | "names" = "everything"): string {
  const lines = ["<available_skills>"];
  for (const { qualifiedName, manifest, path } of skills) {
    lines.push("<skill>", "<name>", escapeXml(qualifiedName), "</name>");
    if (what === "everything") lines.push("<description>", escapeXml(describe(manifest)), "</description>");
    lines.push("<location>", escapeXml(path), "</location>", "</skill>");
  }
  lines.push("</available_skills>");
  return lines.join("\n");
}

function describe({ description, whenToUse }: Skill["manifest"]): string {
  return whenToUse === undefined ? description : `${description} ${whenToUse}`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
