import { guardedRequest, type Place } from '../reach/guarded-request.ts'

/**
 * Posts to the one address that the operator named, and to no other, under the guard of `guardedRequest`. Of the answer its status alone is
 * read. Rejects with a `ReachError`.
 */
export async function postWebhook(
  place: WebhookPlace,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
): Promise<number> {
  const all = { ...headers, 'content-type': 'application/json', 'user-agent': 'svc-webhook' }
  const { status } = await guardedRequest(
    { what: 'The webhook', ...place },
    { method: 'POST', headers: all, body },
    signal,
  )
  return status
}

export type WebhookPlace = Place
