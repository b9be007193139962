import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { resolveHome } from "@skillet/core";
import type { FetchContext, SigningKey, SkillToPublish } from "@skillet/hub";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { errorCode } from "@skillet/kit/errors";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { CliError, refuseUsage, usageError } from "../context/cli-error.ts";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type Flags,
  type Texts,
} from "../context/command-context.ts";
import { openScan } from "../context/open-registry.ts";
import { ownConfig } from "../context/open-workspace.ts";
import { pathKind } from "../context/output-file.ts";
import { recordDecision } from "../context/record-decision.ts";
import { showDigest, warnDiagnosticsOf } from "../hub/report-results.ts";
import { loadInstalling } from "../load-beside.ts";
import { createProgressLine } from "../ui/progress-bar.ts";
import { showPath, stripControl } from "../ui/text.ts";

interface PublishOptions
  extends Flags<"moveTag" | "dryRun">,
    Texts<"site" | "oci" | "sign" | "tag" | "newKey"> {
  readonly paths: readonly string[];
}

export async function publish(context: CommandContext, options: PublishOptions): Promise<ExitCode> {
  const { paths, site, oci, newKey, sign, tag, moveTag, dryRun } = options;
  const at = (path: string): string => resolve(context.workspace, path);
  const places = [site, oci, newKey].filter((place) => place !== undefined).length;
  const isKey = newKey !== undefined;
  refuseUsage("publish", [
    [places > 1, "--site, --oci and --new-key cannot be combined: publish to one place at a time."],
    [
      places === 0,
      "Say where to publish with --site DIR or --oci REFERENCE, or make a key with --new-key FILE.",
    ],
    [
      isKey && (paths.length > 0 || (sign ?? tag ?? moveTag ?? dryRun) !== undefined),
      "--new-key makes a key and publishes nothing, so it cannot be combined with anything else.",
    ],
    [!isKey && paths.length === 0, "Name the folder of the skill or Agent Plugin to publish."],
    [
      oci !== undefined && paths.length > 1,
      "A reference of a registry names one skill; publish them one by one.",
    ],
    [site !== undefined && (tag ?? moveTag) !== undefined, "--tag and --move-tag need --oci."],
  ]);
  if (isKey) return writeNewKey(context, at(newKey));
  const fetching = await fetchContext(context);
  const { readSkillToPublish, readSigningKey } = loadInstalling();
  const key = sign === undefined ? undefined : await readSigningKey(at(sign));
  for (const path of paths) await checkOneSkill(path, at(path), fetching);
  const skills: SkillToPublish[] = [];
  for (const path of paths) skills.push(await readSkillToPublish(at(path), fetching));
  const job = { skills, key, diagnostics: await warnBlocked(context, skills, paths), options, fetching };
  return site === undefined ? toRegistry(context, job, oci ?? "") : toSite(context, job, at(site));
}

interface Job {
  readonly skills: readonly SkillToPublish[];
  readonly key: SigningKey | undefined;
  /** Already shown as warnings, unless JSON is printed. */
  readonly diagnostics: readonly Diagnostic[];
  readonly options: PublishOptions;
  readonly fetching: FetchContext;
}

const MAX_NAMED = 12;

async function checkOneSkill(written: string, folder: string, fetching: FetchContext): Promise<void> {
  // Anything else is read as a skill, and that reports why it is not one.
  if (pathKind(folder) !== "folder" || existsSync(join(folder, "SKILL.md"))) return;
  const found = await loadInstalling().findSkillsBelow(folder, fetching);
  const paths = found.map((name) => join(written, name));
  if (paths.length === 0) return;
  const isFlat = found.every((name) => !name.includes("/"));
  const folderGlob = `${shellArgument(written.replace(/\/+$/, ""))}/*`;
  const glob = isFlat ? `; in most shells ${folderGlob} names all of them` : "";
  const more = paths.length > MAX_NAMED ? glob : "";
  const message = `${written} holds ${paths.length} skills and is not a skill itself.`;
  const hints = [`Name the skills: ${listFirst(paths.map(shellArgument), MAX_NAMED, " ")}${more}`];
  throw new CliError("publish-several", message, { hints, details: { paths } });
}

async function fetchContext(context: CommandContext): Promise<FetchContext> {
  const { environment } = context;
  const progress = createProgressLine(context);
  return {
    home: resolveHome(environment).home,
    environment,
    limits: loadInstalling().DEFAULT_HUB_LIMITS,
    allowedPrivateHosts: (await ownConfig(context)).hub.privateHosts,
    onStep: (step) => {
      if (step.step === "fetch") progress(step);
    },
  };
}

async function warnBlocked(
  context: CommandContext,
  skills: readonly SkillToPublish[],
  paths: readonly string[],
): Promise<readonly Diagnostic[]> {
  const { home } = resolveHome(context.environment);
  const scan = await openScan(home, (await ownConfig(context)).scan.rules);
  const diagnostics: Diagnostic[] = [];
  for (const [index, { name, files, skillFolders }] of skills.entries()) {
    const { verdict, findings } = await scan.run(files, skillFolders ? { skillFolders } : {});
    if (verdict !== "dangerous") continue;
    const [worst] = findings;
    const why = worst && ` (${worst.rule} in ${worst.file}:${worst.line}: ${worst.message})`;
    const message = `The scan calls ${name} dangerous${why ?? ""}, so everyone who installs it will be blocked.`;
    const hint = `Look at what was found: skillet scan ${shellArgument(paths[index] ?? "")}`;
    const file = `${name}/${worst?.file ?? "SKILL.md"}`;
    diagnostics.push(diagnostic("warning", "publish-dangerous", file, message, hint));
  }
  warnDiagnosticsOf(context, diagnostics);
  return diagnostics;
}

async function toSite(context: CommandContext, job: Job, directory: string): Promise<ExitCode> {
  const { environment } = context;
  const { skills, key } = job;
  if (job.options.dryRun === true) return tellDryRun(context, job, directory);
  const written = await loadInstalling().writeSite({ skills, directory, ...(key && { key }) });
  for (const { name, treeDigest: digest } of written.skills)
    await recordPublished(context, { skill: name, digest, path: directory });
  const { index } = written;
  const signed = key !== undefined;
  const results = written.skills.map(({ name, type, digest, treeDigest, files }) => ({
    name,
    outcome: "published",
    type,
    digest: treeDigest,
    artefactDigest: digest,
    signed,
    files,
  }));
  warnDiagnosticsOf(context, written.diagnostics);
  const diagnostics = [...job.diagnostics, ...written.diagnostics];
  return answer(context, { index, results, diagnostics }, () => [
    ...results.map((row) => publishedLine(context, row)),
    `Serve ${showPath(directory, environment)} with any web server; the index is ${showPath(index, environment)}`,
  ]);
}

async function toRegistry(context: CommandContext, job: Job, reference: string): Promise<ExitCode> {
  const { skills, key, fetching, options, diagnostics } = job;
  const [skill] = skills;
  const { parseSource, pushOci, showSource } = loadInstalling();
  const { userHome } = resolveHome(context.environment);
  const text = reference.startsWith("oci://") ? reference : `oci://${reference}`;
  const source = parseSource(text, { workspace: context.workspace, userHome });
  const tag = options.tag ?? (source.kind === "oci" ? source.tag : undefined) ?? skill?.version;
  if (skill === undefined || source.kind !== "oci" || source.digest !== undefined || tag === undefined)
    throw usageError(
      "publish",
      `${reference} does not say which tag to write.`,
      "Write it like registry.example.com/skills/pdf:1.0.0, or pass --tag TAG.",
    );
  const { registry, repository } = source;
  const to = showSource({ ...source, tag });
  if (options.dryRun === true) return tellDryRun(context, job, to);
  const { resolved, treeDigest, signature } = await pushOci({
    skill,
    place: { registry, repository },
    tag,
    context: fetching,
    existingTag: options.moveTag === true ? "move" : "refuse",
    ...(key && { key }),
  });
  const { name } = skill;
  await recordPublished(context, { skill: name, digest: treeDigest, path: to });
  const signed = signature !== undefined;
  const result = { name, outcome: "published", source: to, resolved, digest: treeDigest, signed };
  return answer(context, { results: [result], diagnostics }, () => [
    publishedLine(context, result),
    `Install it: skillet install ${stripControl(to)}`,
  ]);
}

function publishedLine(
  { terminal }: CommandContext,
  { name, digest, signed }: { readonly name: string; readonly digest: string; readonly signed: boolean },
): string {
  const mark = terminal.colours.green("✓");
  return `${mark} ${stripControl(name)}  ${showDigest(digest)}${signed ? "  signed" : ""}`;
}

function tellDryRun(context: CommandContext, { skills, diagnostics }: Job, to: string): ExitCode {
  const results = skills.map(({ name, files, version }) => ({
    name,
    outcome: "published",
    version,
    files: files.map(({ path }) => path),
  }));
  return answer(context, { dryRun: true, to, results, diagnostics }, () => [
    ...results.map(({ name, files }) => `  ${stripControl(name)}: ${stripControl(files.join(", "))}`),
    `Nothing was published to ${stripControl(to)}: this was a dry run.`,
  ]);
}

function recordPublished(
  { environment }: CommandContext,
  record: { readonly skill: string; readonly digest: `sha256:${string}`; readonly path: string },
): Promise<void> {
  const { home } = resolveHome(environment);
  return recordDecision(home, { action: "publish", ...record, decision: "allow" });
}

/** Writes a new signing key to a file that only its owner can read; never replaces an existing file. */
async function writeNewKey(context: CommandContext, file: string): Promise<ExitCode> {
  const { createKey, formatPrivateKey, formatPublicKey } = loadInstalling();
  const key = createKey();
  try {
    await writeFile(file, formatPrivateKey(key), { flag: "wx", mode: 0o600 });
  } catch (error) {
    const errno = errorCode(error);
    if (errno === undefined) throw error;
    const why =
      errno === "EEXIST"
        ? "there is a file already, and keys are never replaced"
        : `it cannot be written (${errno})`;
    throw new CliError("key-not-written", `No key was made in ${file}: ${why}.`, {
      hints: ["Name another file."],
      details: { file, errno },
    });
  }
  const publicKey = formatPublicKey(key);
  const { id } = key;
  return answer(context, { file, id, publicKey }, () => [
    `Wrote a new key to ${showPath(file, context.environment)}; keep it secret, and keep a copy.`,
    `  public  ${publicKey}`,
    `  id      ${id}`,
  ]);
}
