import { expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { watchOutput } from "./watch-output.ts";

test("a secret that a program coloured in part is shown neither while it runs nor afterwards", () => {
  const text = "key: \x1b[01;31m\x1b[Ks3cr\x1b[m\x1b[K3t-v4lue-0815\nnext\n";
  for (let cut = 0; cut <= text.length; cut += 1) {
    const heard: string[] = [];
    const watch = watchOutput({
      redactor: createRedactor({ KEY: "s3cr3t-v4lue-0815" }),
      maxBytes: 1024,
      onOutput: (_stream, bytes) => heard.push(Buffer.from(bytes).toString()),
    });
    // As `grep --color=always s3cr` writes it.
    watch.listener("stdout", Buffer.from(text.slice(0, cut)));
    watch.listener("stdout", Buffer.from(text.slice(cut)));
    expect(watch.finish().stdout).toBe("key: [redacted KEY]\nnext\n");
    expect(heard.join("")).toBe("key: \x1b[01;31m\x1b[K[redacted KEY]\nnext\n");
  }
});
