import type { Act } from "../../fact/act.ts";

type InstallPackage = Extract<Act, { type: "install-package" }>;

/** What one requirement of Python (`name==1`, `name @ url`, `git+https://…`) installs; undefined where it is none. */
export function pythonRequirement(line: string): InstallPackage | undefined {
  const text = line.replace(/\s+#.*$/, "").trim();
  const editable = /^(?:-e|--editable)[ =]\s{0,8}(.+)$/.exec(text)?.[1] ?? text;
  const direct =
    /^(?:([A-Za-z0-9][\w.-]{0,100})(?:\[[^\]]{0,100}\])?\s{0,8}@\s{0,8})?((?:git|hg|svn|bzr)?\+?(?:https?|ssh|file):\/\/\S+)/.exec(
      editable,
    );
  if (direct !== null) {
    const url = direct[2] ?? "";
    const isGit = /^(?:git|hg|svn|bzr)\+/.test(url);
    return {
      type: "install-package",
      manager: "pip",
      name: direct[1] ?? url.replace(/^.*\/|\.git.*$|[#@].*$/g, ""),
      from: url.includes("file://") ? "local" : isGit ? "git" : "url",
      pinned: /@[0-9a-f]{40}\b|#sha256=/.test(url),
      url: url.replace(/^(?:git|hg|svn|bzr)\+/, ""),
    };
  }
  const named = /^([A-Za-z0-9][\w.-]{0,100})(?:\[[^\]]{0,100}\])?\s{0,8}(===?|~=|[<>]=?|!=|;|$)/.exec(text);
  const name = named?.[1];
  if (name === undefined) return undefined;
  return {
    type: "install-package",
    manager: "pip",
    name,
    from: "registry",
    pinned: (named?.[2] ?? "").startsWith("==") || named?.[2] === "===",
  };
}

/** The address after `--index-url` and its kin, from an option line or a key; undefined for other keys. */
export function isIndexOption(name: string): boolean {
  return /^(?:--|-i$)?(?:i|index-url|extra-index-url|index_url|extra_index_url|find-links|find_links|trusted-host|default-index)$/.test(
    name,
  );
}

/** A package index that is not the public one, as an act. */
export function customIndex(manager: string, option: string, url: string): InstallPackage | undefined {
  if (isPublicIndex(url) || !/^[a-z]+:\/\/|^[\w-]+(?:\.[\w-]+)+/i.test(url)) return undefined;
  return { type: "install-package", manager, name: option, from: "index", pinned: false, url };
}

/** Whether an address is the public index of a language, or one of its well-known mirrors. */
export function isPublicIndex(url: string): boolean {
  return PUBLIC_INDEX.test(url);
}

const PUBLIC_INDEX =
  /^(?:https:\/\/)?(?:pypi\.org|files\.pythonhosted\.org|test\.pypi\.org|registry\.npmjs\.org|registry\.yarnpkg\.com|npm\.pkg\.github\.com|download\.pytorch\.org|pypi\.nvidia\.com|data\.pyg\.org|wheels\.vllm\.ai|pypi\.tuna\.tsinghua\.edu\.cn|mirrors\.aliyun\.com|registry\.npmmirror\.com|mirrors\.cloud\.tencent\.com|pypi\.doubanio\.com|pypi\.ngc\.nvidia\.com|npm\.jsr\.io)(?:\/|$)/;
