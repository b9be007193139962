import type { TreeFile } from "@skillet/core";
import { wordSet, wordTable } from "../word-list.ts";

/** Magic bytes and the first line decide before the name. */
export type FileKind = Language | Document | Program | "archive" | "link" | "empty" | "binary";
type Document = "office" | "pdf" | "image" | "media" | "font";
type Program = "executable" | "bytecode" | "shortcut";

/** `text` if the language is unknown; Ruby, Perl, PHP, Go, Lua, AppleScript and the like are `code`, read as text that contains code. */
export type Language =
  | CommandLanguage
  | ProgramLanguage
  | DataLanguage
  | MarkupLanguage
  | "markdown"
  | "text";
type CommandLanguage = "shell" | "powershell" | "batch" | "dockerfile" | "makefile";
type ProgramLanguage = "python" | "javascript" | "typescript" | "notebook" | "code";
type DataLanguage = "json" | "yaml" | "toml" | "ini" | "csv";
type MarkupLanguage = "html" | "svg" | "xml" | "css";

export function isLanguage(kind: FileKind): kind is Language {
  return !NO_TEXT.has(kind);
}

const NO_TEXT: ReadonlySet<string> = wordSet(`
  archive office pdf image media font executable bytecode shortcut link empty binary
`);

/** A file of a skill to be scanned: `TreeFile` of core, with the reason if its bytes could not be read. */
export interface SkillFile extends TreeFile {
  /** Why `bytes` are not the whole file; a skill with such a file is never safe. */
  readonly unread?: string;
}

/** Whether a file was analysed, and if not completely, why. */
export interface FileCoverage {
  /** Relative to the skill; a member of an archive is `archive.zip!/member`. */
  readonly file: string;
  readonly kind: FileKind;
  readonly size: number;
  /** `partly`: something in it could not be parsed, unpacked or decoded; `unread`: nothing was looked at. */
  readonly state: "read" | "partly" | "unread";
  readonly reason?: string;
}

export function kindByName(path: string): FileKind | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const known = KIND_BY_WHOLE_NAME.get(name);
  if (known !== undefined) return known;
  if (name.startsWith("dockerfile.") || name.startsWith("containerfile.")) return "dockerfile";
  if (name === ".env" || name.startsWith(".env.")) return "ini";
  const suffix = suffixOf(name);
  return suffix === "" ? undefined : KIND_BY_SUFFIX.get(suffix);
}

/** The last suffix of a name in lower case, without its dot; empty if there is none. Trailing dots and spaces are ignored, as on Windows. */
export function suffixOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const bare = name.replace(/[. ]{1,20}$/, "");
  const dot = bare.lastIndexOf(".");
  return dot <= 0 ? "" : bare.slice(dot + 1);
}

const KIND_BY_WHOLE_NAME: ReadonlyMap<string, FileKind> = wordTable<FileKind>(`
  dockerfile dockerfile containerfile
  makefile makefile gnumakefile bsdmakefile justfile
  shell .bashrc .bash_profile .bash_login .bash_aliases .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .envrc pkgbuild apkbuild configure
  python sconstruct sconscript wscript
  code gemfile rakefile podfile fastfile vagrantfile brewfile guardfile capfile jenkinsfile procfile crontab ssh_config cmakelists.txt
  toml pipfile cargo.lock poetry.lock uv.lock
  json .babelrc .eslintrc .prettierrc composer.lock pipfile.lock .swcrc .jshintrc flake.lock bun.lock
  yaml .clang-format .clangd yarn.lock pnpm-lock.yaml
  ini .npmrc .pypirc .netrc .editorconfig .gitconfig gitconfig gitconfig.inc .gitmodules .pylintrc .flake8 .yarnrc .curlrc .wgetrc
  text license licence copying notice authors changelog contributors codeowners version readme .gitignore .gitattributes .dockerignore .npmignore .skillignore .nvmrc .python-version requirements.txt
`);

const KIND_BY_SUFFIX: ReadonlyMap<string, FileKind> = wordTable<FileKind>(`
  markdown md markdown mdx mdc mkd mdown rmd qmd
  shell sh bash zsh fish ksh dash ash csh tcsh command tool bats run
  powershell ps1 psm1 psd1 pssc
  batch bat cmd
  python py pyw pyi pyx pth gyp rpy
  javascript js mjs cjs jsx jse es6 gs
  typescript ts mts cts tsx
  json json jsonc json5 jsonl ndjson geojson webmanifest map har code-workspace avsc tfstate
  yaml yaml yml
  toml toml
  ini ini cfg conf env properties desktop service timer socket url scf reg inf directory editorconfig
  html html htm xhtml hta vue svelte astro mht mhtml
  svg svg
  xml xml plist xsl xslt xsd rss atom csproj vbproj props targets nuspec wsdl library-ms searchconnector-ms sct xaml resx storyboard rels xib webloc drawio dtd kml gpx wsf
  notebook ipynb
  dockerfile dockerfile containerfile
  makefile mk mak make just
  css css scss sass less styl
  csv csv tsv psv
  code rb pl pm php phtml go rs lua applescript scpt jxa c h cc cpp cxx hpp hh m mm java kt kts swift scala sc groovy gradle cs fs fsx vb vbs vba bas ex exs erl hrl clj cljs edn hs ml mli r jl dart nim zig v sv vhdl sql pgsql awk sed tcl expect el lisp scm rkt d pas asm s cmake tf tfvars hcl pbxproj cron crontab nix dhall proto thrift graphql gql prisma sol cairo move tex bib sty ahk au3 nsi iss ipxe jenkinsfile mod sum elm purs coffee litcoffee glsl frag vert wgsl hlsl metal cu cuh cl gd feature rego cue bicep jsonnet libsonnet j2 jinja jinja2 ejs erb hbs mustache liquid njk tmpl tpl template http rest j
  text txt text rst adoc asciidoc org log srt vtt po pot diff patch in example sample dist tmp bak old orig lock list pub pem crt cer key asc eml ics vcf mbox excalidraw puml plantuml mmd mermaid dot gv textile wiki nfo prompt
  archive zip jar war ear skill whl egg vsix xpi crx apk aab ipa nupkg mcpb dxt tar tgz gz tbz tbz2 bz2 txz xz 7z rar zst zstd lz lzma lz4 cab iso dmg deb rpm pkg cpio ar br
  office docx docm dotx dotm xlsx xlsm xltx xltm xlsb xlam pptx pptm potx potm ppsx ppsm odt ods odp odg epub doc xls ppt dot rtf pages numbers key vsdx one msg
  pdf pdf ai
  image png jpg jpeg jpe gif webp bmp ico icns tif tiff avif heic heif psd tga cur jxl jp2
  media mp3 mp4 m4a m4v wav flac ogg oga ogv opus avi mov mkv webm mid midi aac aiff wma wmv
  font ttf otf woff woff2 eot ttc
  executable exe dll scr com sys msi so dylib o a lib elf bin wasm node dex app appimage pyd cpl ocx efi ko
  bytecode pyc pyo class luac beam
  shortcut lnk pif
  binary db sqlite sqlite3 pkl pickle joblib pt pth5 npy npz h5 hdf5 onnx safetensors gguf parquet arrow feather dat data
`);
