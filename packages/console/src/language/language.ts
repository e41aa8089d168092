// The language of the console: the user's choice, or the browser's. A text that is missing in one language, or called
// with wrong arguments, is a compile error.
import { type ComputedRef, computed, readonly, ref, watchEffect } from 'vue';
import { recall, remember } from '../remembered.ts';

export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

/** The texts of another language: each is a string, or a function with the same parameters. */
type SameTexts<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : SameTexts<T[K]>;
};

export interface Texts<T> {
  readonly en: T;
  readonly zh: SameTexts<T>;
}

/** @example const texts = defineTexts({ en: { users: (n: number) => `${n} users` }, zh: { users: (n) => `${n} 个用户` } }); */
export function defineTexts<T>(texts: { readonly en: T; readonly zh: SameTexts<NoInfer<T>> }): Texts<T> {
  return texts;
}

const chosen = ref<Language>(readChosen());
export const language = readonly(chosen);

export function setLanguage(next: Language): void {
  chosen.value = next;
  remember('language', next);
}

watchEffect(() => {
  document.documentElement.lang = chosen.value === 'zh' ? 'zh-CN' : 'en';
});

/** @example const t = useTexts(texts); // in a template: {{ t.users(3) }} */
export function useTexts<T>(texts: Texts<T>): ComputedRef<SameTexts<T>> {
  return computed(() => (chosen.value === 'zh' ? texts.zh : (texts.en as SameTexts<T>)));
}

function readChosen(): Language {
  const kept = recall('language');
  const known = languages.find((one) => one === kept);
  return known ?? (navigator.language.startsWith('zh') ? 'zh' : 'en');
}
