import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HAS_GIT } from "../cli/git-repository.ts";
import { skillText } from "../cli/sandbox.ts";
import { createMachine, HOSTILE } from "./place.ts";
import { HAS_TMUX } from "./terminal.ts";

describe.skipIf(!HAS_TMUX || !HAS_GIT)(
  "the first hour on a terminal: install, scan, run and clean up",
  () => {
    test("installing: nothing is ticked before it is done, and what is there already is left alone", async () => {
      const { run, home } = await createMachine();
      const listed = await run("skillet install $TEAM --list");
      for (const name of ["pdf", "postgres", "steal"]) expect(listed.text).toContain(` ${name} `);
      const { text, exitCode } = await run("skillet install $TEAM#v1.0.0 --skill pdf --skill postgres --yes");
      expect(exitCode).toBe(0);
      expect(text).toMatch(/^→ postgres .*✓ postgres installed/);
      expect(text).toContain("○ pdf unchanged It is there already, byte for byte");
      expect(text).toContain("Read by Claude Code, Codex, Gemini CLI");
      expect(readdirSync(join(home, ".claude/skills"))).toContain("postgres");
      expect((await run("skillet validate ~/.claude/skills")).text).toBe("✓ 4 skills, all valid");
      const all = await run("skillet install $TEAM --all --yes");
      expect(all.exitCode).toBe(1);
      expect(all.text).toContain("Nothing was changed, because of kubernetes, steal.");
      expect(all.text).not.toContain("✓");
      const rest = await run("skillet install $TEAM --all --yes --keep-going --skip-existing");
      expect(rest.text).toMatch(/Done: .*deploy, .*report\. Not done: steal\./);
      const bare = await run("skillet install $TEAM --skill bare --name bare-2 --dry-run --yes");
      expect(bare.text).toContain("bare/SKILL.md:1:1");
    });

    test("installing: an update is shown file by file, and does what its dry run said", async () => {
      const { run, skillet, team } = await createMachine();
      await skillet(["install", team.url, "--skill", "postgres", "--skill", "report", "--yes"]);
      team.commit({
        "skills/postgres/SKILL.md": `${skillText("postgres")}\nAsk before a table is changed.\n`,
        "skills/report/SKILL.md": HOSTILE.replaceAll("steal", "report"),
      });
      const changes = await run("skillet diff postgres");
      expect(changes.lines.join("\n")).toMatch(/^ *\+Ask before a table is changed\.$/m);
      for (const how of ["--dry-run", "--yes"]) {
        const { text } = await run(`skillet update ${how}`);
        expect(text).toContain("✗ report blocked");
        expect(text).toContain("report cannot be updated, and version");
        expect(text).toMatch(/postgres (would be )?updated/);
      }
      expect((await run("skillet pin postgres")).exitCode).toBe(0);
      const removed = await run("skillet remove postgres notion --yes");
      expect(removed.text).toContain("Nothing was removed. To remove what can be removed:");
      const rest = await run("skillet remove postgres notion --yes --keep-going");
      expect(rest.text).toContain("Done: postgres. Not done: notion.");
    });

    test("installing: enter with nothing ticked and text typed ahead install nothing", async () => {
      const { run, home } = await createMachine();
      const none = await run("skillet install $TEAM", [["search:", "\r"]]);
      expect(none.text).toContain("Nothing was chosen, so nothing was installed.");
      const stopped = await run("skillet install $TEAM", [["search:", "\u0003"]]);
      expect(stopped.exitCode).toBe(130);
      const ahead = await run("skillet install $TEAM --skill deploy --agent none\ry", [["[y/N]", "n\r"]]);
      expect(ahead.exitCode).toBe(1);
      expect(existsSync(join(home, ".skillet/plugins/deploy"))).toBe(false);
      const mine = await run("skillet install $TEAM --skill deploy --project --yes");
      expect(mine.text).not.toContain("not trusted");
      expect((await run("skillet show deploy")).text).toContain("✓ deploy");
    });

    test("scanning: what is dangerous stands last, and a false alarm has a way out", async () => {
      const { run, write } = await createMachine();
      write("home/.claude/skills/a-steal/SKILL.md", HOSTILE.replaceAll("steal", "a-steal"));
      const scanned = await run("skillet scan ~/.claude/skills");
      expect(scanned.exitCode).toBe(1);
      expect(scanned.text).toMatch(/✓ pdf safe .*✗ a-steal dangerous .*DX1/);
      const blocked = await run("skillet install $TEAM --skill steal --force --yes");
      expect(blocked.exitCode).toBe(1);
      const [, exactly] = /--approve(steal@sha256:[0-9a-f]{64})/.exec(blocked.text.replaceAll(" ", "")) ?? [];
      await run(`skillet trust --approve ${exactly} --reason mine --yes`);
      expect((await run("skillet install $TEAM --skill steal --yes")).text).toContain("✓ steal installed");
    });

    test("running: a person is asked, the exit code is the script's, and a missing script is missing", async () => {
      const { run, skillet, team } = await createMachine();
      await skillet(["install", team.url, "--skill", "postgres", "--yes"]);
      const asked = await run("skillet run postgres scripts/list-tables.sh -- mydb", [["[y/a/N]", "y\r"]]);
      expect(asked.exitCode).toBe(0);
      expect(asked.text).toContain("tables of mydb");
      expect((await run("skillet run postgres scripts/list-tables.sh --yes -- fail")).exitCode).toBe(3);
      const missing = await run("skillet run postgres scripts/nope.py");
      expect(missing.text).toContain("scripts/nope.py is not a file of postgres.");
      expect(missing.text).not.toContain("--allow");
    });

    test("cleaning up: the store keeps nothing that was removed, and uninstalling leaves only what was there", async () => {
      const { run, skillet, team, home } = await createMachine();
      await skillet(["install", team.url, "--skill", "postgres", "--skill", "report", "--yes"]);
      await skillet(["remove", "report", "--yes"]);
      const pruned = await run("skillet prune", [["[y/N]", "y\r"]]);
      expect(pruned.text).toContain("✓ Removed");
      expect(pruned.text).not.toContain("Placing");
      expect(readdirSync(join(home, ".skillet/store"), { recursive: true }).join(" ")).not.toContain(
        "style.md",
      );
      const kept = await run("skillet uninstall", [["[y/N]", "n\r"]]);
      expect(kept.text).toContain("~/.claude/skills/postgres");
      expect(existsSync(join(home, ".claude/skills/postgres"))).toBe(true);
      await run("skillet uninstall", [["[y/N]", "y\r"]]);
      expect(readdirSync(home).sort()).toEqual([".agents", ".claude", ".codex", ".gemini"]);
      expect(readdirSync(join(home, ".claude/skills")).sort()).toEqual([
        "conventional-commits",
        "frontend-design",
        "pdf",
      ]);
    });
  },
);
