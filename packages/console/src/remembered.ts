// What the browser keeps between visits: how the console looks and is used, and nothing of what it shows. Views are
// filters that a person named, and are kept for that person.
type Name = 'language' | 'theme' | 'shortcuts' | 'times' | `views.${string}`;

export function recall(name: Name): string | null {
  try {
    return localStorage.getItem(`portcullis.${name}`);
  } catch {
    return null;
  }
}

/** Where the browser keeps nothing, a choice lasts until the page is left. */
export function remember(name: Name, value: string): void {
  try {
    localStorage.setItem(`portcullis.${name}`, value);
  } catch {}
}
