import { ApiError } from '../api-error.ts'

/**
 * Refuses a form that another site's page had its visitor send. Browsers say where it comes from; whoever says nothing is
 * no browser, and has the API. Throws `ORIGIN_NOT_ALLOWED`.
 */
export function requireSameOrigin(headers: Headers): void {
  const site = headers.get('sec-fetch-site')
  if (site === 'same-origin') return
  const origin = headers.get('origin') ?? ''
  const isOwn = site === null && URL.canParse(origin) && new URL(origin).host === headers.get('host')
  if (!isOwn) throw new ApiError('ORIGIN_NOT_ALLOWED', 'The form does not come from this page.')
}
