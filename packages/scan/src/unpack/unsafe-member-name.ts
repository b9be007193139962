/** Why a member's name would land outside the folder that an archive is unpacked into; undefined for one that stays inside. */
export function unsafeMemberName(name: string): string | undefined {
  if (name.includes("\0")) return "a zero byte in its name";
  const plain = name.replaceAll("\\", "/");
  if (plain.startsWith("/") || /^[A-Za-z]:/.test(plain)) return "an absolute path";
  if (plain.split("/").includes("..")) return "a path that climbs out";
  return undefined;
}
