// Why a mutant may live: it decides exactly as the original does. Every other survivor is a gap in the tests.

const tooShort =
  'Behind the end of the path there is no character that could equal the label, so the walk ends there too.';
const parameterTwice =
  'Where no literal fits, the parameter is tried one character too far first, and then properly: slower, and the same.';

export const survivors: Readonly<Record<string, string>> = {
  'decide.ts: if (at + labelLength > path.length) return false; => if (at - labelLength > path.length) return false;':
    tooShort,
  'decide.ts: if (at + labelLength > path.length) return false; => if (false) return false;': tooShort,
  'decide.ts: if (child < literals) { => if (child <= literals) {': parameterTwice,
  'decide.ts: if (child < literals) { => if (true) {': parameterTwice,
  'role-trie.ts: while (end < path.length && path.charCodeAt(end) !== colon && path.charCodeAt(end) !== star) end++; => while (end <= path.length && path.charCodeAt(end) !== colon && path.charCodeAt(end) !== star) end++;':
    'A slice that ends behind the end of its text ends with the text.',
  'canonical-path.ts: const allowedCodes = new Uint8Array(128); => const allowedCodes = new Uint8Array(129);':
    'One more place that holds the same "no" as everything behind the table.',
};
