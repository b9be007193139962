import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSecrets } from "./find-secrets.ts";

// Put together here so that no scanner takes this file for a leak.
const RANDOM = "k7Qm2Zr9Tb4Xw8Lc1Nv6Hs3Dg5Jf0PyAeUiO";
const join = (...parts: string[]) => parts.join("");
const KEY_BODY = Array.from({ length: 6 }, (_, line) =>
  Array.from({ length: 64 }, (_, at) => RANDOM[(at * 7 + line * 11 + at * line) % RANDOM.length]).join(""),
).join("\n");

describe("findSecrets", () => {
  it.each([
    ["aws", join("AKIA", "Q3EGRZ7XN2LPW5VT")],
    ["github", join("ghp_", RANDOM)],
    ["gitlab", join("glpat-", RANDOM.slice(0, 20))],
    ["slack", join("xoxb-", "2847561930-", RANDOM.slice(0, 24))],
    ["stripe", join("sk_live_", RANDOM.slice(0, 24))],
    ["anthropic", join("sk-ant-api03-", RANDOM)],
    ["openai", join("sk-proj-", RANDOM)],
    ["google", join("AIza", RANDOM.slice(0, 35))],
    ["npm", join("npm_", RANDOM)],
    ["sendgrid", join("SG.", RANDOM.slice(0, 22), ".", RANDOM, RANDOM.slice(0, 7))],
    ["telegram", join(":AA", RANDOM.slice(0, 33))],
  ])("a literal key of %s is found with its exact place", (provider, value) => {
    const before = provider === "telegram" ? "bot = 8472910365" : "value = ";
    expect(findSecrets(`${before}${value}\n`)).toEqual([
      {
        start: before.length,
        end: before.length + value.length,
        provider,
        isPlaceholder: false,
        isPrivateKey: false,
      },
    ]);
  });

  it.each([
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_your_github_token_goes_here",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-ant-api03-your-key-here-please",
    "sk-1234567890abcdef1234567890abcdef",
    "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
    "glpat-abc123def456ghi789jkl",
    "access_token: a1b2c3d4e5f6g7h8i9j0k1l2",
    'refresh_token: "tGzv3JOkF0XG5Qx2TlKWIA"',
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJVadQssw5c",
    "api_key = 'your-api-key-goes-here-1234'",
    "seed phrase: test test test test test test test test test test test junk",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
  ])("%s is a placeholder", (text) => {
    expect(findSecrets(text).map((secret) => secret.isPlaceholder)).not.toContain(false);
  });

  it("real randomness beside a placeholder's word is a secret", () => {
    expect(findSecrets(join("ghp_", "test", RANDOM.slice(0, 32)))[0]?.isPlaceholder).toBe(false);
  });

  it("a whole private key is told from its header alone", () => {
    const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${KEY_BODY}\n-----END OPENSSH PRIVATE KEY-----`;
    expect(findSecrets(key)).toEqual([
      {
        start: 0,
        end: key.indexOf("-----END"),
        provider: "private-key",
        isPlaceholder: false,
        isPrivateKey: true,
      },
    ]);
    expect(findSecrets('if (text.includes("-----BEGIN RSA PRIVATE KEY-----")) warn()')[0]).toMatchObject({
      isPlaceholder: true,
      isPrivateKey: false,
    });
  });

  it("a private key in one JSON string is whole as well", () => {
    const value = JSON.stringify(`-----BEGIN PRIVATE KEY-----\n${KEY_BODY}\n-----END PRIVATE KEY-----\n`);
    expect(findSecrets(`{"private_key": ${value}}`)[0]).toMatchObject({ isPrivateKey: true });
  });

  it("a random value is a secret beside a name that says so, and only there", () => {
    expect(findSecrets(`client_secret: "${RANDOM.slice(0, 28)}"`)[0]).toMatchObject({
      provider: "generic",
      isPlaceholder: false,
    });
    expect(findSecrets(`commit: "${RANDOM.slice(0, 28)}"`)).toEqual([]);
  });

  it("a secret in an address is found behind the path", () => {
    const text = `url: https://h.test/v1/items/token=${RANDOM.slice(0, 28)}`;
    expect(findSecrets(text)).toMatchObject([
      { start: text.length - 28, end: text.length, provider: "generic" },
    ]);
  });

  it("a wallet's phrase is found, a sentence about one is not", () => {
    const phrase = "orbit velvet canyon marble thrive puzzle anchor lemon glimpse rotate sunset tiger";
    expect(findSecrets(`MNEMONIC="${phrase}"`)).toEqual([
      {
        start: 10,
        end: 10 + phrase.length,
        provider: "seed-phrase",
        isPlaceholder: false,
        isPrivateKey: false,
      },
    ]);
    expect(
      findSecrets("seed phrase: never share the seed phrase with any person who asks you for one"),
    ).toEqual([]);
  });

  it.each([
    "token = process.env.GITHUB_TOKEN_FOR_DEPLOY_2024",
    "api_key=os.environ['OPENAI_API_KEY_V2_2024']",
    "model_token: claude-sonnet-4-20250514",
    "access_key_id: 6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "password: correct-horse-battery-staple",
    "tokenizer = AutoTokenizer.from_pretrained(name)",
    "secretName: projects/one/two/three/four5678/versions",
    "TASKID-sk-something",
    "token: 0xA1b2C3d4E5f60718293a4B5c6D7e8F9012345678",
  ])("%s has no secret in it", (text) => {
    expect(findSecrets(text)).toEqual([]);
  });

  it("places are in order, inside the text and apart, whatever it holds", () => {
    const part = fc.oneof(
      fc.constantFrom(
        "sk-",
        "ghp_",
        "AKIA",
        "eyJ",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "token=",
        "mnemonic: ",
        " ",
      ),
      fc.string({ maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        let end = 0;
        for (const secret of findSecrets(text)) {
          expect(secret.start).toBeGreaterThanOrEqual(end);
          expect(secret.end).toBeGreaterThan(secret.start);
          end = secret.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it.each([
    "sk-",
    "eyJ",
    "-----BEGIN PRIVATE KEY-----",
    "token=",
    "secret",
    "mnemonic: abc ",
    "AKIAAAAA.",
    " eyJaaaaaaaaa.eyJ",
  ])("a megabyte of %s is read to its end", (part) => {
    expect(findSecrets(part.repeat(Math.ceil(1_000_000 / part.length)))).toBeInstanceOf(Array);
  });
});
