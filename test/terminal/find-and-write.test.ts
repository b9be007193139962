import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HAS_GIT } from "../cli/git-repository.ts";
import { skillText } from "../cli/sandbox.ts";
import { createMachine, HOSTILE } from "./place.ts";
import { HAS_TMUX } from "./terminal.ts";

describe.skipIf(!HAS_TMUX || !HAS_GIT)("the first hour on a terminal: find, write, search and trust", () => {
  test("first contact: bare skillet says where one stands, and unknown words lead to commands", async () => {
    const { run } = await createMachine();
    const start = await run("skillet");
    expect(start.lines.length).toBeLessThan(24);
    expect(start.text).toContain("9 skills, and 17 that Skillet brings");
    expect(start.text).toMatch(/Codex 5 .* Claude Code 4 .* Gemini CLI 4 .* Go on with skillet show/);
    expect((await run("skillet -v")).text).toMatch(/^\d+\.\d+\.\d+$/);
    expect((await run("skillet create")).text).toContain("Did you mean new?");
    expect((await run("skillet help instal")).text).toContain("Did you mean install?");
    expect((await run("skillet add")).text).toContain("Nothing installed yet. Try: skillet install");
    expect((await run("skillet completion bash | head -1")).text).toContain("Completion of skillet in bash.");
    expect((await run("skillet init --dry-run")).exitCode).toBe(0);
  });

  test("first contact: show lists what every agent reads, a line each, and who reads it", async () => {
    const { run, write } = await createMachine();
    const shown = await run("skillet show");
    expect(shown.lines.length).toBeLessThan(24);
    expect(shown.text).toMatch(/NAME .*STATUS/);
    const rows =
      `code-reviewer conventional-commits docker-essentials frontend-design git-essentials kubernetes pdf slack
      notes:meeting-notes`.split(/\s+/);
    expect(shown.lines.flatMap((line) => /^✓ (\S+)/.exec(line)?.slice(1) ?? [])).toEqual(rows);
    expect((await run("skillet explain slack")).text).toContain("read by Codex");
    expect((await run("skillet show kubernetes")).text).toContain("read by Gemini CLI");
    expect((await run("skillet show pdf")).text).toContain("read by Claude Code, Codex, Gemini CLI");
    expect((await run("skillet show notes:meeting-notes")).text).toContain("read by Claude Code");
    for (const agent of ["codex", "gemini", "cursor", "github"])
      write(`project/.${agent}/skills/of-${agent}/SKILL.md`, skillText(`of-${agent}`));
    const { text } = await run("skillet show");
    for (const agent of ["codex", "gemini", "cursor", "github"]) expect(text).toContain(`! of-${agent} `);
    const one = await run("skillet show of-codex");
    expect(one.text).toMatch(/untrusted .* run: skillet trust /);
  });

  test("writing: all faults in one pass, below the value, with --fix offered and links checked", async () => {
    const { run, write } = await createMachine();
    const bad =
      "---\nname: Deploy_Notes\ndescription: Writes: notes\n---\n\nRead [it](references/guide.md).\n";
    write("project/.claude/skills/Deploy_Notes/SKILL.md", bad);
    const { lines, text, exitCode } = await run("skillet validate");
    expect(exitCode).toBe(1);
    expect(text).toContain("unquoted-colon");
    expect(text).toContain("name-characters");
    expect((await run("skillet lint")).text).toContain(
      "file-missing: references/guide.md is mentioned, but not in the skill's folder.",
    );
    expect(text).toContain("Some of this can be repaired: add --fix");
    const frame = lines.findIndex((line) => line.includes("2 | name: Deploy_Notes"));
    expect(lines[frame + 1]?.indexOf("^")).toBe(lines[frame]?.indexOf("Deploy_Notes"));
    const made = await run("skillet new team-notes");
    expect(made.text).toMatch(/SKILL\.md evals\/eval_queries\.json .*skillet lint/);
    expect((await run("skillet show team-notes")).text).toMatch(
      /! team-notes still a template.*read by Claude Code, Codex, Gemini CLI/,
    );
    write("project/.agents/skills/vague/SKILL.md", skillText("vague", "Helps."));
    expect((await run("skillet lint .agents/skills/vague")).text).toContain("says too little");
  });

  test("writing: a skill that was trusted and then replaced is shown as dangerous everywhere", async () => {
    const { run, skillet, write } = await createMachine();
    write("project/.claude/skills/steal/SKILL.md", skillText("steal"));
    await skillet(["trust", "--yes"]);
    expect((await run("skillet show steal")).text).toContain("✓ steal");
    write("project/.claude/skills/steal/SKILL.md", HOSTILE);
    const shown = await run("skillet show steal");
    expect(shown.text).toContain("✗ steal withheld dangerous");
    expect(shown.text).not.toContain("✓");
    expect((await run("skillet explain steal")).text).toMatch(/✗ steal withheld .*read by Claude Code/);
    const doctor = await run("skillet doctor");
    expect(doctor.exitCode).toBe(1);
    expect(doctor.text).toContain("steal is dangerous; Claude Code still loads it");
    expect(doctor.text).not.toContain("Everything is fine.");
    expect((await run("skillet")).text).toContain("✗ 1 dangerous, still loaded by Claude Code: steal");
  });

  test("disabling reaches the agents, shows the exact change, and is undone by enabling", async () => {
    const { run, write, home } = await createMachine();
    write("home/.claude/skills/steal/SKILL.md", HOSTILE);
    const disabled = await run("skillet disable slack kubernetes steal --yes");
    expect(disabled.text).toContain("Codex: [[skills.config]] in ~/.codex/config.toml");
    expect(disabled.text).toContain("Gemini CLI: skills.disabled in ~/.gemini/settings.json");
    expect(disabled.text).toContain("Claude Code: skillOverrides in ~/.claude/settings.json");
    for (const told of ["Codex no longer loads slack.", "Gemini CLI no longer loads kubernetes."])
      expect(disabled.text).toContain(told);
    expect(disabled.lines).toContain("    + enabled = false");
    expect(disabled.text).not.toContain("Placing");
    expect(readFileSync(join(home, ".claude/settings.json"), "utf8")).toContain('"steal": "off"');
    expect((await run("skillet show slack")).text).not.toContain("read by");
    expect((await run("skillet doctor")).text).not.toContain("still loads");
    const enabled = await run("skillet enable slack kubernetes");
    expect(enabled.text).toContain("Codex loads slack again");
    expect(existsSync(join(home, ".codex/config.toml"))).toBe(false);
  });

  test("searching: what fits is explained, and nothing else is shown", async () => {
    const { run } = await createMachine();
    for (const words of ["notion", "'how are you?'"]) {
      const { text } = await run(`skillet search ${words}`);
      expect(text).toContain("No skill fits");
      expect(text).not.toContain("%");
    }
    const notes = await run("skillet search sum up the meeting");
    expect(notes.text).toMatch(/^✓ notes:meeting-notes \d+ % activate/);
    expect(notes.text).toContain("Agents with Skillet's hooks are told which of their skills fit");
    // Two fit: the user's own would be activated alone, so it comes first, and the bundled one is only suggested.
    const commits = await run("skillet search commit my changes");
    expect(commits.text).toMatch(/^✓ conventional-commits \d+ % activate .*\? tidy-commits \d+ % suggest/);
    expect((await run("skillet find pdf")).text).toMatch(/^pdf .*1 skill on this machine\./);
  });

  test("trust and doctor: what anyone can write to, a broken lock and a home of no use are told", async () => {
    const { run, write } = await createMachine();
    write("project/.claude/skills/deploy-notes/SKILL.md", skillText("deploy-notes"));
    await run("chmod o+w .");
    const trusted = await run("skillet trust", [["[y/N]", "y\r"]]);
    expect(trusted.text).toContain("Anyone on this machine can write to this folder");
    write("home/.skillet/lock.json", "{");
    const doctor = await run("skillet doctor");
    expect(doctor.exitCode).toBe(1);
    expect(doctor.text).toContain("✗ lock");
    expect(doctor.text).toContain("is trusted, and anyone on this machine can write to it");
    expect((await run("skillet check-tool pdf Bash 'rm -rf /'")).text).toContain("the agent decides");
    expect((await run("HOME=/proc skillet show")).exitCode).toBe(0);
  });
});
