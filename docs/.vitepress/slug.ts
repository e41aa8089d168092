// The anchor of a heading, as GitHub makes it, so that a link to it holds there and on the site alike.

/** @example slugOf('GET /api/v1/users') // 'get-apiv1users' */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
