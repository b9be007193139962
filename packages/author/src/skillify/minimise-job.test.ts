import type { Ask, Question } from "@skillet/core";
import { expect, test } from "vitest";
import type { Transcript, TranscriptEvent } from "../transcript/transcript.ts";
import { generaliseCommand } from "./general-command.ts";
import { Minimiser, redactText } from "./minimise-job.ts";
import { skillify } from "./skillify.ts";

// Put together here so that no scanner takes this file for a leak.
const RANDOM = "k7Qm2Zr9Tb4Xw8Lc1Nv6Hs3Dg5Jf0PyAeUiO";
const HOME = "/home/mfischer";
const call = (command: string, output = "ok"): TranscriptEvent => ({
  kind: "call",
  tool: "Bash",
  input: { command },
  outcome: "ok",
  output,
});
const typed = (text: string): TranscriptEvent => ({ kind: "typed", text });
const edit = (path: string): TranscriptEvent => ({
  kind: "call",
  tool: "Edit",
  input: { file_path: path },
  outcome: "ok",
});

/** What is planted, where, and what must not be left of it. */
const PLANTED: readonly (readonly [gone: string, ...events: readonly TranscriptEvent[]])[] = [
  [
    `ghp_${RANDOM}`,
    typed(`use ghp_${RANDOM} to push`),
    call(`git push https://ghp_${RANDOM}@github.com/a/b`),
  ],
  [`sk-ant-api03-${RANDOM}`, call(`export ANTHROPIC_API_KEY=sk-ant-api03-${RANDOM} && make eval`)],
  [`AKIA${"Q3EGRZ7XN2LPW5VT"}`, call(`AWS_ACCESS_KEY_ID=AKIA${"Q3EGRZ7XN2LPW5VT"} aws s3 ls`)],
  ["hunter2x", call("psql postgres://shop:hunter2x@db.example.com/shop -c 'select 1'")],
  [
    "Sommer-2025!",
    typed("the password is Sommer-2025! for staging"),
    call("deploy --password Sommer-2025! staging"),
  ],
  ["s3cr3t-v4lue", call("DB_PASSWORD=s3cr3t-v4lue npm run migrate"), typed("never print s3cr3t-v4lue")],
  ["esc4ped-pw", call('curl -d "{\\"password\\": \\"esc4ped-pw\\"}" https://api.example.com/login')],
  ["enc0ded-pw", call("curl https://api.example.com/login --data password%3Denc0ded-pw")],
  ["spl1t-pw", call("deploy pass\u200Bword=spl1t-pw staging")],
  ["tr0ub4dor", call("mysql -u root -ptr0ub4dor shop -e 'show tables'")],
  ["opensesame42", call("curl -u admin:opensesame42 https://api.example.com/v1/jobs")],
  [
    RANDOM.slice(0, 28),
    call(`curl -H 'Authorization: Bearer ${RANDOM.slice(0, 28)}' https://api.example.com`),
  ],
  [RANDOM.slice(0, 24), call(`./upload.sh ${RANDOM.slice(0, 24)} report.pdf`)],
  ["9f86d081884c7d659a2feaa0c55ad015", call("heroku login --key 9f86d081884c7d659a2feaa0c55ad015")],
  ["xoxb-2847561930", typed(`always post with xoxb-2847561930-${RANDOM.slice(0, 24)}`)],
  ["eyJhbGciOiJIUzI1NiJ9", call(`http GET :3000 "Cookie: t=eyJhbGciOiJIUzI1NiJ9.eyJ1aWQiOjQyfQ.${RANDOM}"`)],
  ["mfischer", edit(`${HOME}/shop/src/cart.ts`), call(`cp ${HOME}/notes.txt docs/`)],
  ["jkowalski", call("cp /Users/jkowalski/Desktop/logo.png assets/"), typed("only jkowalski may review it")],
  ["C:\\Users\\lena", call("type C:\\Users\\lena\\todo.txt")],
  [
    "Martina",
    typed("set the author, always"),
    call('git commit -m x --author "Martina Fischer <m.fischer@firma.de>"'),
  ],
  [
    "m.fischer@firma.de",
    typed("always cc m.fischer@firma.de"),
    call("git config user.email m.fischer@firma.de"),
  ],
  ["firma.de", typed("never mail anna.b@firma.de")],
  ["10.20.30.40", call("ssh deploy@10.20.30.40 uptime"), typed("never touch 10.20.30.40")],
  ["2001:db8:85a3:8d3", call("ping6 2001:db8:85a3:8d3:1319:8a2e:370:7348")],
  ["wiki.corp", call("curl https://wiki.corp/page -o page.html"), typed("always read wiki.corp first")],
  ["buildbox7", call("scp -r dist max.muster@buildbox7:/srv"), typed("only on buildbox7")],
  ["muster", call("rsync -a dist/ max.muster@buildbox7:/srv")],
  ["+49 170 1234567", typed("never call +49 170 1234567, mail instead")],
  ["user=42", call("curl 'https://shop.example.com/cart?user=42&session=abc123' -o cart.json")],
  ["abc123", call("open https://shop.example.com/cart?user=42&session=abc123")],
  ["workstation-9", call("echo workstation-9 > host.txt && git add host.txt"), typed("not on workstation-9")],
  ["ada.lovelace", call("git log --author ada.lovelace@example.dev"), typed("skip ada.lovelace, always")],
  [
    "-----BEGIN",
    call(
      `printf '-----BEGIN PRIVATE KEY-----\n${RANDOM.repeat(4)}\n-----END PRIVATE KEY-----' > k && make sign`,
    ),
  ],
];

/** The same in lines, `$ ` run and `> ` typed: split, escaped, encoded, in addresses, dumps, file names and plain words. */
const ATTACKS: readonly (readonly [gone: string, ...lines: readonly string[]])[] = [
  ["Zx9!kPq2vL", "$ deploy --password \\\n  Zx9!kPq2vL staging"],
  ["Zx9kPq2vL7", '$ curl -H "X-Api-Key: \\\nZx9kPq2vL7" https://api.example.com/v1'],
  ["pass-9x", String.raw`$ curl -d '{"password":"p\u0061ss-9x"}' https://api.example.com/login`],
  ["hash#tag!9", String.raw`$ curl --json '{\"pass\":\"hash#tag!9\"}' https://api.example.com/login`],
  ["Ym9iOnB3MTI=", "$ ./login.sh Ym9iOnB3MTI="],
  ["hunter2lit", "$ kubectl create secret generic db --from-literal=db=hunter2lit"],
  ["x9Yk2", "$ curl -X POST https://hooks.example.com/services/T024BE7LD/B0/x9Yk2"],
  ["abcdef12ghi", "$ open 'https://app.example.com/cb#access_token=abcdef12ghi&x=1'"],
  ["r3dis-pw", "$ redis-cli -u redis://:r3dis-pw@cache.example.com:6379 ping"],
  ["dump-v4l", "$ printf 'STRIPE_KEY=dump-v4l' > .env", "$ ./pay.sh dump-v4l"],
  ["n0tpw1", "$ PGPASSWORD=n0tpw1 psql -h db -c 1", "> always use n0tpw1"],
  ["n0tpw2", "$ echo n0tpw2 | sudo -S systemctl restart x", "$ unlock n0tpw2"],
  ["n0tpw3", "$ docker login -u bob -p n0tpw3 reg.example.com"],
  ["n0tpw4", "$ zip -P n0tpw4 a.zip a"],
  ["n0tpw5", "$ openssl enc -aes-256-cbc -k n0tpw5 -in a -out b"],
  ["n0tpw6", "$ smbclient //srv/x -U bob%n0tpw6 -c ls"],
  ["n0tpw7", "$ aws configure set aws_secret_access_key n0tpw7"],
  ["n0tpw8", "$ vault kv put secret/db x=n0tpw8"],
  ["n0tpw9", "$ curl -b session=n0tpw9 https://api.example.com"],
  ["n0tpwa", "$ cat > .netrc <<E\nmachine x login bob password n0tpwa\nE", "$ make n0tpwa"],
  ["n0tpwb", "$ expect -c 'send \"n0tpwb\\r\"'"],
  ["Blaubeere7", "> das Passwort ist Blaubeere7, nimm es immer"],
  ["xk red 91 horse", '> always, the passphrase is "xk red 91 horse"'],
  ["xk-red-91", "> log in with bob / xk-red-91, always"],
  ["hunter2", "> never share the credentials: bob:hunter2"],
  ["cust-88213", "> never show customer cust-88213, it is secret"],
  ["Kowalska", "$ cp '/Users/Maria Kowalska/plan.md' docs/", "> never change Kowalska's files"],
  ["lschmidt", "$ cp ~lschmidt/x.txt docs/", "$ chown lschmidt:staff a.txt"],
  ["lschmidt", '$ python3 conv.py "C:\\\\Users\\\\lschmidt\\\\a.csv"'],
  ["fs01", "$ cp '\\\\fs01\\home\\b\\x.txt' docs/"],
  ["Nowak", "> never merge without asking Marta Nowak", "$ git commit -m 'ask Nowak'"],
  ["mnowak", "> always ask @mnowak to review", "$ gh pr edit 4 --add-reviewer mnowak"],
  ["db-prod-3", "$ ssh db-prod-3 uptime", "> never touch db-prod-3"],
  ["2001:db8::42", "$ curl -g http://[2001:db8::42]:80/ -o a"],
  ["DE89 3704 0044", "> always pay from DE89 3704 0044 0532 0130 00"],
  ["4111 1111", "> never show card 4111 1111 1111 1111"],
  ["Hauptstr", "> always send it to Hauptstraße 12, 80331 München"],
  ["123-4567", "> never call (555) 123-4567"],
  ["wheelchair", "> never say that it is for a wheelchair user"],
  ["kestrel", "> never for kestrel", "$ pip install kestrel-sdk", "$ build --mode kestrel && build status"],
  [
    "kestrel",
    "> never for kestrel",
    "$ ssh a@kestrel.lan 'sudo runner kestrel --type kestrel && runner verify'",
  ],
  ["bluefinch", "> always tell bluefinch", "$ ssh web uptime", "$ ls /srv/bluefinch", "$ make bluefinch"],
  ["kestrelmaps", "$ gh repo clone https://github.com/kestrelmaps/renderer", "> never change kestrelmaps"],
  ["northmere", "$ curl https://ci.northmere.example/a", "$ python3 northmere.py", "> only for northmere"],
  ["ceiling 240k", "> never name the ceiling 240k in it"],
  ["Pemberton", "> leave pemberton out, always"],
  ["moonraker", "$ python3 import_moonraker.py", "> never show the moonraker rows"],
  ["ostrowski", "$ fly deploy --app ostrowski-notify", "> only deploy ostrowski on Fridays"],
  ["orange", "> the password is orange, never change it", "$ make orange"],
  ["harcourt", "$ npx @harcourt/cli sync --only-harcourt --out=docs/harcourt.md", "> keep harcourt out"],
  ["Mark", "> never ship it before Mark said yes"],
  ["heliotrope", "$ make heliotrope-release", "$ yarn run heliotrope"],
];
const asEvent = (line: string): TranscriptEvent =>
  line.startsWith("$ ") ? call(line.slice(2)) : typed(line.slice(2));

const conversation = (events: readonly TranscriptEvent[]): Transcript => ({
  format: "messages",
  workspace: `${HOME}/shop`,
  title: "x",
  diagnostics: [],
  events: [typed("Ship the new cart to staging"), ...events, call("npm test"), typed("thanks")],
});
const options = { userHome: HOME, names: ["mfischer", "Martina Fischer", "workstation-9"] };

test("of eighty-five planted secrets, paths, names and addresses none is left in what is shown or made", async () => {
  const left: string[] = [];
  const attacks = ATTACKS.map(([gone, ...lines]) => [gone, ...lines.map(asEvent)] as const);
  for (const [gone, ...events] of [...PLANTED, ...attacks]) {
    const transcript = conversation(events);
    const asked: Question[] = [];
    const ask: Ask = async (question) => {
      asked.push(question);
      return { choice: question.choices[0] ?? "", taken: question.taken };
    };
    const made = await skillify(transcript, { ...options, ask });
    const shown = JSON.stringify(asked);
    const files = made?.kind === "new" ? made.files.map(({ text }) => text).join("\n") : "";
    expect(files).toContain("Success criteria");
    for (const text of [shown, files])
      if (text.includes(gone) || text.includes(JSON.stringify(gone).slice(1, -1))) left.push(gone);
    expect(files).not.toMatch(/allowed-tools:.*(?:\bBash(?!\()|Bash\((?:sudo|bash|sh|curl:|\*))/);
  }
  expect(PLANTED.length + attacks.length).toBe(85);
  expect(left).toEqual([]);
});

test("ordinary words stay, and of others only that they were there", () => {
  const texts = [
    ["Fix the flaky test in cart.test.ts, then update README.md", undefined],
    ["the session takes 5 minutes and 10 MB", undefined],
    ["revoke it AFTER the switch, NOT for GRMX", "revoke it AFTER the switch, NOT for […]"],
    ["ask Claude to use Visual Studio from Google Cloud, on Monday", undefined],
    ["convert demo.mov for the PDF, see docs/guide.md", undefined],
    ["Wait for Temperance before you merge", "Wait for […] before you merge"],
    ["ask the colleague at build-07x or jo@firma.de about it", "ask the colleague at […] or […] about it"],
    ["run csv2json, not anna2bob or kestrel2prod", "run csv2json, not […] or […]"],
    ["the login for the wiki is mellon, always", "the login for the wiki is […], always"],
    ["see https://github.com/docs and https://wiki.firma.de/plan", "see https://github.com/docs and […]"],
    ["Count 55 for Zebediah, his mother was ill. Ask her before you send it.", "Ask her before you send it."],
  ] as const;
  const minimiser = new Minimiser(options);
  for (const [text] of texts) minimiser.learn(text);
  expect(texts.map(([text]) => minimiser.prose(text))).toEqual(texts.map(([text, left = text]) => left));
  expect(minimiser.removed).toBe(9);
});

test.each([
  ["update los angeles zephyrcorp dashboard", "update los […] dashboard"],
  ["du -sh zephyrcorp", "du -sh […]"],
  ["schreib tilli dass die Rechnung fertig ist", "schreib […] dass die Rechnung fertig ist"],
  ["la facture que zephyrcorp veut", "la facture que […] veut"],
  ["das ist der Kontoauszug, und nicht das zephyrkonto", "das ist der Kontoauszug, und nicht das […]"],
  ["会員名簿から重複を除いて", "会員名簿から重複を除いて"],
  ["請求書を中村商事に送ってください。レポートを作成", "請求書を […] に送ってください。レポートを作成"],
])("of another language only words that a table has are kept: %s", (text, left) => {
  expect(redactText(text)).toBe(left);
});

test("numbers in a row are taken out, and one number stays", () => {
  expect(redactText("call me at 06 39 98 44 17 about the 12 files")).toBe(
    "call me at […] about the 12 files",
  );
});

test("what a tool prints makes no name ordinary, and a name in another language goes as well", async () => {
  const made = async (request: string, output: string): Promise<string> => {
    const events = [typed(request), call("python3 report.py", output), typed(`${request}, always`)];
    const result = await skillify({ ...conversation([]), events });
    return result?.kind === "new" ? result.files.map(({ text }) => text).join() : "";
  };
  const english = await made(
    "send the list without harcourt",
    "harcourt harcourt harcourt, and harcourt again",
  );
  expect(english).toMatch(/^description: "Send the list without\./m);
  expect(english).not.toContain("harcourt");
  const spanish = await made(
    "prepara el informe mensual sin datos de arrizabalaga",
    "Arrizabalaga: arrizabalaga",
  );
  expect(spanish).toContain("prepara el informe mensual sin datos");
  expect(spanish.toLowerCase()).not.toContain("arrizabalaga");
});

test.each(["The password: mellon.", "the password is mellon", "(token: mellon)", "Is the password mellon?"])(
  "a secret is known again after: %s",
  (told) => {
    const minimiser = new Minimiser(options);
    minimiser.learn(told);
    expect(minimiser.prose("now use mellon for the other one")).toBe("now use […] for the other one");
  },
);

test("of a command its program, subcommand, options and ordinary paths stay", () => {
  const commands = [
    ["npm run build --silent && git push origin main", "npm run build --silent && git push origin main"],
    ["TOKEN=abc make deploy <<E\nmellon\nE", "make deploy"],
    ["cp src/cart.ts /srv/kunde/cart.ts", "cp src/cart.ts <folder>/cart.ts"],
    ["mysql -umax -pmellon kunde", "mysql -u<value> -p<value> <value>"],
    ["gh pr create --title 'For Max' --label=kunde", "gh pr create --title <title> --label=<label>"],
    ["sudo apt-get install jq", "sudo apt-get install jq"],
    ["pip install kestrel-sdk", "pip install <value>"],
    ["pip install -U numpy harbl-internal", "pip install -U numpy <value>"],
    ["conda install -n harbl numpy", "conda install -n <value> numpy"],
    ["npm install --prefix harbl-portal lodash", "npm install --prefix <prefix> lodash"],
    ["uv add --project harbl rich", "uv add --project <project> rich"],
    [
      "tool run --policy harbl --provider harbl --task harbl",
      "tool run --policy <policy> --provider <provider> --task <task>",
    ],
    ["hledger bal -p x", "hledger bal -p x"],
    ["npm install harbl --registry https://a.example.com", "npm install <value> --registry <url>"],
    ["latexmk -interaction=nonstopmode -halt-on-error", "latexmk -interaction=nonstopmode -halt-on-error"],
    ["cargo build --target aarch64-unknown-linux-musl", "cargo build --target aarch64-unknown-linux-musl"],
    ["helm upgrade --timeout 5m --org kunde", "helm upgrade --timeout 5m --org <value>"],
    ["ssh max@host 'sudo runner verify --all'", "ssh <value> && sudo runner verify --all"],
    ["ssh-keygen -t ed25519 -o IdentitiesOnly=yes", "ssh-keygen -t ed25519 -o IdentitiesOnly=yes"],
  ] as const;
  const minimiser = new Minimiser(options);
  minimiser.learn("for kestrel", "typed");
  const kept = commands.map(([text]) =>
    generaliseCommand(text)
      .map((command) => minimiser.deed({ kind: "command", command }))
      .map((deed) => deed.kind === "command" && deed.command.words.join(" "))
      .join(" && "),
  );
  expect(kept).toEqual(commands.map(([, left]) => left));
});

test("what a program is given is not taken for its command, whatever it was given before", async () => {
  const lines = [
    ...["psql test -f a.sql", "psql kestrelbank -f b.sql", "psql bmw -f x.sql"],
    ...["ssh deploy uptime", "ssh kestrelhost uptime now", "make deploy", "make kestrelbank deploy"],
    ...["rm test other", "rm kestrelbank other"],
  ];
  const made = await skillify(conversation(lines.map((line) => call(line))), options);
  const text = made?.kind === "new" ? made.files.map((file) => file.text).join("\n") : "";
  expect(text).toContain("psql <database> -f");
  expect(text).not.toMatch(/kestrel|bmw/);
});

test("a short word that was typed is known again in a command, also at the end of a sentence", () => {
  const minimiser = new Minimiser(options);
  minimiser.learn("only for bmw.", "typed");
  const [command] = generaliseCommand("render --style bmw --only-bmw");
  const deed = command && minimiser.deed({ kind: "command", command });
  expect(deed?.kind === "command" && deed.command.words.join(" ")).toBe("render --style <value> <value>");
});

test.each([
  ["uv run zephyrus-sync --all", "uv run <value> --all"],
  ["bundle exec zephyrus migrate", "bundle exec <value> migrate"],
  ["pnpm zephyrus", "pnpm <value>"],
  ["npx zephyrus-lint src", "npx <value> src"],
  ["zephyrusctl deploy --zephyrus-mode fast", "<program> deploy <option> <value>"],
  ["vercel --scope zephyrus deploy", "vercel --scope <scope> deploy"],
  ["heroku run zephyrus", "heroku run <value>"],
  ["kubectl rollout status deployment/api", "kubectl rollout status deployment/api"],
  ["restic forget --prune", "restic forget --prune"],
])("%s shows no name that no table has", (line, shown) => {
  const [command] = generaliseCommand(line);
  const deed = command && new Minimiser(options).deed({ kind: "command", command });
  expect(deed?.kind === "command" && deed.command.words.join(" ")).toBe(shown);
});

test("a name in small letters goes in another language, and rare words do not make one of English", () => {
  expect(redactText("kannst du bitte den bericht für benni neu bauen und das projekt adlerhorst auch")).toBe(
    "kannst du bitte den bericht für […] neu bauen und das projekt […] auch",
  );
  expect(redactText("reindex zorblatt, quibbly, snarfle and wibbly in the shop")).toBe(
    "reindex […] and […] in the shop",
  );
});

test("a compound of ordinary words that may be a service's name goes, and one of the language stays", () => {
  expect(redactText("deploy flight-software to the read-only end-to-end stage")).toBe(
    "deploy […] to the read-only end-to-end stage",
  );
});

test("a tool with a name that no table has is shown without it, and never allowed unseen", () => {
  const deed = new Minimiser(options).deed({ kind: "other", tool: "tanglewood_lookup", fields: [] });
  expect(deed).toMatchObject({ tool: "tool" });
});

test("a long name of an option is read at once", () => {
  const long = "a".repeat(2_000);
  const minimiser = new Minimiser(options);
  const [command] = generaliseCommand(`jq --${long}1`);
  const deed = command && minimiser.deed({ kind: "command", command });
  expect(deed?.kind === "command" && deed.command.words.join(" ")).toBe("jq <option>");
  expect(minimiser.deed({ kind: "other", tool: "x", fields: [`${long}1`, "dueDate"] })).toMatchObject({
    fields: ["dueDate"],
  });
});

test.each([
  "password=",
  "a@a.",
  "ssh a@b",
  "--token x ",
  "Aa <a@b.de> ",
  "https://a?b=c&",
  "ab:",
  "aA1",
  "/home/ab/",
  "/Users/A B",
  "1:2:",
  "1234 ",
  "echo a1 | ",
  "vault put a=b1 ",
  "pin a1b2. ",
  "ask Aa Bb ",
  "\\\\a\\b",
  "curl -u a ",
  "https://a/B1",
])("twenty thousand characters of %j are read to their end", (part) => {
  const text = part.repeat(Math.ceil(20_000 / part.length));
  const minimiser = new Minimiser(options);
  minimiser.learn(text);
  expect(minimiser.prose(text).length).toBeLessThan(2 * text.length);
});
