// The languages of the product, and how a request chooses one (Accept-Language).
export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];
export type Text = Readonly<Record<Language, string>>;

export const successMessage: Text = { en: 'success', zh: '操作成功' };

/** The language with the highest weight in `Accept-Language` that the product has; English when none is named. */
export function negotiateLanguage(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined) return 'en';
  let best: Language = 'en';
  let bestWeight = 0;
  for (const range of acceptLanguage.split(',', 16)) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const language = languages.find((known) => tag === known || tag.startsWith(`${known}-`));
    const weight = weightOf(parameters);
    if (language !== undefined && weight > bestWeight) {
      best = language;
      bestWeight = weight;
    }
  }
  return best;
}

function weightOf(parameters: string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return weight === undefined ? 1 : Number.parseFloat(weight.slice(2)) || 0;
}
