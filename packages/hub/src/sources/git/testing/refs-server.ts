import { once } from "node:events";
import { type Served, serve } from "../../http/testing/serve.ts";

const FLUSH = Buffer.from("0000");

/** One line in git's packet framing. */
export function packetLine(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
}

/** A git server (protocol version 2) that lists the given refs until they end or the client disconnects. */
export async function serveRefs(refs: () => Iterable<Uint8Array>): Promise<Served> {
  return serve(async (request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
      const greeting = ["version 2\n", "ls-refs=unborn\n", "fetch=shallow filter\n", "object-format=sha1\n"];
      response.end(
        Buffer.concat([
          packetLine("# service=git-upload-pack\n"),
          FLUSH,
          ...greeting.map((line) => packetLine(line)),
          FLUSH,
        ]),
      );
      return;
    }
    response.writeHead(200, { "content-type": "application/x-git-upload-pack-result" });
    const gone = once(response, "close");
    for (const chunk of refs()) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await Promise.race([once(response, "drain"), gone]);
    }
    response.end(FLUSH);
  });
}
