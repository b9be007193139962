import { expect, test } from "vitest";
import type { Resolved } from "../fetch/resolved.ts";
import { takenFrom } from "./taken-from.ts";

const PLACE = { root: "/project", userHome: "/home/me" };
const DIGEST = `sha256:${"a".repeat(64)}` as const;
const git = (url: string): Resolved => ({ kind: "git", url, commit: "a".repeat(40) });

test.each<[string, Resolved]>([
  ["owner/repository@pdf", git("https://github.com/owner/repository")],
  ["git:https://git.example.com/x.git//skills#main@pdf", git("https://git.example.com/x.git")],
  ["./vendor/pdf", { kind: "local", path: "./vendor/pdf" }],
  [
    "https://example.com/pdf.zip",
    { kind: "archive", location: "https://example.com/pdf.zip", digest: DIGEST },
  ],
  ["npm:pdf@pdf", { kind: "npm", name: "pdf", version: "1.0.0", integrity: "sha512-x" }],
  [
    "oci://registry.example.com/skills/pdf:1.0.0",
    { kind: "oci", registry: "registry.example.com", repository: "skills/pdf", digest: DIGEST },
  ],
])("%s is where it was taken from", (source, resolved) => {
  expect(takenFrom({ source, resolved }, PLACE)).toBeUndefined();
});

test.each<[string, Resolved, string]>([
  ["what is no source", git("https://github.com/mallory/kit"), "mallory/kit"],
  ["./market@plugin:kit", git("https://github.com/mallory/kit"), "mallory/kit"],
  ["owner/market@plugin:kit", git("https://github.com/mallory/kit"), "mallory/kit"],
  [
    "owner/market@plugin:kit",
    { kind: "archive", location: "https://mallory.example/kit.zip", digest: DIGEST },
    "https://mallory.example/kit.zip",
  ],
  [
    "owner/market@plugin:kit",
    { kind: "npm", name: "kit", version: "1.0.0", integrity: "sha512-x" },
    "npm:kit",
  ],
])("%s, which leads elsewhere, is told apart from where that is", (source, resolved, place) => {
  expect(takenFrom({ source, resolved }, PLACE)).toContain(place);
});
