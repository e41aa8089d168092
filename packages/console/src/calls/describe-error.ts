// The message for a failed call, in the user's language. The message of the service takes precedence,
// because it is more specific.
import { ClientError } from '@portcullis/client';
import { defineTexts, language } from '../language/language.ts';
import { callLimitSeconds } from './call-limit.ts';

const texts = defineTexts({
  en: {
    network: 'No answer from the service. Check the connection and try again.',
    timedOut: (seconds: number) =>
      `No answer within ${seconds} s. Try again; look first whether a change was made all the same. If it goes on, tell whoever runs the service.`,
    notUnderstood: 'Something between here and the service answered instead of it. Try again.',
    failed: 'The console itself failed. Reload the page; if it happens again, report it.',
    wait: (seconds: number) => `Try again in ${seconds} s.`,
  },
  zh: {
    network: '服务没有应答。请检查网络连接后重试。',
    timedOut: (seconds) =>
      `服务在 ${seconds} 秒内没有应答。请重试；如为修改操作，请先确认是否已生效。如持续出现，请联系服务管理员。`,
    notUnderstood: '应答的不是本服务，而是途中的某个代理。请重试。',
    failed: '控制台自身出错。请刷新页面；如再次出现，请反馈。',
    wait: (seconds) => `请在 ${seconds} 秒后重试。`,
  },
});

/** An error that no call caused: its message is for the user, in the user's language. */
export class ToldError extends Error {}

export function describeError(error: unknown): string {
  const t = texts[language.value];
  if (error instanceof ToldError) return error.message;
  if (!(error instanceof ClientError)) return t.failed;
  if (error.msg !== undefined)
    return error.retryAfterSeconds === undefined
      ? error.msg
      : `${error.msg} ${t.wait(error.retryAfterSeconds)}`;
  if (error.kind === 'timed_out') return t.timedOut(callLimitSeconds);
  return error.kind === 'network' ? t.network : t.notUnderstood;
}

export function kindOf(error: unknown): ClientError['kind'] | undefined {
  return error instanceof ClientError ? error.kind : undefined;
}
