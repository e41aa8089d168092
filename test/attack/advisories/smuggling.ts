// Bytes that this service and a proxy before it could part into requests differently. Each hides a second request to
// the public greeting, whose handler counts.
import type { Advisory, Notice } from './advisory.ts';

const hidden = 'GET /api/v1/greeting HTTP/1.1\r\nHost: hidden\r\n\r\n';

const smuggled = (bytes: string, notice: Notice): Advisory => ({
  ...notice,
  row: 'T25',
  answer: 'not HTTP',
  attack: () => bytes + hidden,
});

const post = 'POST /api/v1/login HTTP/1.1\r\nHost: x\r\n';
/** Where the body ends, said in a way that has two meanings. */
const framed = (headers: string, notice: Notice) => smuggled(`${post}${headers}\r\n\r\n0\r\n\r\n`, notice);
const chunked = (body: string, notice: Notice) =>
  smuggled(
    `${post}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`,
    notice,
  );

export const smuggling: readonly Advisory[] = [
  framed('Content-Length : 5', {
    id: 'CVE-2021-22959',
    product: 'llhttp',
    what: 'read a header with a space before its colon',
  }),
  chunked('1;a\rb\r\nx\r\n', {
    id: 'CVE-2021-22960',
    product: 'llhttp',
    what: 'read no chunk extensions, whatever was in them',
  }),
  framed('Transfer-Encoding: chunked, gzip', {
    id: 'CVE-2022-32213',
    product: 'Node.js',
    what: 'took wrong transfer codings for chunked',
  }),
  smuggled('GET /api/v1/entries HTTP/1.1\nHost: x\n\n', {
    id: 'CVE-2022-32214',
    product: 'Node.js',
    what: 'ended lines at a line feed',
  }),
  framed('Transfer-Encoding: chunked\r\n , identity', {
    id: 'CVE-2022-32215',
    product: 'Node.js',
    what: 'read one line of a coding in several lines',
  }),
  framed('X: y\nTransfer-Encoding: chunked', {
    id: 'CVE-2022-35256',
    product: 'Node.js',
    what: 'read headers that do not end as headers do',
  }),
  framed('X: y\rTransfer-Encoding: chunked', {
    id: 'CVE-2023-30589',
    product: 'Node.js',
    what: 'ended headers at a carriage return',
  }),
  framed('X: y\r\n Content-Length: 5', {
    id: 'CVE-2024-27982',
    product: 'Node.js',
    what: 'misread a length with a space before its name',
  }),
  framed('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', {
    id: 'CVE-2020-8287',
    product: 'Node.js',
    what: 'read the first of two codings and forgot the second',
  }),
  framed('Content-Length: 5\r\nTransfer-Encoding: "chunked"', {
    id: 'CVE-2019-15605',
    product: 'Node.js',
    what: 'read on beside a coding that is malformed',
  }),
  smuggled('GET /api/v1/entries HTTP/1.1\r\nHost: x\r\n\rX', {
    id: 'CVE-2025-23167',
    product: 'Node.js',
    what: 'ended the head before its last line feed',
  }),
  framed('Content-Length: 5\r\nTransfer-Encoding:\x0bchunked', {
    id: 'CVE-2019-18277',
    product: 'HAProxy',
    what: 'passed on a coding that only some readers know',
  }),
  framed('Content-Length: ', {
    id: 'CVE-2023-40225',
    product: 'HAProxy',
    what: 'passed on an empty length',
  }),
  framed('Transfer-Encoding : chunked', {
    id: 'CVE-2019-16276',
    product: 'Go net/http',
    what: 'tidied up names with a space before the colon',
  }),
  chunked('1\nx\r\n', {
    id: 'CVE-2025-22871',
    product: 'Go net/http',
    what: 'ended the size of a chunk at a line feed',
  }),
  chunked('1;\nx\r\n', {
    id: 'CVE-2025-55315',
    product: 'ASP.NET Core',
    what: 'saw no line end in a chunk extension where others do',
  }),
  framed('Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip', {
    id: 'CVE-2024-1135',
    product: 'Gunicorn',
    what: 'called a body chunked whatever its last coding was',
  }),
  smuggled(
    `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2000\r\n${'x'.repeat(0x2000)}\r\n0\r\n\r\n`,
    { id: 'CVE-2025-59139', product: 'Hono', what: 'measured a chunked body by the length beside it' },
  ),
];
