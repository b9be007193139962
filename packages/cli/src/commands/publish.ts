import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { resolveHome } from "@skillet/core";
import type { FetchContext, SigningKey, SkillToPublish } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { errorCode } from "@skillet/kit/errors";
import { shellArgument } from "@skillet/kit/text";
import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { deferredScan } from "../context/open-registry.ts";
import { openWorkspace } from "../context/open-workspace.ts";
import { pathKind } from "../context/output-file.ts";
import { recordDecision } from "../context/record-decision.ts";
import { readUserRules } from "../context/user-rules.ts";
import { showDigest, warnDiagnosticsOf } from "../hub/report-results.ts";
import { loadInstalling } from "../load-beside.ts";
import { diagnosticRow, printJson } from "../ui/json-document.ts";
import { createProgressLine } from "../ui/progress-bar.ts";
import { showPath, stripControl } from "../ui/text.ts";

/** What is published, and where. */
export interface PublishOptions {
  readonly paths: readonly string[];
  readonly site?: string;
  readonly oci?: string;
  readonly sign?: string;
  readonly tag?: string;
  readonly moveTag?: boolean;
  readonly newKey?: string;
  readonly dryRun?: boolean;
}

/** Packs skills and writes them into a static site, or pushes one to an OCI registry. */
export async function publish(context: CommandContext, options: PublishOptions): Promise<ExitCode> {
  const at = (path: string): string => resolve(context.workspace, path);
  checkOptions(options);
  if (options.newKey !== undefined) return writeNewKey(context, at(options.newKey));
  const fetching = await fetchContext(context);
  const { readSkillToPublish, readSigningKey } = loadInstalling();
  const key = options.sign === undefined ? undefined : await readSigningKey(at(options.sign));
  for (const path of options.paths) await checkOneSkill(path, at(path), fetching);
  const skills: SkillToPublish[] = [];
  for (const path of options.paths) skills.push(await readSkillToPublish(at(path), fetching));
  const diagnostics = await warnBlocked(
    context,
    skills.map((skill, index) => ({ ...skill, path: options.paths[index] ?? "" })),
  );
  const job = { skills, key, diagnostics, dryRun: options.dryRun ?? false };
  if (options.site !== undefined) return toSite(context, { ...job, directory: at(options.site) });
  return toRegistry(context, { ...job, ...options, reference: options.oci ?? "", fetching });
}

function checkOptions({ paths, site, oci, newKey, sign, tag, moveTag, dryRun }: PublishOptions): void {
  const places = [site, oci, newKey].filter((place) => place !== undefined).length;
  const isKey = newKey !== undefined;
  const faults: readonly (readonly [boolean, string])[] = [
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
  ];
  const fault = faults.find(([isFault]) => isFault);
  if (fault !== undefined) throw new CliError("usage", fault[1], { hints: ["See: skillet help publish"] });
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
  const glob = isFlat
    ? `; in most shells ${shellArgument(written.replace(/\/+$/, ""))}/* names all of them`
    : "";
  const more = rest > 0 ? ` and ${rest} more${glob}` : "";
  throw new CliError("publish-several", `${written} holds ${paths.length} skills and is none itself.`, {
    hints: [`Name the skills: ${paths.slice(0, MAX_NAMED).map(shellArgument).join(" ")}${more}`],
    details: { paths },
  });
}

const MAX_NAMED = 12;

async function fetchContext(context: CommandContext): Promise<FetchContext> {
  const { environment, terminal, json } = context;
  const { home } = resolveHome(environment);
  const { values } = await openWorkspace(context).config({ without: "project" });
  const hosts = values.find(({ key }) => key === "hub.privateHosts")?.value;
  const progress = createProgressLine({ terminal, json });
  return {
    home,
    environment,
    limits: loadInstalling().DEFAULT_HUB_LIMITS,
    allowedPrivateHosts: Array.isArray(hosts) ? hosts.filter((host) => typeof host === "string") : [],
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
  const rows = written.skills.map(({ name, type, digest, treeDigest, files }) => ({
    name,
    outcome: "published",
    type,
    digest: treeDigest,
    artefactDigest: digest,
    signed: key !== undefined,
    files,
  }));
  if (json) {
    printJson(terminal, {
      index: written.index,
      results: rows,
      diagnostics: [...job.diagnostics, ...written.diagnostics].map(diagnosticRow),
    });
    return 0;
  }
  warnDiagnosticsOf(context, written.diagnostics);
  for (const { name, digest, signed } of rows)
    terminal.print(
      `${terminal.colours.green("✓")} ${stripControl(name)}  ${showDigest(digest)}${signed ? "  signed" : ""}`,
    );
  terminal.print(
    `Serve ${showPath(directory, environment)} with any web server; the index is ${showPath(written.index, environment)}`,
  );
  return 0;
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
  const { terminal, json, workspace, environment } = context;
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
  if (json)
    printJson(terminal, {
      results: [
        {
          name: skill.name,
          outcome: "published",
          source: to,
          resolved,
          digest: treeDigest,
          signed: signature !== undefined,
        },
      ],
      diagnostics: job.diagnostics.map(diagnosticRow),
    });
  else {
    terminal.print(
      `${terminal.colours.green("✓")} ${stripControl(skill.name)}  ${showDigest(treeDigest)}${signature === undefined ? "" : "  signed"}`,
    );
    terminal.print(`Install it: skillet install ${stripControl(to)}`);
  }
  return 0;
}

function tellDryRun(
  { terminal, json }: CommandContext,
  { skills, diagnostics }: Pick<Job, "skills" | "diagnostics">,
  to: string,
): ExitCode {
  const rows = skills.map(({ name, files, version }) => ({
    name,
    outcome: "published",
    ...(version !== undefined && { version }),
    files: files.map(({ path }) => path),
  }));
  if (json)
    printJson(terminal, { dryRun: true, to, results: rows, diagnostics: diagnostics.map(diagnosticRow) });
  else {
    for (const { name, files } of rows)
      terminal.print(`  ${stripControl(name)}: ${stripControl(files.join(", "))}`);
    terminal.print(`Nothing was published to ${stripControl(to)}: this was a dry run.`);
  }
  return 0;
}

async function record(
  { environment }: CommandContext,
  { name, digest, to }: { readonly name: string; readonly digest: `sha256:${string}`; readonly to: string },
): Promise<void> {
  const { home } = resolveHome(environment);
  await recordDecision(home, { action: "publish", skill: name, path: to, digest, decision: "allow" });
}

/** Makes a signing key in a file that is its owner's alone; one that is there is never replaced. */
export async function writeNewKey(
  { terminal, environment, json }: CommandContext,
  file: string,
): Promise<ExitCode> {
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
  if (json) printJson(terminal, { file, id: key.id, publicKey });
  else {
    terminal.print(`Wrote a new key to ${showPath(file, environment)}; keep it secret, and keep a copy.`);
    terminal.print(`  public  ${publicKey}`);
    terminal.print(`  id      ${key.id}`);
  }
  return 0;
}

/**
 * Scans what is to be published, and says which of it installers will be kept from; that is no reason not to publish.
 *
 * What was said comes back, for a document.
 */
export async function warnBlocked(
  context: CommandContext,
  skills: readonly (Pick<SkillToPublish, "name" | "files"> & { readonly path: string })[],
): Promise<readonly Diagnostic[]> {
  const { home } = resolveHome(context.environment);
  const { values } = await openWorkspace(context).config({ without: "project" });
  const packs = values.find(({ key }) => key === "scan.rules")?.value;
  const scan = deferredScan(await readUserRules({ home, packs: strings(packs) }));
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

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
