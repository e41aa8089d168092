// Whether the logs tell how long ago something was, or when. The reader's choice.
import { readonly, ref } from 'vue';
import { recall, remember } from '../remembered.ts';

const exact = ref(recall('times') === 'exact');
export const isExact = readonly(exact);

export function setExact(next: boolean): void {
  exact.value = next;
  remember('times', next ? 'exact' : 'relative');
}
