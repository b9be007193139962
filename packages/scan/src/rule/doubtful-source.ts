import type { Scheme } from "../prose/section-signs.ts";

/** Packages are to come from somewhere else, and what would tell of it is to be ignored. */
export const DOUBTFUL_SOURCE: Scheme = {
  cues: ["source_cue", "install", "download"],
  message: "Packages are led in from a doubtful source",
  signs: [
    {
      name: "another source takes the place of the usual one",
      pattern: [
        /\b(?:registry|index-url|index|--source|goproxy|mirror|\.zip|\.tgz)\b/,
        /https?:\/\/(?!localhost|127\.|[\w.]{0,40}(?:example|pypi|npmjs|rubygems|golang|github|gitlab|pytorch|nvidia|huggingface|microsoft|google\w*|amazonaws|apache)\.)/,
      ],
    },
    {
      name: "the usual one is run down",
      pattern: [
        /\b(?:official|pypi|npm|stock|default|registry|checksum database|rubygems)\b/,
        /\b(?:outdated|compromised|broken|drops|lacks|buggy|stale|unreliable|at the moment|at present)\b/,
      ],
    },
    {
      name: "checks are to be ignored",
      pattern: [
        /\b(?:strict-ssl|trusted-host|integrity|checksum|signature|gonosumdb|goflags|no-verify|virus scanner|antivirus|ssl)\b/,
        /\b(?:ignore|off|disable|false|skip|no-verify|insecure|trusted-host|false alarm)\b/,
      ],
    },
  ],
};
