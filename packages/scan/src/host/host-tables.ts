import { wordSet } from "../word-list.ts";

/**
 * Public places where anyone can put a text, a file, a page or an endpoint, by registered suffix.
 *
 * They say how much an address tells about who is behind it. None of them is an indicator: the shape is what is judged.
 */
export const PASTE: ReadonlySet<string> = wordSet(`
  pastebin.com paste.ee paste.rs pastes.io paste.debian.net dpaste.com dpaste.org hastebin.com ghostbin.com
  rentry.co rentry.org glot.io controlc.com justpaste.it ix.io sprunge.us termbin.com 0bin.net
  privatebin.net gist.githubusercontent.com snippet.host write.as telegra.ph bpa.st paste.centos.org
  jsonbin.io textbin.net pastie.org
`);

export const SHORTENER: ReadonlySet<string> = wordSet(`
  bit.ly tinyurl.com t.co goo.gl is.gd v.gd ow.ly cutt.ly rb.gy shorturl.at tiny.cc rebrand.ly bit.do t.ly
  s.id soo.gd clck.ru dub.sh lnkd.in buff.ly shorte.st qr.ae git.io
`);

export const TUNNEL: ReadonlySet<string> = wordSet(`
  ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev trycloudflare.com loca.lt localtunnel.me
  serveo.net localhost.run lhr.life bore.pub pinggy.io pinggy.link telebit.io playit.gg tunnelto.dev
  devtunnels.ms ts.net onion duckdns.org no-ip.org ddns.net hopto.org zapto.org
`);

export const COLLECTOR: ReadonlySet<string> = wordSet(`
  webhook.site requestbin.com requestbin.net pipedream.net requestcatcher.com beeceptor.com hookbin.com
  requestinspector.com postb.in putsreq.com oast.fun oast.live oast.me oast.online oast.pro oast.site
  interact.sh interactsh.com burpcollaborator.net oastify.com canarytokens.com dnslog.cn ceye.io
  webhookrelay.com hookdeck.com typedwebhook.tools mockbin.org webhook-test.com grabify.link iplogger.org
  ipify.cc
`);

/** Host and first path of chat services that take a message from anyone who knows the address. */
export const WEBHOOK: readonly (readonly [host: string, path: string])[] = [
  ["discord.com", "/api/webhooks/"],
  ["discordapp.com", "/api/webhooks/"],
  ["canary.discord.com", "/api/webhooks/"],
  ["ptb.discord.com", "/api/webhooks/"],
  ["hooks.slack.com", "/services/"],
  ["api.telegram.org", "/bot"],
  ["hooks.zapier.com", "/hooks/"],
  ["maker.ifttt.com", "/trigger/"],
  ["ntfy.sh", "/"],
  ["formspree.io", "/"],
  ["script.google.com", "/macros/"],
];

export const FREE_HOSTING: ReadonlySet<string> = wordSet(`
  vercel.app netlify.app pages.dev workers.dev herokuapp.com onrender.com fly.dev railway.app up.railway.app
  repl.co replit.app replit.dev glitch.me surge.sh web.app firebaseapp.com github.io gitlab.io
  000webhostapp.com wixsite.com weebly.com blogspot.com wordpress.com azurewebsites.net cloudfront.net
  appspot.com run.app deno.dev val.run hf.space streamlit.app lovable.app framer.app framer.website carrd.co
  notion.site sites.google.com r2.dev s3.amazonaws.com b-cdn.net infinityfreeapp.com neocities.org
  tiiny.site bolt.host vercel.sh
`);

export const FILE_SHARING: ReadonlySet<string> = wordSet(`
  transfer.sh file.io 0x0.st anonfiles.com gofile.io mega.nz mediafire.com wetransfer.com we.tl catbox.moe
  litter.catbox.moe tmpfiles.org temp.sh bashupload.com uguu.se filebin.net sendspace.com zippyshare.com
  dropmefiles.com ufile.io pixeldrain.com cdn.discordapp.com media.discordapp.net dropbox.com
  dropboxusercontent.com drive.google.com docs.google.com 1drv.ms disk.yandex.ru workupload.com oshi.at
`);

export const CODE_HOST: ReadonlySet<string> = wordSet(`
  github.com raw.githubusercontent.com objects.githubusercontent.com codeload.github.com api.github.com
  gist.github.com gitlab.com bitbucket.org codeberg.org sr.ht sourceforge.net gitee.com cdn.jsdelivr.net
  unpkg.com esm.sh cdnjs.cloudflare.com
`);

export const PACKAGE_REGISTRY: ReadonlySet<string> = wordSet(`
  npmjs.com npmjs.org pypi.org pythonhosted.org crates.io rubygems.org pkg.go.dev proxy.golang.org
  packagist.org nuget.org hub.docker.com docker.io ghcr.io quay.io gcr.io formulae.brew.sh brew.sh
  packages.debian.org launchpad.net flathub.org snapcraft.io chocolatey.org marketplace.visualstudio.com
  open-vsx.org apps.apple.com play.google.com microsoft.com huggingface.co maven.org jitpack.io anaconda.org
  conda.io
`);
