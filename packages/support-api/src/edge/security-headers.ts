/** Headers of every answer that does not say otherwise: nothing here is a page, a frame or a script of anybody. */
export function securityHeaders(overTls: boolean): Readonly<Record<string, string>> {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(overTls && { 'strict-transport-security': 'max-age=31536000' }),
  }
}
