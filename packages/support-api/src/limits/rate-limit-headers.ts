import type { RateVerdict } from '@svc/store'

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): what is left of a limit, and when more is. */
export function rateLimitHeaders(
  limit: { readonly name: string; readonly perWindow: number; readonly windowMs: number },
  verdict: RateVerdict,
): Readonly<Record<string, string>> {
  const { name, perWindow, windowMs } = limit
  const reset = verdict.allowed ? '' : `;t=${Math.ceil((verdict.retryAfterMs ?? windowMs) / 1_000)}`
  return {
    'ratelimit-policy': `"${name}";q=${perWindow};w=${windowMs / 1_000}`,
    ratelimit: `"${name}";r=${verdict.remaining}${reset}`,
  }
}
