import { list, type ProgramTraits, subcommands } from "./program-traits.ts";

const NPM: ProgramTraits = {
  long: list(
    "script-shell node-options call shell userconfig globalconfig git editor viewer prefix dir cwd use-yarnrc",
  ),
  short: "cC",
  words: list("explore init innit create config c set edit node plugin env"),
  starters: list("exec x dlx"),
};

/** Programs that install packages, run tools from them, or drive services. */
export const PACKAGE_PROGRAMS: Readonly<Record<string, ProgramTraits>> = {
  npm: NPM,
  pnpm: NPM,
  yarn: NPM,
  pip: {
    long: list("python log config-settings global-option build-option root prefix target"),
    words: ["config"],
  },
  bundle: { starters: ["exec"], words: ["config", "open"] },
  composer: { starters: ["exec"], long: ["working-dir"], short: "d", words: ["config", "run-script"] },
  conda: { starters: ["run"] },
  hatch: { starters: ["run"] },
  mise: { starters: ["exec", "x"] },
  pdm: { starters: ["run"] },
  pipenv: { starters: ["run"] },
  pipx: { starters: ["run"] },
  poetry: { starters: ["run"], words: ["config"] },
  uv: { starters: ["run", "x"], long: ["python", "directory", "config-file"] },
  "apt-get": { long: ["option", "config-file"], short: "oc" },
  "apt-cache": { long: ["option", "config-file"], short: "oc" },
  apt: { long: ["option", "config-file"], short: "oc" },
  gh: {
    // `gh repo clone … -- -c core.sshCommand=…` hands options to git.
    long: list("upload-pack config receive-pack exec"),
    pattern: /^(?:-c)?core\.\w+=|::/i,
    safePrefix: /^(?!core)[\w/ .-]{4}/i,
    subcommands: {
      globals: /^--version$/,
      known: subcommands(
        "api attestation cache gist issue label org pr project release repo ruleset run search secret status " +
          "variable workflow --version",
      ),
    },
  },
  systemctl: { long: ["root", "host", "machine"], short: "HM", words: ["edit"] },
  helm: { long: list("post-renderer kubeconfig"), words: ["plugin"] },
};
