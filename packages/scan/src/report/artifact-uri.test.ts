import { expect, test } from "vitest";
import { artifactUri } from "./artifact-uri.ts";

test.each([
  ["skills/pdf", "SKILL.md", "skills/pdf/SKILL.md"],
  [".", "SKILL.md", "SKILL.md"],
  ["./skills/", "a b#?.md", "skills/a%20b%23%3F.md"],
  ["/srv/skills", "ü.md", "file:///srv/skills/%C3%BC.md"],
  ["skills", "a:b/c%2e", "skills/a%3Ab/c%252e"],
  ["skills", "a.zip!/in.sh", "skills/a.zip"],
  ["skills", "a.zip!/../../x.sh", "skills/a.zip"],
  ["skills", "../x.sh", "skills/x.sh"],
  ["skills", "\ud800.md", "skills/%EF%BF%BD.md"],
])("the URI of %j and %j is %s", (folder, file, uri) => {
  expect(artifactUri(folder, file)).toBe(uri);
});
