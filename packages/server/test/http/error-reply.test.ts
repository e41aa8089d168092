import { AppError, type ErrorKind, errorAnswer, errorTable } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { asAppError } from '../../src/http/error-reply.ts';

const kinds = Object.keys(errorTable) as ErrorKind[];

describe('an error', () => {
  // biome-ignore format: One row an error.
  const cases: [string, unknown, ErrorKind][] = [
    ['a failed validation',              { validation: [], statusCode: 400 },                                 'params_invalid'],
    ['a body beyond the limit',          { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 },             'body_too_large'],
    ['another content type',             { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 },         'content_type_wrong'],
    ['an empty JSON body',               { code: 'FST_ERR_CTP_EMPTY_JSON_BODY', statusCode: 400 },            'params_invalid'],
    ['a body shorter than it said',      { code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH', statusCode: 400 },     'params_invalid'],
    ['a poisoned or broken JSON body',   Object.assign(new SyntaxError('x'), { statusCode: 400 }),            'params_invalid'],
    ['no such route',                    { statusCode: 404 },                                                 'route_not_found'],
    ['a bad URL',                        { code: 'FST_ERR_BAD_URL', statusCode: 400 },                        'params_invalid'],
    ['a reply that does not fit',        { code: 'FST_ERR_FAILED_ERROR_SERIALIZATION', statusCode: 500 },     'internal'],
    ['a bug',                            new TypeError('x is undefined'),                                     'internal'],
    ['a thrown text',                    'no',                                                                'internal'],
    ['Postgres away',                    { code: 'ECONNREFUSED' },                                            'unavailable'],
    ['Postgres gone',                    { code: 'ECONNRESET' },                                              'unavailable'],
    ['Postgres not found',               { code: 'ENOTFOUND' },                                               'unavailable'],
    ['Postgres silent',                  { code: 'ETIMEDOUT' },                                               'unavailable'],
    ['a broken pipe to Postgres',        { code: 'EPIPE' },                                                   'unavailable'],
    ['a socket of Postgres not there',   { code: 'ENOENT', syscall: 'connect' },                              'unavailable'],
    ['no more files to open',            { code: 'EMFILE' },                                                  'unavailable'],
    ['a connection exception',           { code: '08006' },                                                   'unavailable'],
    ['too many connections',             { code: '53300' },                                                   'unavailable'],
    ['a full disk',                      { code: '53100' },                                                   'unavailable'],
    ['a shutdown by the administrator',  { code: '57P01' },                                                   'unavailable'],
    ['Postgres starting up',             { code: '57P03' },                                                   'unavailable'],
    ['a statement that took too long',   { code: '57014' },                                                   'unavailable'],
    ['a read-only standby',              { code: '25006' },                                                   'unavailable'],
    ['no free connection',               new Error('timeout exceeded when trying to connect'),               'unavailable'],
    ['a connection that ended',          new Error('Connection terminated unexpectedly'),                    'unavailable'],
    ['a connection that never came',     new Error('Connection terminated due to connection timeout'),       'unavailable'],
    ['a violated constraint',            { code: '23505' },                                                   'internal'],
    ['a syntax error in SQL',            { code: '42601' },                                                   'internal'],
    ['a file that is not there',         { code: 'ENOENT', syscall: 'open' },                                 'internal'],
    ['an error of Node',                 { code: 'ERR_INVALID_ARG_TYPE' },                                    'internal'],
  ];

  it.each(cases)('that is %s becomes one of ours', (_what, error, kind) => {
    expect(asAppError(error).kind).toBe(kind);
  });

  it.each([undefined, null])('that is a thrown %s becomes one of ours', (error) => {
    expect(asAppError(error).kind).toBe('internal');
  });

  it('that we threw stays itself', () => {
    const error = new AppError('conflict');
    expect(asAppError(error)).toBe(error);
  });

  it('keeps a foreign error as the cause, for the process log', () => {
    const error = new TypeError('x is undefined');
    expect(asAppError(error).cause).toBe(error);
  });
});

describe('an error answer', () => {
  it.each(kinds)('for %s is exactly code and msg, in the language asked for', (kind) => {
    for (const language of ['en', 'zh'] as const) {
      const { status, body } = errorAnswer(new AppError(kind, { cause: new Error('secret') }), language);
      expect(status).toBe(errorTable[kind].status);
      expect(body).toBe(
        JSON.stringify({ code: errorTable[kind].code, msg: errorTable[kind].text[language] }),
      );
    }
  });

  it.each(kinds)('for %s names its reason in a header, where there is one', (kind) => {
    const row: { code: number; reason?: string } = errorTable[kind];
    const { headers } = errorAnswer(new AppError(kind), 'en');
    expect(headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
      ...(row.reason === undefined ? {} : { 'x-auth-reason': row.reason }),
    });
  });

  it.each(kinds)(
    'of the kind %s has another code for go-admin’s front end only where a permission is missing',
    (kind) => {
      const row: { code: number; status: number; reason?: string } = errorTable[kind];
      const { status, headers, body } = errorAnswer(new AppError(kind), 'en', 403);
      expect(JSON.parse(body).code).toBe(row.reason === 'permission_denied' ? 403 : row.code);
      expect({ ...errorAnswer(new AppError(kind), 'en'), body: '' }).toEqual({ status, headers, body: '' });
    },
  );

  it('has the text of the error where that knows more than its kind', () => {
    const text = { en: 'Too short.', zh: '过短。' };
    for (const language of ['en', 'zh'] as const)
      expect(JSON.parse(errorAnswer(new AppError('password_weak', { text }), language).body)).toEqual({
        code: 400,
        msg: text[language],
      });
  });

  it('says when to come back', () => {
    const answer = errorAnswer(new AppError('rate_limited', { retryAfterSeconds: 3 }), 'en');
    expect(answer.headers['retry-after']).toBe('3');
  });
});
