import type { SecretKind } from "../fact/data-source.ts";

/** Whether an environment variable's name says that its value is a secret: one named key is an `own-key`. */
export function classifyVariable(name: string): SecretKind | undefined {
  if (name.length > MAX_NAME_CHARACTERS || PUBLIC.test(name)) return undefined;
  if (WALLET.test(name)) return "wallet";
  return SECRET.test(name) ? "own-key" : undefined;
}

const MAX_NAME_CHARACTERS = 128;
const PUBLIC =
  /PUBLIC_?KEY|KEY_?(?:ID|PATH|FILE|NAME|BOARD|SPACE)$|TOKEN_?(?:LIMIT|COUNT|TYPE|URL|FILE|PATH)$|MAX_TOKENS?|TOKENIZERS?|KEYWORDS?/i;
const WALLET =
  /MNEMONIC|SEED_?PHRASE|WALLET_?(?:PRIVATE_?)?(?:KEY|SEED)|^PRIVATE_KEY$|EVM_PRIVATE|SOLANA_PRIVATE/i;
const SECRET =
  /(?:^|_)(?:API_?KEY|APIKEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|AUTH|BEARER|COOKIE|SESSION|PAT|DSN|PRIVATE_KEY)S?(?:_|$)|(?:^|_)(?:ACCESS|AUTH|REFRESH|BOT|API|SECRET)(?:TOKEN|KEY)$|^(?:DATABASE|MONGO(?:DB)?|REDIS|POSTGRES(?:QL)?|MYSQL)_?UR[IL]$/i;
