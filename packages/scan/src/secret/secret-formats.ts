import { hasTokenChecksum } from "./has-token-checksum.ts";
import { isPublicToken } from "./is-public-token.ts";

/** How one provider's keys look. */
export interface SecretFormat {
  readonly provider: string;
  /** Searched for first; the pattern is tried only where it stands. */
  readonly prefix: string;
  /** Sticky, one bounded run of characters behind another: it cannot backtrack far. */
  readonly pattern: RegExp;
  /** Whether letters and digits right before it mean that it is something else. */
  readonly startsWord: boolean;
  /** Whether a checksum in it is right: then it is no example. */
  readonly isValid?: (value: string) => boolean;
  /** Whether it is made to be seen by everybody. */
  readonly isPublic?: (value: string) => boolean;
}

/** Keys that are known by their shape alone. */
export const SECRET_FORMATS: readonly SecretFormat[] = [
  word("aws", "AKIA", /AKIA[A-Z0-9]{16}(?![A-Za-z0-9])/y),
  word("aws", "ASIA", /ASIA[A-Z0-9]{16}(?![A-Za-z0-9])/y),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map(
    (prefix): SecretFormat => ({
      ...word("github", prefix, /gh[pousr]_[A-Za-z0-9_]{20,255}/y),
      isValid: hasTokenChecksum,
    }),
  ),
  word("github", "github_pat_", /github_pat_[A-Za-z0-9_]{20,255}/y),
  word("gitlab", "glpat-", /glpat-[A-Za-z0-9_.-]{20,300}/y),
  word("slack", "xox", /xox[abeoprs]-[A-Za-z0-9-]{10,250}/y),
  word("slack", "xapp-", /xapp-\d-[A-Za-z0-9-]{20,250}/y),
  within(
    "slack",
    "hooks.slack.com/services/",
    /hooks\.slack\.com\/services\/T[A-Za-z0-9_]{3,20}\/B[A-Za-z0-9_]{3,20}\/[A-Za-z0-9_]{16,60}/y,
  ),
  within("discord", "/api/webhooks/", /\/api\/webhooks\/\d{10,25}\/[A-Za-z0-9_-]{40,100}/y),
  within("telegram", ":AA", /(?<=\d{8}):AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y),
  word("stripe", "sk_live_", /sk_live_[A-Za-z0-9]{16,250}/y),
  word("stripe", "rk_live_", /rk_live_[A-Za-z0-9]{16,250}/y),
  { ...word("stripe", "sk_test_", /sk_test_[A-Za-z0-9]{16,250}/y), isPublic: () => true },
  word("stripe", "whsec_", /whsec_[A-Za-z0-9+/=]{24,100}/y),
  word("anthropic", "sk-ant-", /sk-ant-[A-Za-z0-9_-]{20,250}/y),
  word("openrouter", "sk-or-", /sk-or-[A-Za-z0-9_-]{20,250}/y),
  word("openai", "sk-proj-", /sk-proj-[A-Za-z0-9_-]{20,250}/y),
  word("openai", "sk-svcacct-", /sk-svcacct-[A-Za-z0-9_-]{20,250}/y),
  word("openai", "sk-", /sk-[A-Za-z0-9]{24,250}(?![A-Za-z0-9-])/y),
  word("google", "AIza", /AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/y),
  word("google", "ya29.", /ya29\.[A-Za-z0-9_-]{30,500}/y),
  word("google", "GOCSPX-", /GOCSPX-[A-Za-z0-9_-]{20,60}/y),
  { ...word("npm", "npm_", /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/y), isValid: hasTokenChecksum },
  word("pypi", "pypi-AgE", /pypi-AgE[A-Za-z0-9_-]{50,500}/y),
  word("twilio", "SK", /SK[0-9a-f]{32}(?![A-Za-z0-9])/y),
  word("sendgrid", "SG.", /SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}/y),
  word("huggingface", "hf_", /hf_[A-Za-z0-9]{30,60}(?![A-Za-z0-9])/y),
  word("replicate", "r8_", /r8_[A-Za-z0-9]{30,60}/y),
  word("groq", "gsk_", /gsk_[A-Za-z0-9]{40,80}/y),
  word("xai", "xai-", /xai-[A-Za-z0-9]{60,100}/y),
  word("perplexity", "pplx-", /pplx-[A-Za-z0-9]{40,80}/y),
  word("digitalocean", "dop_v1_", /dop_v1_[0-9a-f]{64}/y),
  word("linear", "lin_api_", /lin_api_[A-Za-z0-9]{32,64}/y),
  word("notion", "ntn_", /ntn_[A-Za-z0-9]{40,60}/y),
  word("figma", "figd_", /figd_[A-Za-z0-9_-]{36,60}/y),
  word("vault", "hvs.", /hvs\.[A-Za-z0-9_-]{24,200}/y),
  word("databricks", "dapi", /dapi[0-9a-f]{32}(?:-\d)?(?![0-9a-z])/y),
  word("shopify", "shpat_", /shpat_[0-9a-f]{32}/y),
  word("tavily", "tvly-", /tvly-[A-Za-z0-9_-]{20,60}/y),
  word("age", "AGE-SECRET-KEY-1", /AGE-SECRET-KEY-1[A-Z0-9]{58}/y),
  {
    ...word("jwt", "eyJ", /eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,2000}/y),
    isPublic: isPublicToken,
  },
];

function word(provider: string, prefix: string, pattern: RegExp): SecretFormat {
  return { provider, prefix, pattern, startsWord: true };
}

function within(provider: string, prefix: string, pattern: RegExp): SecretFormat {
  return { provider, prefix, pattern, startsWord: false };
}
