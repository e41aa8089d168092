// Spellings of the header Authorization, from the colon on, with the result of each. TOKEN is a placeholder for a live one.

interface AuthorizationForm {
  readonly form: string;
  readonly expected: 'taken' | 'token_malformed' | 'not HTTP';
}

// biome-ignore format: One row a form.
const forms: Record<string, AuthorizationForm['expected']> = {
  ' Bearer TOKEN':                 'taken',
  'Bearer TOKEN':                  'taken',
  ' bearer TOKEN':                 'taken',
  ' BEARER TOKEN':                 'taken',
  ' bEaReR TOKEN':                 'taken',
  ' \t Bearer TOKEN \t ':          'taken',
  ' Bearer\tTOKEN':                'token_malformed',
  ' Bearer  TOKEN':                'token_malformed',
  ' Bearer \tTOKEN':               'token_malformed',
  ' BearerTOKEN':                  'token_malformed',
  ' Bearer':                       'token_malformed',
  ' Bearer ':                      'token_malformed',
  '':                              'token_malformed',
  ' TOKEN':                        'token_malformed',
  ' Bearer TOKEN x':               'token_malformed',
  ' Bearer x TOKEN':               'token_malformed',
  ' Bearer TOKEN,TOKEN':           'token_malformed',
  ' Bearer TOKEN, Bearer TOKEN':   'token_malformed',
  ' Bearer TOKEN;':                'token_malformed',
  ' Bearer "TOKEN"':               'token_malformed',
  ' Bearer token=TOKEN':           'token_malformed',
  ' Bearer: TOKEN':                'token_malformed',
  ' Bearer%20TOKEN':               'token_malformed',
  ' Bearer\xa0TOKEN':              'token_malformed',
  ' Bearer TOKEN=':                'token_malformed',
  ' Bearer TOKEN%0a':              'token_malformed',
  ' Bearer TOKEN.':                'token_malformed',
  ' Basic TOKEN':                  'token_malformed',
  ' Token TOKEN':                  'token_malformed',
  ' JWT TOKEN':                    'token_malformed',
  ' DPoP TOKEN':                   'token_malformed',
  ' Bearer TOKEN\0':               'not HTTP',
  ' Bearer\r\n TOKEN':             'not HTTP',
  ' Bearer\nTOKEN':                'not HTTP',
};

export const authorizationForms: readonly (AuthorizationForm & { readonly name: string })[] = Object.entries(
  forms,
).map(([form, expected]) => ({ name: JSON.stringify(form), form, expected }));
