import { phrases, words } from "../word-list.ts";

/**
 * Vendors by the first word of their keys' names, with their registered domains. Sending a key to its own
 * vendor is normal use. Domains must match exactly: `api-openai.com` is not OpenAI's.
 */
export const VENDORS: ReadonlyMap<string, readonly string[]> = new Map(
  phrases(`
    ADZUNA adzuna.com, AIRTABLE airtable.com, ALIBABA aliyuncs.com alibabacloud.com,
    ALPHAVANTAGE alphavantage.co, AMADEUS amadeus.com, ANTHROPIC anthropic.com, APIFY apify.com,
    ASANA asana.com, ASSEMBLYAI assemblyai.com, ATLASSIAN atlassian.net atlassian.com,
    AWS amazonaws.com aws.amazon.com,
    AZURE azure.com azure.net windows.net microsoft.com microsoftonline.com aka.ms, BASEROW baserow.io,
    BITLY bitly.com, BRAVE brave.com, BREVO brevo.com, CALENDLY calendly.com, CEREBRAS cerebras.ai,
    CIRCLECI circleci.com, CLAUDE anthropic.com claude.ai claude.com, CLICKUP clickup.com,
    CLOUDFLARE cloudflare.com, CLOUDINARY cloudinary.com, COHERE cohere.ai cohere.com,
    COINGECKO coingecko.com, COINMARKETCAP coinmarketcap.com, CONFLUENCE atlassian.net,
    DATADOG datadoghq.com datadoghq.eu, DEEPGRAM deepgram.com, DEEPL deepl.com, DEEPSEEK deepseek.com,
    DIGITALOCEAN digitalocean.com, DISCORD discord.com discordapp.com, DROPBOX dropboxapi.com dropbox.com,
    ELEVENLABS elevenlabs.io, EXA exa.ai, FAL fal.ai fal.run, FIGMA figma.com, FIRECRAWL firecrawl.dev,
    FINNHUB finnhub.io, FIREBASE googleapis.com firebaseio.com, FIREWORKS fireworks.ai, GCP googleapis.com,
    GEMINI googleapis.com, GH github.com githubusercontent.com githubcopilot.com, GITHUB github.com githubusercontent.com githubcopilot.com,
    GITLAB gitlab.com, GMAIL googleapis.com gmail.com google.com, GOOGLE googleapis.com google.com,
    GROQ groq.com, GROK x.ai, HF huggingface.co hf.space, HUBSPOT hubapi.com hubspot.com,
    HUGGINGFACE huggingface.co, HUGGINGFACEHUB huggingface.co, IMGUR imgur.com, INTERCOM intercom.io,
    JINA jina.ai, JIRA atlassian.net, KAGI kagi.com, KLAVIYO klaviyo.com, LANGCHAIN langchain.com,
    LANGFUSE langfuse.com, LINE line.me, LINEAR linear.app, LINKEDIN linkedin.com, MAILCHIMP mailchimp.com,
    MAILGUN mailgun.net, MAPBOX mapbox.com, MINIMAX minimax.io minimaxi.com minimax.chat,
    MISTRAL mistral.ai, MONDAY monday.com, MOONSHOT moonshot.cn moonshot.ai, NEON neon.tech,
    NETLIFY netlify.com, NEWSAPI newsapi.org, NOTION notion.com notion.so, NPM npmjs.org npmjs.com,
    NVIDIA nvidia.com, OPENAI openai.com azure.com, OPENROUTER openrouter.ai,
    OPENWEATHER openweathermap.org, OPENWEATHERMAP openweathermap.org, PAGERDUTY pagerduty.com,
    PAYPAL paypal.com, PERPLEXITY perplexity.ai, PEXELS pexels.com, PINECONE pinecone.io,
    POLYGON polygon.io, POSTHOG posthog.com, PYPI pypi.org, REDDIT reddit.com,
    REPLICATE replicate.com replicate.delivery, RESEND resend.com, SALESFORCE salesforce.com force.com,
    SENDGRID sendgrid.com, SENTRY sentry.io, SERPAPI serpapi.com, SERPER serper.dev,
    SHOPIFY shopify.com myshopify.com, SILICONFLOW siliconflow.cn siliconflow.com, SLACK slack.com,
    SPOTIFY spotify.com, SQUARE squareup.com, STABILITY stability.ai, STRIPE stripe.com,
    SUPABASE supabase.co supabase.com, TAVILY tavily.com, TELEGRAM telegram.org, TMDB themoviedb.org,
    TODOIST todoist.com, TOGETHER together.ai together.xyz, TRELLO trello.com, TWILIO twilio.com,
    TWITTER twitter.com x.com, UNSPLASH unsplash.com, VERCEL vercel.com, VOYAGE voyageai.com,
    WANDB wandb.ai, X x.com twitter.com, XAI x.ai, YOUTUBE googleapis.com youtube.com, ZHIPU bigmodel.cn,
    ZOOM zoom.us
  `).map((row): [string, readonly string[]] => {
    const [name = "", ...domains] = words(row);
    return [name, domains];
  }),
);

/** Domains of vendors and projects that users download from and talk to every day. */
export const KNOWN_DOMAINS: ReadonlySet<string> = new Set([
  ...Array.from(VENDORS.values()).flat(),
  ...words(`
    apple.com adobe.com android.com apache.org archlinux.org arxiv.org astral.sh bun.sh chromium.org
    cursor.com debian.org deno.land deno.com docker.com eclipse.org ffmpeg.org foundry.paradigm.xyz
    getfoundry.sh gnu.org go.dev golang.org grafana.com haskell.org hashicorp.com imagemagick.org intel.com
    jetbrains.com k6.io kernel.org kubernetes.io k8s.io llvm.org mit.edu mongodb.com mozilla.org mysql.com
    nodejs.org nodesource.com obsidian.md ollama.com openjdk.org oracle.com pandoc.org php.net
    playwright.dev pnpm.io postgresql.org postman.com python.org pytorch.org qt.io r-project.org
    raspberrypi.com redis.io ruby-lang.org rust-lang.org rustup.rs snyk.io solana.com sqlite.org
    stackoverflow.com swift.org tailscale.com tensorflow.org terraform.io ubuntu.com unity.com videolan.org
    visualstudio.com w3.org wikipedia.org yarnpkg.com ziglang.org zotero.org agentskills.io
    modelcontextprotocol.io skills.sh clawhub.ai clawhub.com openclaw.ai clawd.bot
  `),
]);
