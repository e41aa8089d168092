// Detects role keys and names that look like `admin`, the role that passes every check. The server decides nothing by such a key,
// but people do: a reader of a log or a list takes `adm1n` for `admin`.

const reserved = [
  'admin',
  'admins',
  'administrator',
  'administrators',
  'root',
  'sudo',
  'superadmin',
  'superuser',
  'sysadmin',
];

/** Characters of a role key that a quick reader confuses; pairs after single characters. */
const readAs: readonly (readonly [seen: string, taken: string])[] = [
  ['0', 'o'],
  ['1', 'l'],
  ['i', 'l'],
  ['j', 'l'],
  ['3', 'e'],
  ['4', 'a'],
  ['5', 's'],
  ['7', 't'],
  ['v', 'u'],
  ['rn', 'm'],
  ['nn', 'm'],
  ['cl', 'd'],
];

const reservedSkeletons = new Set(reserved.map(skeletonOf));

/** @example isAdminLookAlike('adm1n_2') // true: a number at the end does not make it another name */
export function isAdminLookAlike(roleKey: string): boolean {
  const withoutNumber = roleKey.replace(/[0-9_-]+$/, '');
  return reservedSkeletons.has(skeletonOf(roleKey)) || reservedSkeletons.has(skeletonOf(withoutNumber));
}

/** Letters of other scripts that look like Latin ones (homoglyphs), each followed by the Latin letter. */
const drawnAlike =
  'аaеeоoрpсcуyхxіiїiјjѕsԁdӏlмmтtнnАAЕEОOРPСCУYХXІIЇIЈJЅSМMТTНN αaοoιiνvρpτtυuκkΑAΟOΙIΝNΡPΤTΥYΚKΜMΕEΧX';
const latin: ReadonlyMap<string, string> = new Map(
  drawnAlike.match(/\S{2}/gu)?.map(([seen = '', taken = '']) => [seen, taken]),
);

/** The same for a display name, which can contain capitals, spaces, accents and letters of any script. */
export function readsLikeAdmin(name: string): boolean {
  const letters = name.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
  const read = [...letters].map((character) => latin.get(character) ?? character).join('');
  return isAdminLookAlike(read.toLowerCase());
}

function skeletonOf(roleKey: string): string {
  return readAs.reduce((text, [seen, taken]) => text.replaceAll(seen, taken), roleKey.replace(/[_-]/g, ''));
}
