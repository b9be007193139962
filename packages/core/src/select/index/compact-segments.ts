import { mergeSegments } from "./merge-segments.ts";
import { MAX_SEGMENT_SKILLS, type Segment } from "./segment.ts";

/** Every segment costs every message a look-up of all its terms; with more than these, the small ones become one. */
const MAX_SEGMENTS = 4;
const SMALL_SEGMENT_SKILLS = MAX_SEGMENT_SKILLS / 2;

/** With more than this gone, a segment is written anew without them. */
const MAX_DEAD_SHARE = 0.25;

/** Puts small segments together where many have piled up, and leaves out skills that are gone where those are many. */
export function compactSegments(
  segments: readonly Segment[],
  isAlive: (key: string) => boolean,
): readonly Segment[] {
  const sizes = new Map(segments.map((segment) => [segment, segment.keys.filter(isAlive).length]));
  const sizeOf = (segment: Segment): number => sizes.get(segment) ?? 0;
  const isMany = segments.length > MAX_SEGMENTS;
  const isLoose = (segment: Segment): boolean =>
    segment.keys.length - sizeOf(segment) > segment.keys.length * MAX_DEAD_SHARE ||
    (isMany && sizeOf(segment) < SMALL_SEGMENT_SKILLS);
  const loose = segments.filter(isLoose);
  if (loose.length === 0) return segments;
  const firm = segments.filter((segment) => !loose.includes(segment));
  return [...firm, ...groupBySize(loose, sizeOf).map((group) => mergeSegments(group, isAlive))];
}

/** In order, as many to a group as one segment holds; nothing of what is gone altogether. */
function groupBySize(
  segments: readonly Segment[],
  sizeOf: (segment: Segment) => number,
): readonly (readonly Segment[])[] {
  const groups: Segment[][] = [];
  let room = 0;
  for (const segment of segments) {
    const size = sizeOf(segment);
    if (size === 0) continue;
    if (size > room) {
      groups.push([]);
      room = MAX_SEGMENT_SKILLS;
    }
    groups.at(-1)?.push(segment);
    room -= size;
  }
  return groups;
}
