/** Whether HTML or SVG knows an element of this name; others in prose are placeholders, or pretend to be a system's own tags. */
export function isKnownElement(name: string): boolean {
  return KNOWN.has(name.toLowerCase());
}

const KNOWN: ReadonlySet<string> = new Set(
  (
    "a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col " +
    "colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 " +
    "h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark menu meta meter nav " +
    "noscript object ol optgroup option p param picture pre progress q rp rt ruby s samp script search section select slot " +
    "small source span strike strong style sub summary sup svg table tbody td textarea tfoot th thead time title tr track tt " +
    "u ul var video wbr g path rect circle ellipse line polyline polygon text tspan defs use image symbol marker mask " +
    "pattern filter foreignobject animate animatetransform set desc metadata clippath lineargradient radialgradient stop"
  ).split(" "),
);
