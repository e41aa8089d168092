// Parses an untrusted JSON or YAML document. It rejects alias bombs and endless nesting, and rejects a repeated key in
// YAML, because one of the two values would be lost silently.
import { catalogLimits } from '@portcullis/contract';
import { isScalar, parseDocument, visit, type YAMLMap } from 'yaml';
import { plainText } from './plain-text.ts';

/** The limit counts the nodes that the aliases expand to. */
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

/** `uniqueKeys: false`, because the library compares each key with all others: 10,000 paths would take seconds. */
function readYaml(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'error' });
  const [problem] = document.errors;
  if (problem !== undefined) throw problem;
  visit(document, { Map: (_, map) => refuseRepeatedKeys(map) });
  return document.toJS({ maxAliasCount: mostAliases });
}

function refuseRepeatedKeys(map: YAMLMap): void {
  const seen = new Set<unknown>();
  for (const { key } of map.items) {
    const name = isScalar(key) ? key.value : key;
    if (seen.has(name)) throw new Error(`The key ${JSON.stringify(name)} is written twice.`);
    seen.add(name);
  }
}
