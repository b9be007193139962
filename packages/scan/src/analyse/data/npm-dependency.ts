import type { Act } from "../../fact/act.ts";

/** What one dependency of a package.json installs, and from where. */
export function npmDependency(name: string, spec: string): Extract<Act, { type: "install-package" }> {
  const alias = /^npm:(@?[^@\s]{1,214})(?:@(.*))?$/.exec(spec);
  const target = alias?.[1] ?? name;
  const wanted = alias === null ? spec : (alias[2] ?? "");
  const from = originOf(wanted);
  return {
    type: "install-package",
    manager: "npm",
    name: target,
    from,
    pinned:
      from === "git" ? /#[0-9a-f]{40}$/.test(wanted) : /^=?v?\d+\.\d+\.\d+(?:[-+][\w.-]+)?$/.test(wanted),
    ...(from === "git" || from === "url" ? { url: wanted } : {}),
  };
}

function originOf(spec: string): "registry" | "git" | "url" | "local" {
  if (/^(?:git\+|git:|ssh:|github:|gitlab:|bitbucket:|gist:|git@)/i.test(spec)) return "git";
  if (/^https?:\/\/[^?#]*\.git(?:#|$)/i.test(spec)) return "git";
  if (/^https?:/i.test(spec)) return "url";
  if (/^(?:file:|link:|portal:|workspace:|\.{0,2}\/|~\/)/i.test(spec)) return "local";
  return /^[\w.-]+\/[\w.-]+(?:#.*)?$/.test(spec) ? "git" : "registry";
}
