// Matches a user against typed text like the service: every typed word is a prefix of the username
// or of a word of the name.
interface Person {
  readonly username: string;
  readonly name: string;
}

export function isFoundBy({ username, name }: Person, typed: string): boolean {
  const full = lettersOf(name);
  const words = [lettersOf(username), ...full.split(' '), ...full.split(/[-'’·.,()/&_ ]/)];
  return lettersOf(typed)
    .split(' ')
    .every((part) => words.some((word) => word.startsWith(part)));
}

function lettersOf(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}
