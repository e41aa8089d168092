// Preferences in the browser's local storage: the appearance and use of the console, and no data of the service. Views
// are filters that a user saved, stored per user.
type Name = 'language' | 'theme' | 'shortcuts' | 'times' | `views.${string}`;

export function recall(name: Name): string | null {
  try {
    return localStorage.getItem(`portcullis.${name}`);
  } catch {
    return null;
  }
}

/** If the browser stores nothing, a choice lasts until the page is closed. */
export function remember(name: Name, value: string): void {
  try {
    localStorage.setItem(`portcullis.${name}`, value);
  } catch {}
}
