// Toasts: short notes that disappear after a while.
import { readonly, ref } from 'vue';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

const shown = ref<readonly Toast[]>([]);
let lastId = 0;
const shownMilliseconds = 6000;

export const toasts = readonly(shown);

export function showToast(text: string, tone: Toast['tone'] = 'good'): void {
  lastId += 1;
  const id = lastId;
  shown.value = [...shown.value, { id, text, tone }];
  setTimeout(() => dismissToast(id), shownMilliseconds);
}

export function dismissToast(id: number): void {
  shown.value = shown.value.filter((toast) => toast.id !== id);
}
