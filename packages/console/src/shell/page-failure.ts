// Handles a page whose file could not be loaded: the connection failed, or the service was
// upgraded and now has other files.
import { readonly, ref } from 'vue';
import type { Router } from 'vue-router';

const failed = ref('');
/** The address of the page; empty if every page was loaded. */
export const failedPage = readonly(failed);

export function watchPages(router: Router): void {
  router.onError((_error, to) => {
    failed.value = router.resolve(to).href;
  });
  router.afterEach((_to, _from, failure) => {
    if (failure === undefined) failed.value = '';
  });
}
