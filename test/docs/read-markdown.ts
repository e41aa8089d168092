// What the checks of the documents read in a Markdown file: fenced blocks, links and anchors. It knows the Markdown that
// we write, and not all that there is.
import { slugOf } from '../../docs/.vitepress/slug.ts';

export interface Block {
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** What stands behind the language. */
  readonly marks: readonly string[];
  readonly text: string;
}

export interface Link {
  readonly line: number;
  readonly target: string;
}

export function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    if (open === undefined) {
      const info = /^```(.*)$/.exec(line)?.[1];
      if (info !== undefined) open = { line: index + 1, info, lines: [] };
    } else if (line === '```') {
      const [language = '', ...marks] = open.info.trim().split(/\s+/);
      blocks.push({ line: open.line, language, marks, text: open.lines.join('\n') });
      open = undefined;
    } else open.lines.push(line);
  }
  return blocks;
}

/** Of links, pictures, HTML and the front matter of a landing page, in the order of lines. */
export function readLinks(markdown: string): Link[] {
  return withoutCode(markdown).flatMap((text, index) => {
    const targets = [
      ...[...text.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)].map(([, target]) => target),
      ...[...text.matchAll(/\b(?:href|src)="([^"]+)"/g)].map(([, target]) => target),
      ...[...text.matchAll(/^\s*(?:link|src): (\S+)$/g)].map(([, target]) => target),
      ...[...text.matchAll(/^\[[^\]]+\]: (\S+)/g)].map(([, target]) => target),
    ];
    return targets.flatMap((target) => (target === undefined ? [] : [{ line: index + 1, target }]));
  });
}

/** The anchors of all headings; a second heading of a name gets a number, as on GitHub. */
export function readAnchors(markdown: string): Set<string> {
  const anchors = new Set<string>();
  const seen = new Map<string, number>();
  for (const [, heading = ''] of withoutFences(markdown)
    .join('\n')
    .matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugOf(heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, ''));
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

function withoutCode(markdown: string): string[] {
  return withoutFences(markdown).map((line) => line.replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, ''));
}

/** Lines keep their numbers. */
function withoutFences(markdown: string): string[] {
  let isOpen = false;
  return markdown.split('\n').map((line) => {
    const isFence = line.startsWith('```');
    const isText = !isFence && !isOpen;
    if (isFence) isOpen = !isOpen;
    return isText ? line : '';
  });
}
