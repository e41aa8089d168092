// The light or dark theme: the user's choice, or the system's. The colours are in style.css.
import { readonly, ref, watchEffect } from 'vue';
import { recall, remember } from './remembered.ts';

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const system = matchMedia('(prefers-color-scheme: dark)');
const chosen = ref<Theme>(
  themes.find((one) => one === recall('theme')) ?? (system.matches ? 'dark' : 'light'),
);
export const theme = readonly(chosen);

export function setTheme(next: Theme): void {
  chosen.value = next;
  remember('theme', next);
}

watchEffect(() => {
  document.documentElement.dataset.theme = chosen.value;
});
