/**
 * The URI reference of a file of a skill: relative where the skill was named so, every odd character as percent code.
 *
 * Of an archive's member it is that of the archive: members are called as whoever packed them likes, `../../x` too.
 */
export function artifactUri(skillPath: string, file: string): string {
  const isAbsolute = skillPath.startsWith("/");
  const { outer } = splitMember(file);
  const parts = [...skillPath.split("/"), ...outer.split("/").filter((part) => part !== "..")];
  const path = parts
    .filter((part) => part !== "" && part !== ".")
    .map(encodeSegment)
    .join("/");
  return isAbsolute ? `file:///${path}` : path;
}

/** The file on disk that a name in a report is about and, where it is in an archive, the name there. */
export function splitMember(file: string): { readonly outer: string; readonly member?: string } {
  const inner = file.indexOf("!/");
  return inner === -1 ? { outer: file } : { outer: file.slice(0, inner), member: file.slice(inner + 2) };
}

function encodeSegment(segment: string): string {
  // Half a surrogate pair has no UTF-8, and encodeURIComponent throws on it.
  return encodeURIComponent(Buffer.from(segment).toString());
}
