/** The report's style sheet; the page's policy allows exactly these bytes. */
export const HTML_STYLE: string = `
:root{color-scheme:light dark;--ground:#f6f7f9;--sheet:#fff;--ink:#1b1f27;--soft:#5b6472;--line:#dfe3ea;--code:#f2f4f7;
--dangerous:#b3261e;--dangerous-tint:#fdecea;--caution:#8a5a00;--caution-tint:#fff4dc;--safe:#1b6e3c;--safe-tint:#e6f4ea;--accent:#2f5fd0}
@media (prefers-color-scheme:dark){:root{--ground:#12151b;--sheet:#1a1e26;--ink:#e7eaf0;--soft:#9aa4b4;--line:#2c323d;--code:#12151b;
--dangerous:#ff8a80;--dangerous-tint:#3a1a1a;--caution:#f2c14e;--caution-tint:#332808;--safe:#7bd69a;--safe-tint:#12301d;--accent:#8ab0ff}}
.dangerous,.critical{--tone:var(--dangerous);--tint:var(--dangerous-tint)}.caution,.warn{--tone:var(--caution);--tint:var(--caution-tint)}
.safe{--tone:var(--safe);--tint:var(--safe-tint)}.info{--tone:var(--soft);--tint:var(--code)}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.page{max-width:60rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.75rem;letter-spacing:-.02em;margin:0}
.lead{color:var(--soft);margin:.25rem 0 1.5rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;margin:0 0 1rem;padding:0;list-style:none}
.tiles li{background:var(--sheet);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem}
.tiles b{display:block;color:var(--tone,inherit);font-size:1.9rem;line-height:1.1;font-variant-numeric:tabular-nums}
.tiles span{color:var(--soft);font-size:.85rem}
.bar{display:block;width:100%;height:.6rem;border-radius:.3rem;margin:0 0 1.5rem;background:var(--line)}
.bar rect{fill:var(--tone)}
.filter{position:absolute;opacity:0;pointer-events:none}
.filters{display:flex;flex-wrap:wrap;gap:.4rem;margin:0 0 1.25rem}
.filters label{border:1px solid var(--line);background:var(--sheet);border-radius:2rem;padding:.25rem .9rem;font-size:.88rem;cursor:pointer}
#show-all:checked~.filters [for=show-all],#show-dangerous:checked~.filters [for=show-dangerous],
#show-caution:checked~.filters [for=show-caution],#show-safe:checked~.filters [for=show-safe]{background:var(--ink);color:var(--sheet);border-color:var(--ink)}
.filter:focus-visible~.filters{outline:2px solid var(--accent);outline-offset:4px;border-radius:2rem}
#show-dangerous:checked~main>:not(.dangerous),#show-caution:checked~main>:not(.caution),#show-safe:checked~main>:not(.safe){display:none}
.card{background:var(--sheet);border:1px solid var(--line);border-left:.3rem solid var(--tone);border-radius:.6rem;padding:1.1rem 1.3rem;margin:0 0 1.1rem}
.card>header{display:flex;flex-wrap:wrap;align-items:center;gap:.2rem .8rem;margin-bottom:.6rem}
.card h2{font-size:1.2rem;margin:0;overflow-wrap:anywhere}
.verdict{border-radius:2rem;padding:.1rem .75rem;font-size:.8rem;font-weight:650;background:var(--tint);color:var(--tone)}
.path{flex-basis:100%;margin:0;color:var(--soft);font-size:.85rem;overflow-wrap:anywhere}
.digest{opacity:.7}
.finding{border-top:1px solid var(--line);padding:.9rem 0 .6rem}
.finding p{margin:.2rem 0;overflow-wrap:anywhere}
.finding h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
.level{font-size:.72rem;font-weight:700;letter-spacing:.04em;text-transform:uppercase;border-radius:.3rem;padding:.1rem .4rem;vertical-align:.08em;background:var(--tint);color:var(--tone)}
.rule{color:var(--soft)}
.place,.demoted,.tags,.coverage,.more,.reason{color:var(--soft);font-size:.85rem}
.code{background:var(--code);border:1px solid var(--line);border-radius:.4rem;margin:.5rem 0;padding:.55rem .8rem;overflow-x:auto;font-size:.85rem;line-height:1.5;white-space:pre-wrap;overflow-wrap:anywhere}
.path,.rule,.place,.code,.code code,dd code,td code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.number{display:inline-block;min-width:2.6rem;padding-right:.8rem;text-align:right;color:var(--soft);user-select:none}
mark{background:var(--tint);color:inherit;border-radius:.2rem;box-shadow:inset 0 -2px var(--tone)}
.info mark{background:none;box-shadow:inset 0 -2px var(--line)}
.chain{display:flex;flex-wrap:wrap;gap:.35rem 1.4rem;list-style:none;margin:.4rem 0;padding:0;font-size:.85rem}
.chain li{background:var(--code);border-radius:.3rem;padding:.1rem .55rem;position:relative;overflow-wrap:anywhere}
.chain li+li::before{content:"→";position:absolute;left:-1.15rem;color:var(--soft)}
.remedy{font-size:.92rem}
.remedy b{color:var(--soft);font-weight:600;margin-right:.3rem}
.tags span{border:1px solid var(--line);border-radius:.3rem;padding:0 .4rem}
.part{font-size:.9rem;color:var(--soft);margin:1rem 0 .4rem;border-top:1px solid var(--line);padding-top:.9rem}
.abilities{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1.1rem;margin:0;font-size:.88rem}
.abilities dt{color:var(--soft)}.abilities dd{margin:0}
dd code{background:var(--code);border-radius:.25rem;padding:.02rem .35rem;overflow-wrap:anywhere}
details{border-top:1px solid var(--line);padding:.6rem 0 .2rem;margin-top:.4rem}
summary{cursor:pointer;color:var(--soft);font-size:.9rem}
.unread{width:100%;border-collapse:collapse;font-size:.85rem}
.unread td{padding:.25rem .6rem .25rem 0;vertical-align:top;overflow-wrap:anywhere}
.rows{background:var(--sheet);border:1px solid var(--line);border-left:.3rem solid var(--safe);border-radius:.6rem;padding:1rem 1.3rem}
.rows h2{font-size:1.05rem;margin:0 0 .4rem}
.rows ul{list-style:none;margin:0;padding:0;font-size:.9rem}
.rows li{border-top:1px solid var(--line);padding:.3rem 0;display:flex;flex-wrap:wrap;gap:.1rem .8rem;align-items:baseline}
.rows li span{color:var(--soft);font-size:.82rem;overflow-wrap:anywhere}
footer{color:var(--soft);font-size:.82rem;margin-top:1.5rem;overflow-wrap:anywhere}
@media (max-width:40rem){.abilities{grid-template-columns:1fr}.card{padding:.9rem}}
@media print{body{background:none;font-size:11pt}.page{max-width:none;padding:0}.filters{display:none}.card,.finding{break-inside:avoid}.card{border-color:#999}}
`;
