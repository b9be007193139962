import { canonicalTool, isKnownProgram, readShell } from "@skillet/core/internal";
import { type JsonObject, textOf } from "@skillet/kit/json";
import { shellArgument } from "@skillet/kit/text";
import { firstText } from "../transcript/transcript.ts";
import { flagBefore, nameOf, type SkillInput, withoutInputs } from "./find-inputs.ts";
import { endOfPath, isOrdinaryPath, isOrdinaryWord, wordsIn } from "./ordinary-words.ts";
import { isEnding, isEveryday, isPublicHost, isPublicWord } from "./vocabulary.ts";

/** One program that a command line ran, in general terms. */
export interface GeneralCommand {
  readonly words: readonly string[];
  /** The program and its subcommand, for example `git cherry-pick`. */
  readonly key: string;
  /** How many of the words belong to the key; the rest are options and operands. */
  readonly keyWords: number;
  /** The narrowest entry of `allowed-tools` for it; absent if none would be narrow. */
  readonly rule?: string;
  /** Looks around without changing anything, as every agent does. */
  readonly isLook: boolean;
  /** Shows whether something worked. */
  readonly isCheck: boolean;
}

type Act = ReturnType<typeof readShell>[number];
type Inputs = readonly SkillInput[];

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** How many words after the program are its subcommand; for other programs, one word that looks like it. */
const DEPTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    1: "git npm yarn pnpm bun cargo go pip pip3 terraform tofu helm make just systemctl brew apt apt-get composer dotnet flutter mix rails rake bundle poetry uv conda kubectl docker podman vercel netlify fly heroku gradle mvn ./gradlew gradlew deno nuget snap pipx tox nox hatch pdm rustup swift sbt stack cabal zig mise asdf pre-commit turbo nx lerna vite astro hugo jekyll ng wrangler firebase supabase prisma alembic flyway liquibase packer vagrant minikube kind k3d istioctl argocd flux skaffold eksctl doctl hcloud stripe sentry-cli newman apksigner ansible-galaxy openssl mkdocs sphinx quarto dvc dbt airflow hledger samtools bcftools bedtools snakemake nextflow gem pod tlmgr dnf publint fastlane expo eas cypress playwright changeset cmake meson bazel nix",
    2: "gh glab aws az shopify sf oci ibmcloud",
    3: "gcloud",
  }).flatMap(([depth, names]) => names.split(" ").map((name): [string, number] => [name, Number(depth)])),
);
/** Subcommands that take another word: `npm run build`, `docker compose up`. */
const LONGER = set(
  "run exec compose config rollout remote stash worktree submodule image container volume network workspace tool dlx",
);
const STARTERS = set("npx bunx uvx pnpx xcrun");
const NO_SUBCOMMAND = set(
  "cat ls cp mv mkdir touch head tail grep rg sort uniq wc diff sed awk jq tar zip unzip file echo printf find fd createdb dropdb psql mysql sqlite3 ping which type kill open code vim",
);
/** Programs that every agent may use to find its way around. */
const LOOKS = set(
  "cat ls pwd cd exit set head tail less more wc which type tree stat file echo printf true sleep date whoami grep rg ag find fd test [ basename dirname realpath readlink sort uniq cut tr tee nproc free df du ps uname id hostname read nvidia-smi",
);
const GIT_LOOKS = /^git (?:status|diff|show|branch|remote|blame|rev-parse)$/;
const GIT_CHANGES =
  /^(?:-[dDmMcC]|--delete|--move|--copy|--set-upstream-to.*|--no-index|add|remove|set-url|prune)$/;
/** They run whatever they are given, or cannot be undone: no rule for them is narrow. */
const NEVER = set(
  "sudo su doas dd mkfs shutdown reboot halt eval exec source . bash sh zsh fish dash ksh xargs env export ssh nc ncat socat crontab kill pkill killall vault security op pass gpg lftp net sqlcmd",
);
/** With a wildcard after them they could reach anything, so only the exact command is allowed. */
const EXACT_ONLY = set(
  "rm rmdir chmod chown ln curl wget scp sftp ftp lftp smbclient sqlcmd rsync psql mysql sqlite3 mongosh redis-cli",
);
/** They need no subcommand, and only read, check, convert or format what they are given. */
const HARMLESS = set(
  "prettier eslint tsc vitest jest mocha pytest mypy pyright ruff black isort flake8 biome stylelint markdownlint shellcheck actionlint yamllint hadolint pandoc jq yq ffprobe identify pdftotext pdfinfo qpdf ocrmypdf diff wc sort uniq cmp comm cut head tail cat ls file stat tree mkdir touch rubocop phpstan golangci-lint clang-format gofmt rustfmt hyperfine tokei cloc exiftool mediainfo fastqc multiqc lighthouse pa11y axe rg grep",
);
/** They start anything in a container, or cannot be undone once others see the result. */
const BROAD =
  /^(?:docker|podman|kubectl|oc)(?: compose)? (?:run|exec|delete|cp)\b|^(?:npm|yarn|pnpm|bun) (?:exec|dlx|x)$|^(?:npm|yarn|pnpm|cargo|twine|gem) (?:publish|upload|push)\b|^(?:terraform|tofu|pulumi) (?:apply|destroy)\b|^\w+ ssh\b|^git (?:config|filter-\w+|reset|clean)\b/;
const FORCED =
  /^(?:--force\S*|--hard|--delete|--mirror|-\w*[fD]\w*|\+\S+|--no-verify|-exec|-execdir|-delete)$/;
const INTERPRETERS = /^(?:python|node|perl|ruby|php|deno|bun|tsx|ts-node)[\d.]*$/;
const CHECK =
  /\b(?:tests?|check|checks|lint|typecheck|tsc|verify|validate|build|pytest|vitest|jest|mocha|clippy|vet|pa11y|lighthouse|markdownlint|eslint|biome|ruff|mypy|smoke|e2e|health|rollout status|status|plan)\b|--version\b|:check\b/;
const SUBCOMMAND = /^[a-z][A-Za-z\d]*(?:[-:_][a-z\d]+)*$/;
/** Global options that take a value and may come before a subcommand. */
const VALUED = set(
  "-C -c -n -H -f --context --namespace --prefix -w --workspace --project --region --profile",
);
const MAX_COMMANDS = 30;

/** The programs that a command line ran, as the shell parses it; unclear parts are left out. */
export function generaliseCommand(command: string): readonly GeneralCommand[] {
  // An agent's shell has no history, so `!` expands nothing. It is replaced by a character that no command uses.
  const found = commandsIn(readShell(command.replaceAll(/!(?=[^\s=])/g, "¡")))
    .slice(0, MAX_COMMANDS)
    .map(({ words, isNarrow }) => describe(words, isNarrow));
  // `curl … | sh`: a download is as dangerous as the program that runs it.
  const isBroad = found.some(({ rule, isLook }) => rule === undefined && !isLook);
  return isBroad
    ? found.map(({ rule, ...one }) => (rule?.endsWith(":*)") === true ? { ...one, rule } : one))
    : found;
}

function commandsIn(
  acts: readonly Act[],
  isNarrow = true,
): readonly { readonly words: readonly string[]; readonly isNarrow: boolean }[] {
  return acts.flatMap((act) => {
    if (act.kind !== "command") return [];
    const words = act.words.map((word) => (word.kind === "known" ? word.value : word.text));
    if (act.runs?.isTransparent === true) return commandsIn(act.runs.acts, isNarrow);
    const [program, last = ""] = [words[0], words.at(-1)];
    const remote = program === "ssh" && /\s/.test(last) ? commandsIn(readShell(last), false) : [];
    if (remote.length > 0) words.pop();
    // `npx` and `uv run` start one program, which the key names.
    return [{ words, isNarrow: isNarrow && act.words[0]?.kind === "known" }, ...remote];
  });
}

function describe(words: readonly string[], isNarrow: boolean): GeneralCommand {
  const [program = ""] = words;
  const key = keyOf(words);
  const rule = isNarrow ? ruleOf(words, key) : undefined;
  return {
    words,
    key: key.join(" "),
    keyWords: key.length,
    ...(rule !== undefined && { rule }),
    isLook:
      LOOKS.has(program) ||
      (program === "sed" && !words.some((word) => /^-\w*i|^--in-place/.test(word))) ||
      (GIT_LOOKS.test(key.slice(0, 2).join(" ")) && !words.some((word) => GIT_CHANGES.test(word))),
    isCheck: CHECK.test(key.join(" ")) || /--version\b/.test(words.join(" ")),
  };
}

function keyOf(words: readonly string[]): readonly string[] {
  const [program = "", second = ""] = words;
  if (STARTERS.has(program)) {
    const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
    return at === -1 ? [program] : [program, ...keyOf(words.slice(at))];
  }
  if (INTERPRETERS.test(program)) {
    if (second === "-m") return words.slice(0, 3);
    return /^[\w./-]+\.\w+$/.test(second) ? [program, second] : [program];
  }
  return [program, ...subcommandOf(program, words.slice(1))];
}

function subcommandOf(program: string, words: readonly string[]): readonly string[] {
  const depth = DEPTHS.get(program) ?? (NO_SUBCOMMAND.has(program) ? 0 : 1);
  const found: string[] = [];
  let most = depth;
  for (let at = 0; at < words.length && found.length < most; at += 1) {
    const word = words[at] ?? "";
    if (word.startsWith("-") && DEPTHS.has(program)) {
      if (VALUED.has(word)) at += 1;
    } else if (SUBCOMMAND.test(word) && (DEPTHS.has(program) || !/\d/.test(word))) {
      if (found.length === depth - 1 && LONGER.has(word)) most += 1;
      found.push(word);
    } else break;
  }
  return found;
}

function ruleOf(words: readonly string[], key: readonly string[]): string | undefined {
  const [program = ""] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const isPath = program.includes("/");
  if (NEVER.has(name) || (isPath && !/^(?:\.\/)?[\w./-]+$/.test(program))) return undefined;
  const isPlain = words.every((word) => /^[\w@%+=:,./~-]+$/.test(word));
  // Recursive `rm` deletes a whole tree in one go, however exactly the rule names it.
  if (name === "rm" && words.some((word) => /^-\w*[rR]|^--recursive/.test(word))) return undefined;
  if (BROAD.test(key.join(" ")) || (program === "git" && words.some((word) => FORCED.test(word))))
    return undefined;
  if (EXACT_ONLY.has(name)) return isPlain ? `Bash(${words.join(" ")})` : undefined;
  const needed = name === "xcrun" ? 3 : HARMLESS.has(name) ? 1 : 2;
  const isKnown = HARMLESS.has(name) || DEPTHS.has(program) || STARTERS.has(name) || INTERPRETERS.test(name);
  // Code on the command line, or a program with many commands and none of them named.
  if (!isKnown || key.length < needed || /^(?:-c|-e|--eval)$/.test(words[1] ?? "")) return undefined;
  return key.every((word) => /^[\w@%+=:./-]+$/.test(word)) ? `Bash(${key.join(" ")}:*)` : undefined;
}

/** Formats a command for reading; placeholders are not meant to be run as they are. */
export function showCommand(words: readonly string[]): string {
  return words.map((word) => (/[<>]/.test(word) && !/\s/.test(word) ? word : shellArgument(word))).join(" ");
}

/** Operands that mean the same on every machine. */
const EVERYWHERE = set(
  "origin upstream heroku main master develop HEAD . .. - -- / true false json yaml csv text table wide html xml markdown pdf all none auto always never latest stable patch minor major dev prod production staging test localhost utf-8 up down src dist docs tests GET POST PUT PATCH DELETE nginx apache2 postgresql redis cron pods pod deployments deployment services service nodes node namespaces namespace ingress jobs job cronjob events secret secrets configmap pvc replicaset statefulset daemonset artisan rspec apk appbundle ipa ios android web wheel sdist tags eng deu",
);
/** Programs whose options are words after a single dash. */
const ONE_DASH = set(
  "find exiftool gs ffmpeg ffprobe java javac keytool openssl magick convert identify mogrify terraform tofu go xcodebuild gradle mvn",
);
/** Short options that take a text, and what the text is. */
const TEXTS: Readonly<Record<string, string>> = {
  "-m": "message",
  "-am": "message",
  "-H": "header",
  "-F": "data",
  "-e": "code",
};
const VERBS = set(
  "mem ps forget run verify check test lint format validate migrate generate init install sign staple staple scan report convert render publish release serve start watch clean dump restore backup history plan info search fetch clone open close merge comment config seed reset rollback promote tail exec theme compile pack archive upload download index sort stats merge view align sync list describe create delete deploy update get set add remove login logs read run build submit ls cp mv sync rm show view edit start stop restart status apply diff up down push pull prune export import",
);

/**
 * Decides whether a word of a command is kept or replaced by its placeholder. The check is less strict for a program's
 * name; a "choice" is a public name: a subcommand, a package, one of the values that an option accepts.
 */
export type Show = (word: string, minimal: string, kind: "name" | "choice" | "word") => string;

/** Keeps a program with its subcommand and options and, of everything else, only what means the same everywhere. */
export function minimalCommand({ words, rule }: GeneralCommand, inputs: Inputs, show: Show): GeneralCommand {
  return describe(minimalWords(words, inputs, show), rule !== undefined);
}

function minimalWords(words: readonly string[], inputs: Inputs, show: Show): readonly string[] {
  const [program = "", second = "-"] = words;
  if (/^(?:sudo|doas|xargs|nohup|time)$/.test(program) && !second.startsWith("-"))
    return [program, ...minimalWords(words.slice(1), inputs, show)];
  const key = keyOf(words);
  const expected = key.slice(1);
  const isProgram = /[./]/.test(program) ? isOrdinaryPath(program) : isPublicName(program);
  const shown = [show(program, isProgram ? program : "<program>", /[./]/.test(program) ? "word" : "name")];
  const isInstall = INSTALLS.test(key.join(" ")) && !words.some((word) => /:\/\/|regist|index/.test(word));
  // `amtool config routes test`: ordinary words right after the program are its commands.
  let isCommand = !NO_SUBCOMMAND.has(program);
  for (const [index, word] of words.slice(1).entries()) {
    const flag = flagBefore(words, index + 1);
    // The word after an option may be its value: `vercel --scope kestrel deploy`.
    const isKey =
      word === expected[0] &&
      isSubcommand(key, key.length - expected.length) &&
      (flag === "" || isPublicName(word));
    if (isKey) expected.shift();
    isCommand &&= isKey || isOrdinaryCommand(word);
    const isPackage =
      isInstall && !isCommand && WITHOUT_VALUE.test(flag) && CHOICE.test(word) && isPublicName(word);
    const isChoice = isPackage || (isPublicName(program) && isOneOf(word, flag));
    const minimal =
      isKey || isCommand || isChoice
        ? word
        : minimalWord(word, { program, flag, key: key.join(" "), inputs });
    const isName = (isKey && !/[./]/.test(word)) || minimal.startsWith("https:");
    const kind = isName ? "name" : "word";
    shown.push(show(word, minimal, isChoice ? "choice" : kind));
  }
  return shown;
}

const isOrdinaryCommand = (word: string): boolean =>
  /^[a-z][a-z:-]{1,24}$/.test(word) && word.split(/[:-]/).every(isEveryday);

/** Installs packages of the public registries on the machine or into the project. */
export const INSTALLS: RegExp =
  /^(?:npm|yarn|pnpm|bun|pip3?|pipx|uv|poetry|cargo|gem|brew|apt|apt-get|dnf|tlmgr|composer|go|dotnet|conda) (?:tool )?(?:install|add|i|get|update|upgrade)\b/;
/** May come before a package; after any other option comes something that the user named: an environment, a folder. */
const WITHOUT_VALUE = /^(?:-[yDUgq])?$/;
/** Whether a name is public. A name that no table lists may belong to the user's company. */
const isPublicName = (word: string): boolean =>
  isKnownProgram(word) ||
  [HARMLESS, DEPTHS, STARTERS, LOOKS, EXACT_ONLY, VERBS].some((names) => names.has(word)) ||
  INTERPRETERS.test(word) ||
  isPublicWord(word) ||
  word.split(/[_:./+-]/).every(isPublicWord);
/** Options whose possible values are listed in the program's manual. */
const WITH_CHOICES =
  /^--?(?:[a-z]+[-_])*(?:format|type|mode|engine|executor|level|wrap|style|strategy|access|codec|method|algorithm|interaction|diff|encoding|arch|platform|compression|preset|color|colour|protocol|reporter|progress|visibility|loglevel|c:[vas])$/;
const CHOICE = /^[a-z][a-z\d]*(?:[_-][a-z\d]+)*$/;
/** Kinds of machines, keys and number types. */
const KINDS =
  /^(?:(?:x86_64|aarch64|armv7|i686|riscv64gc|wasm32)-[a-z\d_-]{2,40}|ed25519|rsa|(?:(?:u?int|float|bf|fp)\d{1,2}_?){1,2}|plain)$/;

/** Whether a word is one of the predefined values of an option. */
function isOneOf(word: string, flag: string): boolean {
  const [, option = flag, value = word] = /^(--?[a-z][\w-]{1,30})=(.*)$/s.exec(word) ?? [];
  if (option === "-o") return /^[A-Z][A-Za-z]{3,30}=(?:yes|no|\d{1,3})$/.test(value);
  return option !== "" && (KINDS.test(value) || (WITH_CHOICES.test(option) && CHOICE.test(value)));
}

/** Whether a word of the key is a subcommand of the program rather than a name that someone made up. */
function isSubcommand([program = "", ...rest]: readonly string[], at: number): boolean {
  const word = rest[at - 1] ?? "";
  if (word === "-m") return true;
  if (/[./]/.test(word)) return isOrdinaryPath(word) || isPublicName(word);
  if (isPublicName(word)) return true;
  if (STARTERS.has(program)) return at > 1 && isSubcommand(rest, at - 1);
  // The names of the tasks that these programs run come from the project.
  if (/\d/.test(word) || RUNS_TASKS.has(program)) return false;
  return at <= Math.min(2, DEPTHS.get(program) ?? 0);
}

const RUNS_TASKS = set(
  "make just rake nox tox invoke npm yarn pnpm bun composer deno gradle gradlew ./gradlew turbo nx lerna mise fastlane mix rails",
);

function minimalOption(word: string, program: string): string {
  const isName = /^--[a-z][A-Za-z]{0,40}(?:[-_][A-Za-z]{1,40}){0,6}$|^-[A-Za-z]{1,3}$|^-\d{1,2}$/.test(word);
  const isOneDash = ONE_DASH.has(program)
    ? /^-[a-z]+(?:[:_][a-z\d]+){0,3}$/.test(word)
    : /^-[a-z]+(?:-[a-z]+)*$/.test(word) && wordsIn(word).every(isEveryday);
  const isOption = isPublicName(program) || wordsIn(word).every(isEveryday);
  if (isOption && (isName || isOneDash)) return word;
  return /^-[A-Za-z]/.test(word) ? `${word.slice(0, 2)}<value>` : "<option>";
}

type Place = Readonly<Record<"program" | "flag" | "key", string>> & { readonly inputs: Inputs };

function minimalWord(word: string, at: Place): string {
  const { program, flag, key, inputs } = at;
  const [, option, value] = /^(--?[a-z][\w-]{1,30})=(.*)$/s.exec(word) ?? [];
  if (option !== undefined && value !== undefined)
    return `${option}=${minimalWord(value, { ...at, flag: option })}`;
  if (word.startsWith("-") && word.length > 2) return minimalOption(word, program);
  const text =
    /^--(message|title|body|notes|comment|description|data|header)$/.exec(flag)?.[1] ?? TEXTS[flag];
  if (text !== undefined && (/\s/.test(word) || !isOrdinaryPath(word))) return `<${text}>`;
  if (/^-?\w?$/.test(word) || EVERYWHERE.has(word) || (flag === "" && VERBS.has(word))) return word;
  const same = sameEverywhere(word, flag);
  if (same !== undefined) return same;
  const general = withoutInputs(word, inputs, (name) => `<${name}>`);
  if (general !== word)
    return /^(?:[a-z./:-]*<[a-z-]+>)+[a-z./:-]*$/.test(general)
      ? general
      : (/<[a-z-]+>/.exec(general)?.[0] ?? "<value>");
  if (isAmount(word, flag) || (/[/.]/.test(word) && isOrdinaryPath(word))) return word;
  const end = endOfPath(word, () => true);
  if (end === "") return `<${nameOf({ word, key, flag }) ?? "value"}>`;
  return end.startsWith("/") ? `<folder>${end}` : `<file>${end}`;
}

/** A number with its unit, or the value of an option that does not identify people or objects. */
const isAmount = (word: string, flag: string): boolean =>
  /^\d{1,2}%?$|^\d{1,4}(?:\.\d{1,2})?(?:ms|[smhd]|[kKMG](?:i?[bB])?|px|fps|mm|cm|dpi)$/.test(word) ||
  (/^\d{3}$/.test(word) &&
    /^--(?!.*\b(?:id|pin|port|number|no|user|room|account|code|pass\w*)\b)/.test(flag));

/** Formats, constants, languages, and paths at a public host. */
function sameEverywhere(word: string, flag: string): string | undefined {
  const isConstant = isEnding(word) || (/^[A-Z]{3,}$/.test(word) && isEveryday(word.toLowerCase()));
  const isLanguage = /^--(?:country|lang|language|locale)$/.test(flag) && /^[A-Za-z]{2}$/.test(word);
  if (flag !== "" && (isConstant || isLanguage)) return word;
  const [, start = "", host = ""] = /^(https:\/\/([\w.-]+))(?:\/|$)/.exec(word) ?? [];
  if (!isPublicHost(host)) return undefined;
  return isOrdinaryWord(word, isEveryday) ? word : `${start}/<path>`;
}

const READ_TOOLS: ReadonlyMap<string, string> = new Map(
  Object.entries({ read: "Read", grep: "Grep", glob: "Glob", ls: "Glob", websearch: "WebSearch" }),
);
const EDIT_TOOLS = set(
  "edit write multiedit notebookedit apply_patch write_file edit_file create_file str_replace",
);

/** What a tool call of any agent does: run a command line, edit files, look around, or call another tool. */
export type ReadCall =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "edit"; readonly files: readonly string[] }
  | { readonly kind: "look"; readonly tool: string }
  | { readonly kind: "other"; readonly tool: string };

export function readCall(tool: string, input: JsonObject): ReadCall {
  const name = canonicalTool(tool);
  const lower = tool.toLowerCase();
  const command = firstText(input, "command", "cmd");
  // Tools that run a command line may have any name. Tools that edit put an action in `command`, and have a `path`.
  if (command !== undefined && textOf(input, "path") === undefined) return { kind: "command", command };
  if (EDIT_TOOLS.has(name) || EDIT_TOOLS.has(lower)) {
    const path = firstText(input, "file_path", "path", "notebook_path", "file");
    const patch = firstText(input, "input", "patch") ?? "";
    const patched = Array.from(patch.matchAll(/^\*\*\* (?:Update|Add) File: (.+)$/gm), ([, file = ""]) =>
      file.trim(),
    );
    return { kind: "edit", files: path === undefined ? patched : [path] };
  }
  const look = READ_TOOLS.get(name) ?? READ_TOOLS.get(lower.replace(/_file$|_files$/, ""));
  return look === undefined ? { kind: "other", tool } : { kind: "look", tool: look };
}
