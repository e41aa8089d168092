// Says which role keys and names read like the one that passes every check. Nothing is decided by such a key, but people decide by
// what they read: who sees `adm1n` in a log or a list takes it for `admin`.

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

/** What a hurried eye takes for one another, among the characters of a role key; pairs after single ones. */
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

/** @example isAdminLookAlike('adm1n_2') // true: a number behind the name makes it no other one */
export function isAdminLookAlike(roleKey: string): boolean {
  const withoutNumber = roleKey.replace(/[0-9_-]+$/, '');
  return reservedSkeletons.has(skeletonOf(roleKey)) || reservedSkeletons.has(skeletonOf(withoutNumber));
}

/** Letters of other scripts that are drawn like Latin ones, each with what it is taken for. */
const drawnAlike =
  'аaеeоoрpсcуyхxіiїiјjѕsԁdӏlмmтtнnАAЕEОOРPСCУYХXІIЇIЈJЅSМMТTНN αaοoιiνvρpτtυuκkΑAΟOΙIΝNΡPΤTΥYΚKΜMΕEΧX';
const latin: ReadonlyMap<string, string> = new Map(
  drawnAlike.match(/\S{2}/gu)?.map(([seen = '', taken = '']) => [seen, taken]),
);

/** A name for people, with its capitals, spaces, accents and letters of any script. */
export function readsLikeAdmin(name: string): boolean {
  const letters = name.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
  const read = [...letters].map((letter) => latin.get(letter) ?? letter).join('');
  return isAdminLookAlike(read.toLowerCase());
}

function skeletonOf(roleKey: string): string {
  return readAs.reduce((text, [seen, taken]) => text.replaceAll(seen, taken), roleKey.replace(/[_-]/g, ''));
}
