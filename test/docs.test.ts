import { existsSync, readdirSync, readFileSync } from "node:fs";
import { loadConfig } from "@skillet/core";
import { AGENTS, listConfigValues } from "@skillet/core/internal";
import { describe, expect, test } from "vitest";
import { agentsPage } from "./docs/agents-page.ts";
import { apiReference, PUBLIC_PACKAGES } from "./docs/api-reference.ts";
import { diagnosticsPage } from "./docs/diagnostics-page.ts";
import { brokenLinks } from "./docs/page-links.ts";
import { createPageSandbox } from "./docs/page-sandbox.ts";
import { type Page, readPages, repositoryPath } from "./docs/pages.ts";
import { expectOutput, isRunnable, LANGUAGES, runBlock, runProgram } from "./docs/run-block.ts";
import { collectSourceCodes } from "./docs/source-codes.ts";
import { createSourceProgram, type SourceProgram } from "./docs/source-program.ts";
import { typeFaults } from "./docs/type-faults.ts";

const pages = readPages();
const textOf = (path: string): string => readFileSync(repositoryPath(path), "utf8");

let program: SourceProgram | undefined;
const sourceProgram = (): SourceProgram => {
  program ??= createSourceProgram(pages);
  return program;
};

describe("the blocks of the pages", () => {
  test("have a language that is checked, and leave it out only with a reason", () => {
    const faults = pages.flatMap(({ path, blocks }) =>
      blocks.flatMap(({ language, attributes, code, line }) => {
        const known = LANGUAGES.get(language);
        if (known === undefined) return [`${path}:${line}: the language "${language}" is not checked`];
        const odd = [...attributes.keys()].filter((name) => !known.includes(name));
        if (language === "text" && /^\$ /m.test(code))
          odd.push("a session in a text block, which is not checked");
        if (attributes.get("no-run") === "") odd.push('no-run, which needs a reason: no-run="…"');
        return odd.map((name) => `${path}:${line}: ${name}`);
      }),
    );
    expect(faults).toEqual([]);
  });

  test("in TypeScript have no type faults under the repository's options", () => {
    expect(typeFaults(sourceProgram())).toEqual([]);
  });

  for (const page of pages.filter(({ blocks }) => blocks.some(({ language }) => language !== "ts")))
    test(`of ${page.path} hold when a reader follows them from top to bottom`, async () => {
      const sandbox = createPageSandbox();
      try {
        for (const block of page.blocks) await runBlock(block, sandbox, `${page.path}:${block.line}`);
      } finally {
        sandbox.remove();
      }
    });

  for (const { page, line, run } of programs(pages))
    test(`${page.path}:${line} runs as a program of its own`, run);
});

describe("the pages", () => {
  test("link only to files and headings that exist", () => {
    expect(pages.flatMap(brokenLinks)).toEqual([]);
  });

  test("name only npm scripts that exist", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, script = ""]) => ({ path, script })),
    );
    expect(named.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([]);
  });

  test("are all reachable from the index", () => {
    const index = textOf("docs/README.md");
    const listed = pages
      .map(({ path }) => path)
      .filter((path) => path.startsWith("docs/") && path !== "docs/README.md");
    expect(listed.filter((path) => !index.includes(`](${path.slice("docs/".length)})`))).toEqual([]);
  });
});

describe("docs/diagnostics.md", () => {
  const file = "docs/diagnostics.md";

  test("has the codes and severities of the sources; npm run docs:generate writes it again", async () => {
    const page = diagnosticsPage(textOf(file), collectSourceCodes(sourceProgram()));
    await expect(page).toMatchFileSnapshot(repositoryPath(file));
  });

  test("every code that core throws is in SkilletErrorCode", () => {
    const program = sourceProgram();
    const sources = program.sources.filter(({ fileName }) => fileName.includes("packages/core/src/"));
    const thrown = collectSourceCodes({ ...program, sources }).codes.filter(({ kind }) => kind === "error");
    const listed = textOf("packages/core/src/error-code.ts");
    expect(thrown.map(({ code }) => code).filter((code) => !listed.includes(`"${code}"`))).toEqual([]);
    const known = textOf(file);
    const codes = Array.from(listed.matchAll(/"([a-z-]+)"/g), ([, code = ""]) => code);
    expect(codes.filter((code) => !known.includes(`| \`${code}\` |`))).toEqual([]);
  });

  test("says of every code what it means and what to do", () => {
    expect(textOf(file)).not.toContain("## Not described yet");
    expect(textOf(file)).not.toMatch(/^\| `.*\| *\|/m);
  });
});

test("docs/agents.md says what the table of agents says; npm run docs:generate writes it again", async () => {
  const file = "docs/agents.md";
  await expect(agentsPage(textOf(file), AGENTS)).toMatchFileSnapshot(repositoryPath(file));
});

describe("docs/configure.md", () => {
  const text = textOf("docs/configure.md");

  test("names every key of the configuration", () => {
    const place = repositoryPath("test/docs/nowhere");
    const options = { home: place, organisationDirectory: place, projectTrusted: false, environment: {} };
    const keys = listConfigValues(loadConfig(options)).map(({ key }) => key);
    expect(keys.filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
  });

  test("names every environment variable that the sources read", () => {
    const sources = sourceProgram().sources.map((source) => source.text);
    const variables = new Set(sources.flatMap((source) => source.match(/\bSKILLET_[A-Z_]+\b/g) ?? []));
    expect(variables).toContain("SKILLET_HOME");
    expect([...variables].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

describe("the maps of the repository", () => {
  const rooms = readdirSync(repositoryPath("packages/core/src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "testing")
    .map(({ name }) => `${name}/`);

  test("docs/architecture.md has every folder of core", () => {
    expect(rooms.filter((name) => !textOf("docs/architecture.md").includes(`  ${name} `))).toEqual([]);
  });

  test("docs/architecture.md names only files that exist", () => {
    const named = [...textOf("docs/architecture.md").matchAll(/`([a-z-]+(?:\/[a-z-]+)*\.ts)`/g)];
    const files = named.map(([, file = ""]) =>
      file.startsWith("packages/") ? file : `packages/core/src/${file}`,
    );
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(repositoryPath(file)))).toEqual([]);
  });
});

describe("THREAT_MODEL.md", () => {
  test("names tests that exist, by file and title", () => {
    const rows = textOf("THREAT_MODEL.md").matchAll(/\[([^\]]+\.test\.ts)\]\(([^)]+)\): "([^"]+)"/g);
    const claims = [...rows].map(([, name = "", path = "", title = ""]) => ({ name, path, title }));
    expect(claims.length).toBeGreaterThan(0);
    expect(claims.filter(({ path, title }) => !textOf(path).includes(title))).toEqual([]);
  });
});

function programs(all: readonly Page[]): { page: Page; line: number; run: () => Promise<void> }[] {
  return all.flatMap((page) =>
    page.blocks.flatMap((block, index) => {
      if (block.language !== "ts" || !isRunnable(block)) return [];
      const next = page.blocks[index + 1];
      const run = async (): Promise<void> => {
        const where = `${page.path}:${block.line}`;
        const sandbox = createPageSandbox();
        try {
          const output = await runProgram(block, sandbox, where);
          if (next?.attributes.has("output")) expectOutput(next.code, output, where);
        } finally {
          sandbox.remove();
        }
      };
      return [{ page, line: block.line, run }];
    }),
  );
}

describe("the API reference", () => {
  for (const name of PUBLIC_PACKAGES)
    test(`of @skillet/${name} says what the types say; npm run docs:generate writes it again`, async () => {
      const page = apiReference(name, sourceProgram().program);
      await expect(page).toMatchFileSnapshot(repositoryPath(`docs/reference/api-${name}.md`));
    });
});
