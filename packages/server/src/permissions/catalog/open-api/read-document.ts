// Reads the text of a document, JSON or YAML, without trusting it: no alias bombs, no nesting without an end, and no key
// that is written twice, because one of the two would be lost unseen.
import { catalogLimits } from '@portcullis/contract';
import { isScalar, parseDocument, visit, type YAMLMap } from 'yaml';
import { plainText } from './plain-text.ts';

/** Aliases are counted by what they expand to. */
const mostAliases = 100;
const mostShown = 300;

export function readDocument(text: string): { document: unknown } | { reason: string } {
  if (Buffer.byteLength(text) > catalogLimits.documentBytes)
    return {
      reason: `It is larger than ${catalogLimits.documentBytes / 1024 / 1024} MB. Split it into several services.`,
    };
  try {
    const bare = text.replace(/^\uFEFF/, '');
    return { document: /^\s*\{/.test(bare) ? JSON.parse(bare) : readYaml(bare) };
  } catch (error) {
    return { reason: `It cannot be read. ${plainText((error as Error).message, mostShown)}` };
  }
}

/** The library's own check of keys compares each with all others: 10,000 paths would take seconds. */
function readYaml(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'error' });
  const [problem] = document.errors;
  if (problem !== undefined) throw problem;
  visit(document, { Map: (_, map) => refuseDoubles(map) });
  return document.toJS({ maxAliasCount: mostAliases });
}

function refuseDoubles(map: YAMLMap): void {
  const seen = new Set<unknown>();
  for (const { key } of map.items) {
    const name = isScalar(key) ? key.value : key;
    if (seen.has(name)) throw new Error(`The key ${JSON.stringify(name)} is written twice.`);
    seen.add(name);
  }
}
