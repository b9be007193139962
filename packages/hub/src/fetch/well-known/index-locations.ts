// The newer draft's first.
const PREFIXES: readonly string[] = [".well-known/agent-skills", ".well-known/skills"];

/** Where the index of a site may be: below the path that was given, then at the root, under both prefixes. */
export function indexLocations(base: string): readonly string[] {
  const { origin, pathname } = new URL(base);
  if (pathname.endsWith("/index.json")) return [`${origin}${pathname}`];
  const folder = pathname.replace(/\/+$/, "");
  // The address of the index's own folder.
  if (PREFIXES.some((prefix) => folder.endsWith(`/${prefix}`))) return [`${origin}${folder}/index.json`];
  const scopes = folder === "" ? [""] : [folder, ""];
  return scopes.flatMap((scope) => PREFIXES.map((prefix) => `${origin}${scope}/${prefix}/index.json`));
}
