// Whether logs show relative or exact times: a preference of the reader.
import { readonly, ref } from 'vue';
import { recall, remember } from '../remembered.ts';

const exact = ref(recall('times') === 'exact');
export const isExact = readonly(exact);

export function setExact(next: boolean): void {
  exact.value = next;
  remember('times', next ? 'exact' : 'relative');
}
