// Liveness and readiness, on a listener of their own so that the public one serves nothing but the API.
import { createServer, type Server } from 'node:http';

export function createOpsListener(isReady: () => boolean): Server {
  return createServer((request, response) => {
    const answer = answerOf(request.url, isReady);
    response.writeHead(answer.status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(`${answer.text}\n`);
  });
}

function answerOf(target: string | undefined, isReady: () => boolean): { status: number; text: string } {
  if (target === '/livez') return { status: 200, text: 'alive' };
  if (target === '/readyz')
    return isReady() ? { status: 200, text: 'ready' } : { status: 503, text: 'not ready' };
  return { status: 404, text: 'not found' };
}
