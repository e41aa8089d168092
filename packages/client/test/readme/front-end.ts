// What the README takes for granted: an application, and an axios instance with what the ten lines use of one. The
// header type is as loose as that of axios.
export interface Application {
  openLogin(): void;
  showMessage(msg: string | undefined): void;
  ask(picture: string): Promise<string>;
  addRow(...cells: (string | null)[]): void;
}

interface AxiosAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly headers: Record<string, string | string[] | number | boolean | null | undefined>;
}
type Interceptor = (answer: AxiosAnswer) => AxiosAnswer | Promise<AxiosAnswer>;

export interface AxiosLike {
  defaults: { validateStatus: (status: number) => boolean };
  readonly interceptors: { readonly response: { use(interceptor: Interceptor): void } };
  get(url: string): Promise<AxiosAnswer>;
}

/** Rejects by status before an interceptor is asked, as axios does. */
export function createAxiosLike(): AxiosLike {
  const interceptors: Interceptor[] = [];
  const service: AxiosLike = {
    defaults: { validateStatus: (status) => status >= 200 && status < 300 },
    interceptors: { response: { use: (interceptor) => void interceptors.push(interceptor) } },
    async get(url) {
      const response = await fetch(url);
      if (!service.defaults.validateStatus(response.status)) throw new Error(`HTTP ${response.status}`);
      const headers = Object.fromEntries(response.headers);
      let answer: AxiosAnswer = { status: response.status, headers, data: parse(await response.text()) };
      for (const interceptor of interceptors) answer = await interceptor(answer);
      return answer;
    },
  };
  return service;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
