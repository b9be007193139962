import { type Command, InvalidArgumentError, Option } from "commander";
import { helpExamples, type RunCommand } from "./program.ts";

/** Adds the commands that install, update, verify, remove and publish skills. */
export function defineHub(program: Command, run: RunCommand): void {
  defineInstall(program, run);
  defineUpdate(program, run);
  defineRemove(program, run);
  defineLooks(program, run);
  defineRollback(program, run);
  definePins(program, run);
  defineAllow(program, run);
  defineAudit(program, run);
  definePublish(program, run);
}

const PROJECT = "the project's skills and skillet.lock, instead of yours";

function defineInstall(program: Command, run: RunCommand): void {
  program
    .command("install")
    .alias("add")
    .summary("install skills, after a scan and a yes")
    .description(
      "Install skills or a plugin from a source: fetch, check, scan, show, and on a yes place and lock them. Without a source, install exactly what the lock says.",
    )
    .argument(
      "[source]",
      "OWNER/REPO, OWNER/REPO#REF, OWNER/REPO@SKILL, a git or web URL, ./FOLDER, an archive, npm:NAME, or oci://REFERENCE",
    )
    .option("--ref <ref>", "a branch, tag, commit or version")
    .option("--name <name>", "install it under another name")
    .addOption(repeatable("--skill <name>", "this skill or plugin of the source (repeatable)"))
    .option("--all", "every skill of the source")
    .option("--project", "into the project, for everybody who works on it, instead of for you")
    .addOption(commaList("--agent <ids>", "also for these agents, such as claude-code,codex (repeatable)"))
    .option("--copy", "copy it for other agents instead of linking it")
    .option("--link", "use a folder of this machine in place")
    .option("--frozen", "exactly what the lock says, without questions; any deviation ends with 1")
    .option("--import <file>", "install what a skills-lock.json or .skill-lock.json lists")
    .option("--skills-lock", "with --project: also write skills-lock.json")
    .option("--discard", "without a source: put back what the lock says where files were edited")
    .option("--force", "go ahead despite scan warnings, where they can be overridden")
    .option("--accept-capabilities", "yes to what a new version can do that the old one could not")
    .option("--tools", "also install commands that skills need and this machine lacks, as shown")
    .option("-y, --yes", "do not ask the plain question; blocks and warnings stay")
    .option("--dry-run", "show everything, write nothing")
    .addHelpText(
      "after",
      helpExamples(
        "skillet install anthropics/skills@pdf",
        "skillet install ./skills --skill deploy --project",
        "skillet install --frozen --project",
      ),
    )
    .action((source, options) =>
      run(async (context) =>
        (await import("../commands/install.ts")).install(context, {
          ...options,
          ...(source !== undefined && { source }),
        }),
      ),
    );
}

function defineUpdate(program: Command, run: RunCommand): void {
  program
    .command("update")
    .summary("bring installed skills up to date")
    .description(
      "Show what newer versions change and what they could not do before, and on a yes install them; all of them, or none.",
    )
    .argument("[name...]", "only these; all unless given")
    .option("--project", PROJECT)
    .option("--keep", "leave skills alone that were edited, and update the others")
    .option("--discard", "replace skills although they were edited")
    .option("--keep-going", "update the others where one cannot be updated, and end with 1")
    .option("--accept-capabilities", "yes to what new versions can do that old ones could not")
    .option("--force", "go ahead despite scan warnings, where they can be overridden")
    .option("--tools", "also install commands that skills need and this machine lacks, as shown")
    .option("-y, --yes", "do not ask the plain question; blocks and warnings stay")
    .option("--dry-run", "show everything, write nothing")
    .addHelpText("after", helpExamples("skillet update", "skillet update pdf --dry-run"))
    .action((names, options) =>
      run(async (context) => (await import("../commands/update.ts")).update(context, { ...options, names })),
    );
}

function defineRemove(program: Command, run: RunCommand): void {
  program
    .command("remove")
    .aliases(["uninstall", "rm"])
    .summary("remove installed skills")
    .description("Remove installed skills from every folder they were placed in.")
    .argument("<name...>", "what to remove")
    .option("--project", PROJECT)
    .option("--discard", "also where files were edited")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "show what would go, remove nothing")
    .addHelpText("after", helpExamples("skillet remove pdf"))
    .action((names, options) =>
      run(async (context) => (await import("../commands/remove.ts")).remove(context, { ...options, names })),
    );
}

function defineLooks(program: Command, run: RunCommand): void {
  program
    .command("outdated")
    .summary("say which installed skills have newer versions")
    .description("Ask the sources of installed skills for newer versions; nothing is changed.")
    .argument("[name...]", "only these; all unless given")
    .option("--project", PROJECT)
    .option("--exit-code", "end with 1 where something is outdated or cannot be asked about")
    .addHelpText("after", helpExamples("skillet outdated", "skillet outdated --project --exit-code"))
    .action((names, options) =>
      run(async (context) =>
        (await import("../commands/outdated.ts")).outdated(context, { ...options, names }),
      ),
    );
  program
    .command("verify")
    .summary("check installed skills against the lock")
    .description(
      "Hash what is on disk, and name every file that is not as the lock says; nothing is changed.",
    )
    .argument("[name...]", "only these; all unless given")
    .option("--project", PROJECT)
    .addHelpText("after", helpExamples("skillet verify", "skillet verify --project --json"))
    .action((names, options) =>
      run(async (context) => (await import("../commands/verify.ts")).verify(context, { ...options, names })),
    );
  program
    .command("history")
    .summary("list the versions that an installed skill had")
    .description("List the versions that a skill had, oldest first, as the audit log tells them.")
    .argument("<name>", "an installed skill")
    .option("--project", PROJECT)
    .addHelpText("after", helpExamples("skillet history pdf"))
    .action((name, options) =>
      run(async (context) => (await import("../commands/history.ts")).history(context, { ...options, name })),
    );
}

function defineRollback(program: Command, run: RunCommand): void {
  program
    .command("rollback")
    .summary("go back to an earlier version of a skill")
    .description("Go back to the version before the installed one; it is scanned and decided about anew.")
    .argument("<name>", "an installed skill")
    .option("--to <id>", "the version to go to: a digest, commit or version as `skillet history` shows it")
    .option("--project", PROJECT)
    .option("--discard", "replace the skill although it was edited")
    .option("--accept-capabilities", "yes to what that version can do that the installed one cannot")
    .option("--force", "go ahead despite scan warnings, where they can be overridden")
    .option("-y, --yes", "do not ask the plain question; blocks and warnings stay")
    .option("--dry-run", "show everything, write nothing")
    .addHelpText("after", helpExamples("skillet rollback pdf"))
    .action((name, options) =>
      run(async (context) =>
        (await import("../commands/rollback.ts")).rollback(context, { ...options, name }),
      ),
    );
}

function definePins(program: Command, run: RunCommand): void {
  program
    .command("pin")
    .summary("keep updates away from a skill")
    .description("Keep updates away from a skill, with a reason that is shown whenever it is skipped.")
    .argument("<name>", "an installed skill")
    .requiredOption("--reason <text>", "why, for whoever wonders later")
    .option("--project", PROJECT)
    .addHelpText("after", helpExamples('skillet pin pdf --reason "2.0 breaks our forms"'))
    .action((name, options) =>
      run(async (context) => (await import("../commands/pin.ts")).pin(context, { ...options, name })),
    );
  program
    .command("unpin")
    .summary("let a skill be updated again")
    .description("Let a skill be updated again.")
    .argument("<name>", "a pinned skill")
    .option("--project", PROJECT)
    .addHelpText("after", helpExamples("skillet unpin pdf"))
    .action((name, options) =>
      run(async (context) => (await import("../commands/pin.ts")).unpin(context, { ...options, name })),
    );
}

function defineAllow(program: Command, run: RunCommand): void {
  program
    .command("allow")
    .summary("let the hooks or MCP servers of a plugin be used")
    .description(
      "Let the hooks or MCP servers of an installed plugin be used, besides what may be already; with neither, say what may be.",
    )
    .argument("<name>", "an installed plugin")
    .option("--hooks", "its hooks")
    .option("--mcp", "its MCP servers")
    .option("--none", "nothing of it any more")
    .option("--project", PROJECT)
    .addHelpText("after", helpExamples("skillet allow team-tools --mcp"))
    .action((name, options) =>
      run(async (context) => (await import("../commands/allow.ts")).allow(context, { ...options, name })),
    );
}

function defineAudit(program: Command, run: RunCommand): void {
  program
    .command("audit")
    .summary("show and verify the log of decisions")
    .description(
      "Show what was decided, newest last, and check that no record was changed, added or taken away; a broken log ends with 1.",
    )
    .option("--verify", "only check the log")
    .option("--skill <name>", "only what was decided about this skill")
    .addOption(
      new Option("--limit <number>", "show at most so many records (default: 20)").argParser((value) => {
        if (/^[1-9]\d{0,6}$/.test(value)) return Number(value);
        throw new InvalidArgumentError("It can be a whole number from 1 on.");
      }),
    )
    .option("--export-head <file>", "write the last record down, to be kept elsewhere")
    .option("--sign <keyfile>", "with --export-head: sign it")
    .option("--check-head <file>", "check that the log still holds everything up to a head that was kept")
    .option("--key <key>", "with --check-head: the public key that must have signed it, or its file")
    .addHelpText("after", helpExamples("skillet audit --skill pdf", "skillet audit --check-head head.json"))
    .action((options) =>
      run(async (context) => (await import("../commands/audit.ts")).audit(context, options)),
    );
}

function definePublish(program: Command, run: RunCommand): void {
  program
    .command("publish")
    .summary("publish skills to a static site or an OCI registry")
    .description(
      "Pack skills and write them into a folder that any web server serves, or push one to a registry.",
    )
    .argument("[path...]", "folders of skills to publish")
    .option("--site <dir>", "the folder that a web server serves")
    .option(
      "--oci <reference>",
      "a registry, a repository and a tag, such as registry.example.com/skills/pdf:1.0.0",
    )
    .option("--tag <tag>", "with --oci: the tag; otherwise the reference's, or the skill's version")
    .option("--move-tag", "with --oci: also where the tag names other bytes already")
    .option("--sign <keyfile>", "sign with this key")
    .option("--new-key <file>", "make a signing key, and publish nothing")
    .option("--dry-run", "show what would be published, write nothing")
    .addHelpText(
      "after",
      helpExamples("skillet publish skills/pdf --site public", "skillet publish --new-key publish.key"),
    )
    .action((paths, options) =>
      run(async (context) =>
        (await import("../commands/publish.ts")).publish(context, { ...options, paths }),
      ),
    );
}

function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, previous: readonly string[] = []) => [
    ...previous,
    value,
  ]);
}

function commaList(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, previous: readonly string[] = []) => [
    ...previous,
    ...value
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  ]);
}
