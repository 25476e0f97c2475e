/** `fetch` for platforms that know no `redirect: 'error'`: what would be followed is refused all the same. */
export function refusingRedirects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    if (init?.redirect !== 'error') return fetch(input, init)
    const answer = await fetch(input, { ...init, redirect: 'manual' })
    if (answer.type !== 'opaqueredirect' && (answer.status < 300 || answer.status > 399)) return answer
    await answer.body?.cancel()
    throw new TypeError('The answer is a redirect, which is not followed.')
  }
}
