import { expect, test } from "vitest";
import { fetchContextFor } from "../fetch/http/testing/fetch-context-for.ts";
import { serve } from "../fetch/http/testing/serve.ts";
import { formatEnvelope } from "./envelope.ts";
import { fetchEnvelopes } from "./fetch-envelopes.ts";
import { createKey } from "./key.ts";
import { signTree } from "./sign-tree.ts";

test.each([403, 404, 500])("an address that answers %i does not hide the next signature", async (status) => {
  const statement = { name: "a", treeDigest: `sha256:${"0".repeat(64)}` } as const;
  const envelope = formatEnvelope(signTree({ key: createKey(), statement }));
  const { origin, host } = await serve((request, response) => {
    if (request.url === "/bad") response.writeHead(status, { "content-length": 0 }).end();
    else response.writeHead(200, { "content-length": Buffer.byteLength(envelope) }).end(envelope);
  });
  const urls = [`${origin}/bad`, "ftp://example.com/x", `${origin}/good`];
  const { envelopes, failures } = await fetchEnvelopes(urls, fetchContextFor([host]));
  expect(envelopes.map((found) => formatEnvelope(found))).toEqual([envelope]);
  expect(failures).toEqual([expect.stringContaining(`/bad answered ${status}`), expect.any(String)]);
});
