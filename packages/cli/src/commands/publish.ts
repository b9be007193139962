import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { resolveHome } from "@skillet/core";
import type { FetchContext, SigningKey, SkillToPublish } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { errorCode } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { CliError, refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { deferredScan } from "../context/open-registry.ts";
import { ownList } from "../context/open-workspace.ts";
import { pathKind } from "../context/output-file.ts";
import { recordDecision } from "../context/record-decision.ts";
import { readUserRules } from "../context/user-rules.ts";
import { showDigest, warnDiagnosticsOf } from "../hub/report-results.ts";
import { loadInstalling } from "../load-beside.ts";
import { createProgressLine } from "../ui/progress-bar.ts";
import type { Layout } from "../ui/terminal.ts";
import { showPath, stripControl } from "../ui/text.ts";

interface PublishOptions extends Flags<"moveTag" | "dryRun"> {
  readonly paths: readonly string[];
  readonly site?: string;
  readonly oci?: string;
  readonly sign?: string;
  readonly tag?: string;
  readonly newKey?: string;
}

export async function publish(context: CommandContext, options: PublishOptions): Promise<ExitCode> {
  const { paths, site, oci, newKey, sign, tag, moveTag, dryRun } = options;
  const at = (path: string): string => resolve(context.workspace, path);
  const places = [site, oci, newKey].filter((place) => place !== undefined).length;
  const isKey = newKey !== undefined;
  refuseUsage("publish", [
    [places > 1, "--site, --oci and --new-key do not go together: publish to one place at a time."],
    [
      places === 0,
      "Say where to publish with --site DIR or --oci REFERENCE, or make a key with --new-key FILE.",
    ],
    [
      isKey && (paths.length > 0 || (sign ?? tag ?? moveTag ?? dryRun) !== undefined),
      "--new-key makes a key and publishes nothing, so it stands alone.",
    ],
    [!isKey && paths.length === 0, "Name the folder of the skill to publish."],
    [
      oci !== undefined && paths.length > 1,
      "A reference of a registry names one skill; publish them one by one.",
    ],
    [site !== undefined && (tag ?? moveTag) !== undefined, "--tag and --move-tag go with --oci."],
  ]);
  if (isKey) return writeNewKey(context, at(newKey));
  const fetching = await fetchContext(context);
  const { readSkillToPublish, readSigningKey } = loadInstalling();
  const key = sign === undefined ? undefined : await readSigningKey(at(sign));
  for (const path of paths) await checkOneSkill(path, at(path), fetching);
  const skills: SkillToPublish[] = [];
  for (const path of paths) skills.push(await readSkillToPublish(at(path), fetching));
  const diagnostics = await warnBlocked(
    context,
    skills.map((skill, index) => ({ ...skill, path: paths[index] ?? "" })),
  );
  const job = { skills, key, diagnostics, dryRun: dryRun ?? false };
  if (site !== undefined) return toSite(context, { ...job, directory: at(site) });
  return toRegistry(context, { ...options, ...job, reference: oci ?? "", fetching });
}

/** Ends a command that names a folder of skills instead of a skill: which of them is meant, nobody knows. */
async function checkOneSkill(written: string, folder: string, fetching: FetchContext): Promise<void> {
  // What is no folder, or is a skill, is read as one, which then says why it cannot be.
  if (pathKind(folder) !== "folder" || existsSync(join(folder, "SKILL.md"))) return;
  const found = await loadInstalling().findSkillsBelow(folder, fetching);
  const paths = found.map((name) => join(written, name));
  if (paths.length === 0) return;
  const rest = paths.length - MAX_NAMED;
  const isFlat = found.every((name) => !name.includes("/"));
  const folderGlob = `${shellArgument(written.replace(/\/+$/, ""))}/*`;
  const glob = isFlat ? `; in most shells ${folderGlob} names all of them` : "";
  const more = rest > 0 ? ` and ${rest} more${glob}` : "";
  throw new CliError(
    "publish-several",
    `${written} holds ${paths.length} skills and is not a skill itself.`,
    {
      hints: [`Name the skills: ${paths.slice(0, MAX_NAMED).map(shellArgument).join(" ")}${more}`],
      details: { paths },
    },
  );
}

const MAX_NAMED = 12;

async function fetchContext(context: CommandContext): Promise<FetchContext> {
  const { environment } = context;
  const progress = createProgressLine(context);
  return {
    home: resolveHome(environment).home,
    environment,
    limits: loadInstalling().DEFAULT_HUB_LIMITS,
    allowedPrivateHosts: await ownList(context, "hub.privateHosts"),
    onStep: (step) => {
      if (step.step === "fetch") progress.show(step);
    },
  };
}

interface Job {
  readonly skills: readonly SkillToPublish[];
  readonly key: SigningKey | undefined;
  /** What was odd about the skills, told already unless a document is printed. */
  readonly diagnostics: readonly Diagnostic[];
  readonly dryRun: boolean;
}

async function toSite(context: CommandContext, job: Job & { readonly directory: string }): Promise<ExitCode> {
  const { terminal, environment, json } = context;
  const { skills, key, directory } = job;
  if (job.dryRun) return tellDryRun(context, job, directory);
  const written = await loadInstalling().writeSite({ skills, directory, ...(key && { key }) });
  for (const { name, treeDigest } of written.skills)
    await record(context, { name, digest: treeDigest, to: directory });
  const { index } = written;
  const signed = key !== undefined;
  const results = written.skills.map(({ name, type, digest, treeDigest, files }) => ({
    ...{ name, outcome: "published", type, digest: treeDigest, artefactDigest: digest, signed, files },
  }));
  const diagnostics = [...job.diagnostics, ...written.diagnostics];
  if (!json) warnDiagnosticsOf(context, written.diagnostics);
  return answer(context, { index, results, diagnostics }, () => [
    ...results.map((row) => publishedLine(terminal, row)),
    `Serve ${showPath(directory, environment)} with any web server; the index is ${showPath(index, environment)}`,
  ]);
}

function publishedLine(
  { colours }: Layout,
  { name, digest, signed }: { readonly name: string; readonly digest: string; readonly signed: boolean },
): string {
  return `${colours.green("✓")} ${stripControl(name)}  ${showDigest(digest)}${signed ? "  signed" : ""}`;
}

async function toRegistry(
  context: CommandContext,
  job: Job & {
    readonly reference: string;
    readonly fetching: FetchContext;
    readonly tag?: string;
    readonly moveTag?: boolean;
  },
): Promise<ExitCode> {
  const { workspace, environment } = context;
  const { skills, key, fetching, moveTag = false } = job;
  const [skill] = skills;
  const { parseSource, pushOci, showSource } = loadInstalling();
  const { userHome } = resolveHome(environment);
  const text = job.reference.startsWith("oci://") ? job.reference : `oci://${job.reference}`;
  const source = parseSource(text, { workspace, userHome });
  const tag = job.tag ?? (source.kind === "oci" ? source.tag : undefined) ?? skill?.version;
  if (skill === undefined || source.kind !== "oci" || source.digest !== undefined || tag === undefined)
    throw new CliError("usage", `${job.reference} does not say which tag to write.`, {
      hints: ["Write it like registry.example.com/skills/pdf:1.0.0, or pass --tag TAG."],
    });
  const { registry, repository } = source;
  if (job.dryRun) return tellDryRun(context, job, showSource({ ...source, tag }));
  const pushed = await pushOci({
    skill,
    place: { registry, repository },
    tag,
    context: fetching,
    existingTag: moveTag ? "move" : "refuse",
    ...(key && { key }),
  });
  const to = showSource({ ...source, tag });
  await record(context, { name: skill.name, digest: pushed.treeDigest, to });
  const { resolved, treeDigest, signature } = pushed;
  const { name } = skill;
  const signed = signature !== undefined;
  const result = { name, outcome: "published", source: to, resolved, digest: treeDigest, signed };
  return answer(context, { results: [result], diagnostics: job.diagnostics }, () => [
    publishedLine(context.terminal, result),
    `Install it: skillet install ${stripControl(to)}`,
  ]);
}

function tellDryRun(
  context: CommandContext,
  { skills, diagnostics }: Pick<Job, "skills" | "diagnostics">,
  to: string,
): ExitCode {
  const results = skills.map(({ name, files, version }) => ({
    ...{ name, outcome: "published", ...(version !== undefined && { version }) },
    files: files.map(({ path }) => path),
  }));
  return answer(context, { dryRun: true, to, results, diagnostics }, () => [
    ...results.map(({ name, files }) => `  ${stripControl(name)}: ${stripControl(files.join(", "))}`),
    `Nothing was published to ${stripControl(to)}: this was a dry run.`,
  ]);
}

async function record(
  { environment }: CommandContext,
  { name, digest, to }: { readonly name: string; readonly digest: `sha256:${string}`; readonly to: string },
): Promise<void> {
  const { home } = resolveHome(environment);
  await recordDecision(home, { action: "publish", skill: name, path: to, digest, decision: "allow" });
}

/** Makes a signing key in a file that is its owner's alone; one that is there is never replaced. */
async function writeNewKey(context: CommandContext, file: string): Promise<ExitCode> {
  const { createKey, formatPrivateKey, formatPublicKey } = loadInstalling();
  const key = createKey();
  try {
    await writeFile(file, formatPrivateKey(key), { flag: "wx", mode: 0o600 });
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const why =
      code === "EEXIST"
        ? "there is a file already, and keys are never replaced"
        : `it cannot be written (${code})`;
    throw new CliError("key-not-written", `No key was made in ${file}: ${why}.`, {
      hints: ["Name another file."],
      details: { file, errno: code },
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

/**
 * Scans what is to be published, and says which of it installers will be kept from; that is no reason not to publish.
 *
 * What was said comes back, for a document.
 */
async function warnBlocked(
  context: CommandContext,
  skills: readonly (Pick<SkillToPublish, "name" | "files"> & { readonly path: string })[],
): Promise<readonly Diagnostic[]> {
  const { home } = resolveHome(context.environment);
  const packs = await ownList(context, "scan.rules");
  const scan = deferredScan(await readUserRules({ home, packs }));
  const diagnostics: Diagnostic[] = [];
  for (const { name, files, path } of skills) {
    const { verdict, findings } = await scan.run(files, {});
    if (verdict !== "dangerous") continue;
    const [worst] = findings;
    const why =
      worst === undefined ? "" : ` (${worst.rule} in ${worst.file}:${worst.line}: ${worst.message})`;
    diagnostics.push({
      code: "publish-dangerous",
      severity: "warning",
      message: `${name} is dangerous to the scan${why}: whoever installs it will be blocked.`,
      file: `${name}/${worst?.file ?? "SKILL.md"}`,
      hint: `Look at what was found: skillet scan ${shellArgument(path)}`,
    });
  }
  warnDiagnosticsOf(context, diagnostics);
  return diagnostics;
}
