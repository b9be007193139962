import { SkilletError } from "@skillet/kit/errors";
import { describe, expect, test } from "vitest";
import { parseSource } from "./parse-source.ts";
import type { Source } from "./source.ts";

const PLACES = { workspace: "/desk", userHome: "/home/me" };
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const GITHUB = "https://github.com/owner/repo";

const READ: Readonly<Record<string, Source>> = {
  "owner/repo": { kind: "git", url: GITHUB },
  "owner/repo.git": { kind: "git", url: GITHUB },
  "owner/repo/skills/pdf": { kind: "git", url: GITHUB, folder: "skills/pdf" },
  "owner/repo/skills/pdf/": { kind: "git", url: GITHUB, folder: "skills/pdf" },
  "owner/repo#main": { kind: "git", url: GITHUB, ref: "main" },
  "owner/repo#feature/one": { kind: "git", url: GITHUB, ref: "feature/one" },
  "owner/repo@pdf": { kind: "git", url: GITHUB, pick: "pdf" },
  "owner/repo@plugin:pdf": { kind: "git", url: GITHUB, pick: "plugin:pdf" },
  "owner/repo#main@pdf": { kind: "git", url: GITHUB, ref: "main", pick: "pdf" },
  "owner/repo@pdf#main": { kind: "git", url: GITHUB, ref: "main", pick: "pdf" },
  "owner/repo/sub#main@pdf": { kind: "git", url: GITHUB, ref: "main", folder: "sub", pick: "pdf" },
  "owner/repo#tool%401.0": { kind: "git", url: GITHUB, ref: "tool@1.0" },
  [`owner/repo#${COMMIT}`]: { kind: "git", url: GITHUB, ref: COMMIT },
  [`owner/repo#${COMMIT.toUpperCase()}`]: { kind: "git", url: GITHUB, ref: COMMIT },
  "github:owner/repo#main": { kind: "git", url: GITHUB, ref: "main" },
  "gitlab:owner/repo": { kind: "git", url: "https://gitlab.com/owner/repo" },
  "https://github.com/owner/repo": { kind: "git", url: GITHUB },
  "https://github.com/owner/repo/": { kind: "git", url: GITHUB },
  "http://www.github.com/owner/repo.git": { kind: "git", url: GITHUB },
  "HTTPS://GitHub.com/owner/repo#main@pdf": { kind: "git", url: GITHUB, ref: "main", pick: "pdf" },
  "https://github.com/owner/repo/tree/main/skills/pdf": {
    kind: "git",
    url: GITHUB,
    refAndFolder: "main/skills/pdf",
  },
  "https://github.com/owner/repo/tree/feature/one": { kind: "git", url: GITHUB, refAndFolder: "feature/one" },
  "https://github.com/owner/repo/tree/main/a%20b#@pdf": {
    kind: "git",
    url: GITHUB,
    refAndFolder: "main/a b",
    pick: "pdf",
  },
  "https://github.com/owner/repo/blob/main/skills/pdf/SKILL.md": {
    kind: "git",
    url: GITHUB,
    refAndFolder: "main/skills/pdf",
  },
  "https://raw.githubusercontent.com/owner/repo/main/skills/pdf/SKILL.md": {
    kind: "git",
    url: GITHUB,
    refAndFolder: "main/skills/pdf",
  },
  [`https://github.com/owner/repo/commit/${COMMIT}`]: { kind: "git", url: GITHUB, ref: COMMIT },
  "https://github.com/owner/repo/blob/main/pdf.skill": {
    kind: "archive",
    location: "https://github.com/owner/repo/raw/main/pdf.skill",
  },
  "https://github.com/owner/repo/archive/refs/heads/main.zip": {
    kind: "archive",
    location: "https://github.com/owner/repo/archive/refs/heads/main.zip",
  },
  "https://gitlab.com/group/sub/repo": { kind: "git", url: "https://gitlab.com/group/sub/repo" },
  // The host is the one that stands there, not one that a path seems to begin with.
  "https://git.example//other.example/repo/-/tree/main": {
    kind: "git",
    url: "https://git.example/other.example/repo",
    refAndFolder: "main",
  },
  "https://gitlab.com/group/sub/repo/-/tree/a/b/c": {
    kind: "git",
    url: "https://gitlab.com/group/sub/repo",
    refAndFolder: "a/b/c",
  },
  "https://code.example.org:8443/group/repo/-/tree/main/pdf": {
    kind: "git",
    url: "https://code.example.org:8443/group/repo",
    refAndFolder: "main/pdf",
  },
  "https://code.example.org/group/repo/-/blob/main/pdf/SKILL.md": {
    kind: "git",
    url: "https://code.example.org/group/repo",
    refAndFolder: "main/pdf",
  },
  "https://dev.azure.com/org/project/_git/repo?path=/skills/pdf&version=GBfeature/one": {
    kind: "git",
    url: "https://dev.azure.com/org/project/_git/repo",
    ref: "feature/one",
    folder: "skills/pdf",
  },
  "https://dev.azure.com/org/project/_git/repo": {
    kind: "git",
    url: "https://dev.azure.com/org/project/_git/repo",
  },
  "git@github.com:owner/repo.git": { kind: "git", url: "git@github.com:owner/repo.git" },
  "git@github.com:owner/repo#main@pdf": {
    kind: "git",
    url: "git@github.com:owner/repo",
    ref: "main",
    pick: "pdf",
  },
  "ssh://git@code.example.org:2222/group/repo.git": {
    kind: "git",
    url: "ssh://git@code.example.org:2222/group/repo.git",
  },
  "https://code.example.org/group/repo.git": { kind: "git", url: "https://code.example.org/group/repo.git" },
  "https://code.example.org/group/repo.git//skills/pdf#main": {
    kind: "git",
    url: "https://code.example.org/group/repo.git",
    ref: "main",
    folder: "skills/pdf",
  },
  "git:https://code.example.org/group/repo": { kind: "git", url: "https://code.example.org/group/repo" },
  "git+ssh://git@code.example.org/repo": { kind: "git", url: "ssh://git@code.example.org/repo" },
  "git:git@code.example.org:repo//sub": { kind: "git", url: "git@code.example.org:repo", folder: "sub" },
  "file:///srv/repo.git#main": { kind: "git", url: "file:///srv/repo.git", ref: "main" },
  "file:///srv/repo": { kind: "git", url: "file:///srv/repo" },
  "file:///srv/a%20b.zip": { kind: "archive", location: "/srv/a b.zip" },
  ".": { kind: "local", path: "/desk" },
  "./skills": { kind: "local", path: "/desk/skills" },
  "../skills/": { kind: "local", path: "/skills" },
  "/srv/skills": { kind: "local", path: "/srv/skills" },
  "~": { kind: "local", path: "/home/me" },
  "~/skills": { kind: "local", path: "/home/me/skills" },
  "./skills@pdf": { kind: "local", path: "/desk/skills", pick: "pdf" },
  "./skills@1/": { kind: "local", path: "/desk/skills@1" },
  "./-odd": { kind: "local", path: "/desk/-odd" },
  "./pdf/SKILL.md": { kind: "local", path: "/desk/pdf" },
  "./repo.git": { kind: "git", url: "file:///desk/repo.git" },
  "./pdf.skill": { kind: "archive", location: "/desk/pdf.skill" },
  "./pdf@1.2.zip": { kind: "archive", location: "/desk/pdf@1.2.zip" },
  "./pdf.tar.gz@pdf": { kind: "archive", location: "/desk/pdf.tar.gz", pick: "pdf" },
  "https://example.org/pdf.tgz?raw=1": { kind: "archive", location: "https://example.org/pdf.tgz?raw=1" },
  "https://example.org/pdf/SKILL.md": { kind: "skill-file", url: "https://example.org/pdf/SKILL.md" },
  "https://example.org": { kind: "well-known", base: "https://example.org" },
  "https://example.org/docs/#@pdf": { kind: "well-known", base: "https://example.org/docs", pick: "pdf" },
  "http://127.0.0.1:8080/docs": { kind: "well-known", base: "http://127.0.0.1:8080/docs" },
  "well-known:https://example.org/docs/pdf": {
    kind: "well-known",
    base: "https://example.org/docs",
    pick: "pdf",
  },
  "well-known:example.org/": { kind: "well-known", base: "https://example.org" },
  "npm:skills": { kind: "npm", name: "skills" },
  "npm:@scope/skills@1.2.3-beta.1#@pdf": {
    kind: "npm",
    name: "@scope/skills",
    version: "1.2.3-beta.1",
    pick: "pdf",
  },
  "oci://registry.example.org:5000/team/pdf:1.0": {
    kind: "oci",
    registry: "registry.example.org:5000",
    repository: "team/pdf",
    tag: "1.0",
  },
  [`oci:registry.example.org/team/pdf@sha256:${"a".repeat(64)}`]: {
    kind: "oci",
    registry: "registry.example.org",
    repository: "team/pdf",
    digest: `sha256:${"a".repeat(64)}`,
  },
};

test.each(Object.entries(READ))("%s is read", (text, source) => {
  expect(parseSource(text, PLACES)).toEqual(source);
});

const REFUSED: readonly (readonly [text: string, code: string, hint: string])[] = [
  ["", "source-invalid", "Write OWNER/REPOSITORY"],
  ["--upload-pack=touch /tmp/x", "source-invalid", "./-NAME"],
  ["-owner/repo", "source-invalid", "option"],
  ["owner/-repo", "source-invalid", "OWNER/REPOSITORY"],
  ["owner/repo\n", "source-invalid", "control character"],
  ["owner/re\u202epo", "source-invalid", "invisible"],
  ["./x\0y", "source-invalid", "control character"],
  ["a".repeat(3000), "source-invalid", "characters"],
  [" owner/repo", "source-invalid", "space"],
  ["ext::sh -c id", "source-unsupported", "any command"],
  ["EXT::sh -c id", "source-unsupported", "any command"],
  ["git:ext::sh -c id", "source-invalid", "names no repository"],
  ["git://example.org/repo", "source-unsupported", "https or ssh"],
  ["ftp://example.org/repo", "source-unsupported", "Known sources"],
  ["javascript:alert(1)", "source-unsupported", "Known sources"],
  ["C:\\skills", "source-unsupported", "drive"],
  ["@owner/slug", "source-unsupported", "OWNER/REPOSITORY@SKILL"],
  ["skills-sh:owner/repo/pdf", "source-unsupported", "OWNER/REPOSITORY@SKILL"],
  ["https://me:secret@github.com/owner/repo", "source-credentials", "credential helper"],
  ["https://ghp_secret@github.com/owner/repo", "source-credentials", "credential helper"],
  ["ssh://git:secret@github.com/owner/repo", "source-credentials", "ssh key"],
  ["git+https://secret@example.org/x.git", "source-credentials", "credential helper"],
  ["ftp://me:secret@example.org/repo", "source-credentials", "credential helper"],
  ["git:secret:x@example.org:repo", "source-credentials", "credential helper"],
  ["https://me:secret@exa mple.org/x", "source-credentials", "credential helper"],
  ["oci://me:secret@registry.example.org/x", "source-credentials", "credential helper"],
  ["https://example.org/x.zip?token=secret", "source-credentials", "Leave it out"],
  ["https://example.org/x.zip?X-Amz-Signature=secret", "source-credentials", "Leave it out"],
  ["owner/repo#", "source-invalid", "Name a branch"],
  ["owner/repo#-x", "source-invalid", "option"],
  ["owner/repo#a..b", "source-invalid", ".."],
  ["owner/repo#a%00b", "source-invalid", "control character"],
  ["owner/repo#%2d-upload-pack", "source-invalid", "option"],
  ["owner/repo#a b", "source-invalid", "space"],
  ["owner/repo@a#main@b", "source-invalid", "two skills"],
  ["owner/repo@../x", "source-invalid", "not the name of a skill"],
  ["owner/repo/../x", "source-invalid", "without . and .."],
  ["owner/repo/a%2f..%2f..%2fb", "source-invalid", "without . and .."],
  ["owner/repo/a//b", "source-invalid", "single slashes"],
  ["owner/repo/%zz", "source-invalid", "%25"],
  ["repo", "source-invalid", "Did you mean the folder ./repo"],
  ["github.com/owner", "source-invalid", "https://github.com/owner"],
  ["skills\\pdf", "source-invalid", "Write folders with /"],
  ["https://github.com/owner/repo/blob/main/README.md", "source-invalid", "single file"],
  ["https://github.com/owner/repo/tree/-x/y", "source-invalid", "begins with -"],
  ["https://github.com/owner/repo/tree/main#other", "source-invalid", "two refs"],
  ["https://github.com/owner", "source-invalid", "not the page of a repository"],
  ["https://github.com/owner/repo/releases/tag/v1", "source-invalid", "not the page of a repository"],
  ["https://www.github.com/owner/repo/issues/1", "source-invalid", "not the page of a repository"],
  ["https://example.org/docs?x=1", "source-invalid", "query"],
  ["https://", "source-invalid", "not a URL"],
  ["ssh://-oProxyCommand=id/x", "source-invalid", ""],
  ["git@-oProxyCommand=id:x", "source-invalid", ""],
  ["git@github.com:-x/y", "source-invalid", "cannot be a repository"],
  ["git@github.com:/", "source-invalid", "cannot be a repository"],
  // Without the slash at its end it would end with a space, and be refused when it is read again.
  ["owner@git: /", "source-invalid", "cannot be a repository"],
  ["owner@git:x /", "source-invalid", "cannot be a repository"],
  ["owner@git: //folder", "source-invalid", "cannot be a repository"],
  ["file://host/srv/repo", "source-invalid", "file:///PATH"],
  ["npm:UPPER", "source-invalid", "lower case"],
  ["npm:x@^1.0.0", "source-invalid", "exact version"],
  ["npm:../x", "source-invalid", "no package"],
  ["oci:team/pdf/../x", "source-invalid", ""],
  ["oci://registry.example.org/Team/x", "source-invalid", "lower-case"],
  ["oci://registry.example.org/x@md5:00", "source-invalid", "sha256"],
];

describe("text that is not a source", () => {
  test.each(REFUSED)("%j is refused", (text, code, hint) => {
    const error = refusalOf(text);
    expect(error.code).toBe(code);
    expect(error.message).toContain(hint);
    // Neither in words nor in data.
    expect(JSON.stringify([error.message, error.data])).not.toMatch(/secret/);
  });
});

function refusalOf(text: string): SkilletError {
  try {
    parseSource(text, PLACES);
  } catch (error) {
    if (SkilletError.isInstance(error)) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(text)} was read`);
}
