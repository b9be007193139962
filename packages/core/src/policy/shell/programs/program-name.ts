/** A program as the tables know it: without its folder, its version and the `g` that GNU tools carry elsewhere. */
export function programName(command: string): string {
  const base = command.slice(Math.max(command.lastIndexOf("/"), command.lastIndexOf("\\")) + 1).toLowerCase();
  const name = base.replace(/\.exe$/, "").replace(/^(python|perl|ruby|php|lua|pip|node)[\d.]+$/, "$1");
  return GNU.has(name) ? name.slice(1) : name;
}

const GNU: ReadonlySet<string> = new Set([
  "gawk",
  "genv",
  "gfind",
  "gnice",
  "gnohup",
  "gsed",
  "gsort",
  "gsplit",
  "gstdbuf",
  "gtar",
  "gtimeout",
  "gxargs",
]);
