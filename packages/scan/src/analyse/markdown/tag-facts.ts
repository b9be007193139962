import type { Fact } from "../../fact/fact.ts";
import type { DocumentPlaces, PlaceContext } from "./document-place.ts";
import type { MarkupToken } from "./markup-tokens.ts";

interface TagOrigin {
  readonly places: DocumentPlaces;
  readonly offset: number;
  readonly context: PlaceContext;
}

export function tagFacts(
  tag: MarkupToken & { readonly type: "open" },
  { places, offset, context }: TagOrigin,
): readonly Fact[] {
  const facts: Fact[] = [];
  for (const { name, value } of tag.attributes) {
    const role = linkRole(tag.name, name);
    if (role === undefined || value.trim() === "") continue;
    const url = value.trim();
    const place = places.place(offset, `<${tag.name} ${name}="${url}">`, { ...context, medium: "link" });
    facts.push({ ...place, kind: "link", url, label: "", role });
  }
  return facts;
}

function linkRole(tag: string, attribute: string): "link" | "image" | "embed" | undefined {
  switch (attribute) {
    case "href":
    case "xlink:href":
      return tag === "image" || tag === "use" || tag === "feimage" || tag === "link" ? "embed" : "link";
    case "src":
      return tag === "img" ? "image" : "embed";
    case "action":
    case "formaction":
      return "link";
    case "data":
      return tag === "object" ? "embed" : undefined;
    case "srcset":
    case "poster":
    case "background":
      return "image";
    default:
      return undefined;
  }
}
