// The README's lines for an existing front end, word for word.
import { findError } from '@portcullis/client';
import type { Application, AxiosLike } from './front-end.ts';

export function install(service: AxiosLike, { openLogin, showMessage }: Application): void {
  service.defaults.validateStatus = () => true; // Not the status decides, but `findError`.
  service.interceptors.response.use((answer) => {
    const { status, data: body, headers } = answer;
    const error = findError({ status, body, header: (name) => headers[name] });
    if (error === undefined) return answer;
    if (error.kind === 'signed_out') openLogin();
    if (error.kind === 'not_allowed') showMessage(error.msg);
    return Promise.reject(error);
  });
}
