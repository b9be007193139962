// The client that the conformance kit starts, with the server's address as its last argument: opens skills as an agent
// would, and, unless the scenario is about what must not be fetched, loads them and reads their files.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSkills } from "../packages/core/dist/index.js";
import { mcpSource } from "../packages/mcp/dist/client.js";

const home = mkdtempSync(join(tmpdir(), "skillet-mcp-client-"));
const source = mcpSource({ label: "kit", url: process.argv.at(-1) });
const skills = await openSkills({
  home,
  userHome: home,
  workspace: home,
  environment: {},
  config: false,
  cacheDirectory: false,
  organisationDirectory: false,
  bundledDirectory: false,
  roots: [],
  sources: [source],
});
const session = await skills.session();
console.log(session.catalog().text);
try {
  if (process.env.MCP_CONFORMANCE_SCENARIO !== "sep-2640-client-no-prefetch")
    for (const { qualifiedName } of skills.list()) {
      await session.activate(qualifiedName);
      for (const { path } of await session.resources(qualifiedName)) await session.read(qualifiedName, path);
    }
} catch (error) {
  console.error(error.code, error.message);
  process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
