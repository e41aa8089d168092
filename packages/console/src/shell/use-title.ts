// Sets the page title to the name of an object, once it is loaded.
import { watchEffect } from 'vue';

export function useTitle(nameOf: () => string | undefined): void {
  watchEffect(() => {
    const name = nameOf();
    if (name !== undefined) document.title = `${name} · Portcullis`;
  });
}
