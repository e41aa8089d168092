// A page whose file could not be fetched: the line was cut, or the service was upgraded and has other files now.
import { readonly, ref } from 'vue';
import type { Router } from 'vue-router';

const failed = ref('');
/** The address of the page; empty where every page came. */
export const failedPage = readonly(failed);

export function watchPages(router: Router): void {
  router.onError((_error, to) => {
    failed.value = router.resolve(to).href;
  });
  router.afterEach((_to, _from, failure) => {
    if (failure === undefined) failed.value = '';
  });
}
