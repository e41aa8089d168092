// The title of the page of one thing: its name, once that is known.
import { watchEffect } from 'vue';

export function useTitle(nameOf: () => string | undefined): void {
  watchEffect(() => {
    const name = nameOf();
    if (name !== undefined) document.title = `${name} · Portcullis`;
  });
}
