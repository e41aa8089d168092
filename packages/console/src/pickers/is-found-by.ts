// Whether somebody is found by what is typed, as the service finds: every typed word begins the username or a word of the name.
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
