// Bytes that two readers could part into requests differently. Each hides a second request to the public
// greeting, whose handler counts; the first one goes where nothing is counted.

export interface Smuggling {
  readonly name: string;
  readonly bytes: Buffer;
}

const hidden = 'GET /api/v1/greeting HTTP/1.1\r\nHost: hidden\r\n\r\n';
const emptyChunks = '0\r\n\r\n';

const chunkedHead = 'POST /api/v1/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked';
const table: Record<string, string> = {};

/** Headers that say in two ways, or in no clear way, where the body ends. */
const lengths: Record<string, string> = {
  'CL.TE': 'Content-Length: 6\r\nTransfer-Encoding: chunked',
  'TE.CL': 'Transfer-Encoding: chunked\r\nContent-Length: 4',
  'CL.0': 'Content-Length: 0\r\nContent-Length: 5',
  'two lengths that agree': 'Content-Length: 5\r\nContent-Length: 5',
  'two lengths that differ': 'Content-Length: 5\r\ncontent-length: 50',
  'lengths in a list': 'Content-Length: 5, 5',
  'a length with a plus': 'Content-Length: +5',
  'a negative length': 'Content-Length: -5',
  'a length in hex': 'Content-Length: 0x5',
  'a length with an exponent': 'Content-Length: 5e0',
  'a length with a fraction': 'Content-Length: 5.0',
  'a length in two parts': 'Content-Length: 1 5',
  'a length with words behind': 'Content-Length: 5 bytes',
  'an empty length': 'Content-Length: ',
  'a length beyond 64 bits': 'Content-Length: 18446744073709551621',
  'a space before the colon of a length': 'Content-Length : 5',
  'a tab before the colon of a length': 'Content-Length\t: 5',
  'a NUL in the name of a length': 'Content-Length\0: 5',
  'a length in a folded line': 'X: y\r\n Content-Length: 5',
  'a length on a folded line': 'Content-Length:\r\n 5',
  'an unknown coding': 'Transfer-Encoding: xchunked',
  identity: 'Transfer-Encoding: identity',
  'a coding before chunked': 'Transfer-Encoding: gzip, chunked',
  'identity before chunked': 'Transfer-Encoding: identity, chunked',
  'a coding after chunked': 'Transfer-Encoding: chunked, gzip',
  'chunked twice': 'Transfer-Encoding: chunked, chunked',
  'chunked in two headers': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'a second coding after chunked': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
  'a second coding before chunked': 'Transfer-Encoding: x\r\nTransfer-Encoding: chunked',
  'chunked in quotes': 'Transfer-Encoding: "chunked"',
  'chunked with a parameter': 'Transfer-Encoding: chunked;q=1',
  'chunked behind a vertical tab': 'Transfer-Encoding: \x0bchunked',
  'chunked before a NUL': 'Transfer-Encoding: chunked\0',
  'a space before the colon of a coding': 'Transfer-Encoding : chunked',
  'a folded coding': 'Transfer-Encoding:\r\n chunked',
  'a coding behind a bare LF': 'X: y\nTransfer-Encoding: chunked',
  'a coding behind a bare CR': 'X: y\rTransfer-Encoding: chunked',
};
for (const [name, headers] of Object.entries(lengths))
  table[name] = `POST /api/v1/login HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${emptyChunks}${hidden}`;

/** Chunked bodies that end elsewhere for a reader who is less strict. */
const chunks: Record<string, string> = {
  'a chunk size in hex notation': `0x1\r\nx\r\n${emptyChunks}`,
  'a chunk size with a plus': `+1\r\nx\r\n${emptyChunks}`,
  'a negative chunk size': `-1\r\nx\r\n${emptyChunks}`,
  'a chunk size with a space': `1 \r\nx\r\n${emptyChunks}`,
  'no chunk size': `\r\nx\r\n${emptyChunks}`,
  'a chunk size beyond 64 bits': `10000000000000001\r\nx\r\n${emptyChunks}`,
  'a chunk size that ends in a bare LF': `1\nx\r\n${emptyChunks}`,
  'a chunk extension that ends in a bare LF': `1;a=b\nx\r\n${emptyChunks}`,
  'a chunk extension with a bare CR': `1;a\rb\r\nx\r\n${emptyChunks}`,
  'a chunk that ends in a bare LF': `1\r\nx\n${emptyChunks}`,
  'a chunk that is longer than its size': `1\r\nxy${emptyChunks}`,
  'a last chunk that ends in bare LFs': '0\n\n',
  'a trailer that ends in a bare LF': '0\r\nX: y\n\r\n',
  'a trailer that names a length': '0\r\nContent-Length: 5\r\n\r\n',
  'a trailer that names a coding': '0\r\nTransfer-Encoding: chunked\r\n\r\n',
};
for (const [name, body] of Object.entries(chunks))
  table[name] = `${chunkedHead}\r\nContent-Type: application/json\r\n\r\n${body}${hidden}`;

/** Heads that end elsewhere, or that are for another host or another version. */
const heads: Record<string, string> = {
  'a bare LF after the request line': 'GET /api/v1/entries HTTP/1.1\nHost: x\r\n\r\n',
  'a bare LF after a header': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\nX: y\r\n\r\n',
  'a bare LF at the end': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\r\n\n',
  'nothing but bare LFs': 'GET /api/v1/entries HTTP/1.1\nHost: x\n\n',
  'a bare CR at the end': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\r\n\r',
  'a bare CR in a header': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\rX: y\r\n\r\n',
  'a folded header': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\r\nX: y\r\n z\r\n\r\n',
  'a header folded by a tab': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\r\nX: y\r\n\tz\r\n\r\n',
  'a folded first header': 'GET /api/v1/entries HTTP/1.1\r\n Host: x\r\n\r\n',
  'a NUL in a header': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\0\r\n\r\n',
  'a header without a colon': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\r\nX\r\n\r\n',
  'a header without a name': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n',
  'two hosts': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  'two hosts that agree': 'GET /api/v1/entries HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n',
  'no host': 'GET /api/v1/entries HTTP/1.1\r\nX: y\r\n\r\n',
  'HTTP 2.0': 'GET /api/v1/entries HTTP/2.0\r\nHost: x\r\n\r\n',
  'HTTP 0.9': 'GET /api/v1/entries\r\n\r\n',
  'HTTP 1.2': 'GET /api/v1/entries HTTP/1.2\r\nHost: x\r\n\r\n',
  'HTTP 1.10': 'GET /api/v1/entries HTTP/1.10\r\nHost: x\r\n\r\n',
  'http in small letters': 'GET /api/v1/entries http/1.1\r\nHost: x\r\n\r\n',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'chunks in HTTP 1.0':
    'POST /api/v1/login HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
};
for (const [name, head] of Object.entries(heads)) table[name] = `${head}${hidden}`;

const toSmuggling = ([name, bytes]: [string, string]): Smuggling => ({
  name,
  bytes: Buffer.from(bytes, 'latin1'),
});

/** Every one is refused as no HTTP. */
export const smuggledRequests: readonly Smuggling[] = Object.entries(table).map(toSmuggling);

/** These have one meaning, in which the second request is part of the first or comes after its end. */
export const swallowedRequests: readonly Smuggling[] = Object.entries({
  'in the body of a GET': `GET /api/v1/entries HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  'in a chunk': `GET /api/v1/entries HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n${emptyChunks}`,
  'after Connection: close': `GET /api/v1/entries HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n${hidden}`,
  'after HTTP 1.0': `GET /api/v1/entries HTTP/1.0\r\n\r\n${hidden}`,
  'in a body that is refused': `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  'behind a broken body that was answered before it was read': `${chunkedHead}\r\n\r\n1\r\nxy${emptyChunks}${hidden}`,
  'after a CONNECT': `CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n${hidden}`,
  'after an unknown expectation': `GET /api/v1/entries HTTP/1.1\r\nHost: x\r\nExpect: y\r\n\r\n${hidden}`,
}).map(toSmuggling);
