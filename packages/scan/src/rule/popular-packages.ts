/** Packages that very many others depend on, and honest ones whose names lie next to them. */
export const NPM_PACKAGES: ReadonlySet<string> = new Set(
  `react react-dom preact redux lodash lodash-es underscore express express-session fastify chalk commander debug
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
  bunyan log4js ajv js-yaml yaml ws mime chokidar fs-extra execa shelljs which tar color openapi tslint dotenvx`
    .split(/\s+/)
    .filter((name) => name !== ""),
);

/** The same for Python. */
export const PYTHON_PACKAGES: ReadonlySet<string> = new Set(
  `requests urllib urllib3 httpx aiohttp flask django fastapi uvicorn gunicorn starlette jinja2 click typer rich
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
  whisper openai-whisper moviepy pydub librosa streamlit gradio dash bokeh dataset websocket openapi scapy pyqt5 pyqt6`
    .split(/\s+/)
    .filter((name) => name !== ""),
);
