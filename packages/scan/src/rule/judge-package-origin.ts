import { editDistance } from "@skillet/kit/nearest-name";
import { isPublicIndex } from "../analyse/data/read-dependencies.ts";
import type { Act, FactBook, FactPlace } from "../fact/fact.ts";
import type { RuleHit, SkillProfile } from "../finding/finding.ts";
import { classifyHost, hostOf, registeredDomain } from "../host/classify-host.ts";
import { toldNames } from "../prose/statements.ts";
import { lookalikeOf } from "../text/fold-text.ts";
import { wordSet } from "../word-list.ts";
import { type Destination, isNamedExample, judgeDestination } from "./judge-destination.ts";

type InstallPackage = Extract<Act, { readonly type: "install-package" }>;
type Judgement = Pick<RuleHit, "severity" | "message" | "demoted">;

/** Judges a package by where it comes from, as a package runs code when it is installed. */
export function judgePackageOrigin(
  place: FactPlace,
  act: InstallPackage,
  profile: SkillProfile,
  facts: FactBook,
): Judgement {
  if (act.from === "index") return judgeIndex(place, act, profile, facts);
  if (act.from === "url" || act.from === "git") return judgeAddress(place, act, profile);
  return {
    severity: "info",
    message: `${act.manager} installs ${act.pinned ? "" : "unpinned "}packages such as ${act.name}.`,
  };
}

function judgeIndex(
  place: FactPlace,
  { manager, url = "" }: InstallPackage,
  profile: SkillProfile,
  facts: FactBook,
): Judgement {
  const message = `${manager} takes packages from ${url}, which is not the public index.`;
  // `-c conda-forge` names a channel of the public index.
  if (isPublicIndex(url) || !/[.:]/.test(url))
    return { severity: "info", message: `${manager} takes packages from ${url}.` };
  const destination = originOf(url, profile);
  switch (destination) {
    case "local":
    case "placeholder":
      return { severity: "info", message, demoted: "the index is local or a placeholder" };
    case "known":
      return { severity: "info", message, demoted: "the index belongs to a well-known vendor" };
    case "throwaway":
      return { severity: "critical", message: `${message} Anybody can open one there.` };
    // A company's documents name its own index; a script accepts whatever that index calls a package.
    case "foreign": {
      const isSaid = isDocumented(place) || toldNames(facts).has(registeredDomain(hostOf(url) ?? ""));
      return { severity: isSaid ? "warn" : "critical", message };
    }
    default:
      return { severity: "warn", message };
  }
}

function originOf(url: string, profile: SkillProfile): Destination {
  const destination = judgeDestination(url, profile);
  return destination === "placeholder" && isNamedExample(url) ? "foreign" : destination;
}

function isDocumented({ medium, file }: FactPlace): boolean {
  return DOCUMENTED.has(medium) && !/(?:^|\/)(?:requirements|constraints)[\w.-]*\.txt$/i.test(file);
}

function judgeAddress(
  { medium }: FactPlace,
  { manager, name, from, pinned, url = "" }: InstallPackage,
  profile: SkillProfile,
): Judgement {
  const plain = `${manager} installs ${name} from a repository or address.`;
  if (/^(?:github:|[\w.-]+\/[\w.-]+(?:#|$))/.test(url)) return { severity: "info", message: plain };
  const destination = url === "" ? "unknown" : originOf(url, profile);
  const message = `${manager} installs ${name} from ${url}`;
  if (destination === "throwaway") {
    // Nobody reviews an archive that a package manager unpacks and runs.
    return { severity: from === "url" && !pinned ? "critical" : "warn", message: `${message}.` };
  }
  if (pinned || destination === "local" || destination === "placeholder" || destination === "unknown")
    return { severity: "info", message: plain };
  if (destination === "known") {
    const isPlain = from === "git" || DOCUMENTED.has(medium) || classifyHost(url) !== "code-host";
    return isPlain
      ? { severity: "info", message: plain }
      : { severity: "warn", message: `${message}, pinned to nothing.` };
  }
  const isStrange = destination === "foreign" && from === "url" && !isOwnHost(url);
  return {
    severity: isStrange ? "critical" : "warn",
    message: `${message}, pinned to nothing${isStrange ? ", a host that has nothing to do with it" : ""}.`,
  };
}

const DOCUMENTED: ReadonlySet<string> = wordSet("prose list table quote fence inline-code");

function isOwnHost(url: string): boolean {
  const host = hostOf(url) ?? "";
  if (OWN_SITES.has(host)) return true;
  const label = (registeredDomain(host).split(".")[0] ?? "").replaceAll("-", "").toLowerCase();
  const file = url.slice(url.lastIndexOf("/") + 1).toLowerCase();
  return label.length > 2 && file.replaceAll(/[-_]/g, "").includes(label);
}

/** Projects that publish on their own site under another name. */
const OWN_SITES: ReadonlySet<string> = new Set(["cdn.sheetjs.com", "download.pytorch.org", "data.pyg.org"]);

/** The well-known package that a name is one slip away from; undefined if it is that package or unlike any. */
export function typosquatOf(manager: string, name: string): string | undefined {
  const registry = registryOf(manager);
  if (registry === undefined || name.length > MAX_NAME_CHARACTERS) return undefined;
  const wanted = registry.normalise(name.toLowerCase().replace(/(?<=.)@[^/]*$/, ""));
  if (wanted.length < MIN_NAME_CHARACTERS || registry.names.has(wanted)) return undefined;
  const lookalike = registry.bySkeleton.get(skeleton(wanted));
  if (lookalike !== undefined) return lookalike;
  for (const known of registry.names) if (isOneSlip(wanted, known)) return known;
  return undefined;
}

const MAX_NAME_CHARACTERS = 100;
const MIN_NAME_CHARACTERS = 5;
/** Shorter honest names are often one letter apart, so only swapped letters count. */
const MIN_EDITED_CHARACTERS = 6;

interface Registry {
  readonly names: ReadonlySet<string>;
  readonly bySkeleton: ReadonlyMap<string, string>;
  readonly normalise: (name: string) => string;
}

/** Packages that very many others depend on, and honest ones with similar names. */
const NPM_PACKAGES: ReadonlySet<string> = wordSet(`
  react react-dom preact redux lodash lodash-es underscore express express-session fastify chalk commander debug
  axios request node-fetch cross-fetch isomorphic-fetch undici moment dayjs date-fns uuid nanoid dotenv dotenv-cli
  typescript webpack webpack-cli rollup esbuild parcel vite vitest jest mocha chai sinon eslint prettier stylelint
  babel-core @babel/core cross-env cross-spawn rimraf mkdirp glob minimatch semver yargs minimist inquirer enquirer
  ora boxen colors kleur picocolors async bluebird rxjs tslib core-js body-parser cookie-parser cors helmet morgan
  multer jsonwebtoken bcrypt bcryptjs mongoose mongodb mysql mysql2 sequelize sqlite3 better-sqlite3 redis ioredis
  socket.io socket.io-client puppeteer puppeteer-core playwright playwright-core cheerio jsdom electron nodemon pm2
  tailwindcss postcss autoprefixer styled-components next nuxt gatsby svelte angular vue vue-router vuex pinia
  discord.js telegraf ethers web3 viem wagmi hardhat ganache truffle openai langchain @anthropic-ai/sdk
  @modelcontextprotocol/sdk @openai/agents zod joi formik graphql apollo-server prisma @prisma/client typeorm knex
  sharp jimp archiver unzipper form-data qs superagent got node-gyp husky lint-staged concurrently http-server serve
  create-react-app ts-node tsx turbo lerna rc coa ua-parser-js event-stream crypto-js bignumber.js validator winston
  bunyan log4js ajv js-yaml yaml ws mime chokidar fs-extra execa shelljs which tar color openapi tslint dotenvx
`);

const PYTHON_PACKAGES: ReadonlySet<string> = wordSet(`
  requests urllib urllib3 httpx aiohttp flask django fastapi uvicorn gunicorn starlette jinja2 click typer rich
  numpy pandas polars scipy matplotlib seaborn plotly scikit-learn sklearn tensorflow torch torchvision torchaudio keras
  transformers datasets tokenizers accelerate diffusers huggingface-hub openai anthropic langchain langchain-core
  llama-index tiktoken boto3 botocore awscli google-cloud-storage google-generativeai azure-identity beautifulsoup4
  bs4 lxml selenium playwright scrapy pillow opencv-python opencv-python-headless pyyaml ruamel.yaml toml tomli
  pydantic attrs marshmallow sqlalchemy alembic psycopg psycopg2 psycopg2-binary pymysql pymongo redis celery
  cryptography pycryptodome pycrypto paramiko fabric ansible pytest pytest-cov coverage tox black flake8 mypy ruff
  isort pylint setuptools wheel pip pipenv poetry virtualenv python-dotenv dotenv python-dateutil pytz tqdm colorama
  termcolor tabulate jsonschema simplejson orjson ujson protobuf grpcio websockets websocket-client tornado twisted
  discord.py discord-py python-telegram-bot telethon web3 eth-account solana ccxt yfinance pypdf pypdf2 pdfplumber
  pymupdf reportlab python-docx openpyxl xlsxwriter markdown jupyter jupyterlab notebook ipython ipykernel nltk
  spacy gensim networkx sympy statsmodels xgboost lightgbm joblib psutil pyautogui pyperclip pexpect regex six
  certifi charset-normalizer idna packaging filelock fsspec loguru structlog tenacity cachetools mcp fastmcp
  whisper openai-whisper moviepy pydub librosa streamlit gradio dash bokeh dataset websocket openapi scapy pyqt5 pyqt6
`);

// PyPI treats `-`, `_` and `.` as equal; npm does not.
const PYPI: Registry = createRegistry(PYTHON_PACKAGES, (name) => name.replaceAll(/[-_.]+/g, "-"));
const NPM: Registry = createRegistry(NPM_PACKAGES, (name) => name);

function createRegistry(names: ReadonlySet<string>, normalise: (name: string) => string): Registry {
  const normal = Array.from(names, normalise);
  return {
    names: new Set(normal),
    bySkeleton: new Map(normal.map((name) => [skeleton(name), name])),
    normalise,
  };
}

function registryOf(manager: string): Registry | undefined {
  if (/^(?:npm|npx|yarn|pnpm|pnpx|bun|bunx)$/.test(manager)) return NPM;
  if (/^(?:pip|pip3|pipx|uv|uvx|poetry|pdm|python|python3)$/.test(manager)) return PYPI;
  return undefined;
}

/** The name as the eye reads it: no separators, and digits that look like letters replaced by those. */
function skeleton(name: string): string {
  const letters = name.normalize("NFKD").replaceAll(/[-_.]/g, "").replaceAll("0", "o").replaceAll("1", "l");
  return Array.from(letters.replaceAll("rn", "m"), (letter) => lookalikeOf(letter) ?? letter).join("");
}

function isOneSlip(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 1 || editDistance(left, right) !== 1) return false;
  const isSwap = left.length === right.length && [...left].sort().join("") === [...right].sort().join("");
  // `urllib3` beside `urllib`: a digit is a version, not a slip.
  const isVersion = left.replaceAll(/\d/g, "") === right.replaceAll(/\d/g, "");
  return isSwap || (right.length >= MIN_EDITED_CHARACTERS && !isVersion);
}
