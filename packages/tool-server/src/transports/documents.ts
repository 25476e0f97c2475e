import type { IncomingMessage, ServerResponse } from 'node:http'
import { rateLimitHeaders } from '@svc/runtime'
import { sendJson } from './answers.ts'
import { answerPreflight, refuse, type RequestContext, requireBudget } from './request-stages.ts'

/** Answers where something stands that everybody may read, and says whether it did. Whoever asks is unknown: it counts against their address. */
export async function answerDocument(
  { request, response, address }: Asked,
  { documents, limits }: Pick<RequestContext, 'documents' | 'limits'>,
): Promise<boolean> {
  const document = documents.get(request.url?.split('?', 1)[0] ?? '')
  if (document === undefined) return false
  if (request.method === 'OPTIONS') {
    answerPreflight(response)
    return true
  }
  const left = await requireBudget(limits.unauthenticated, address)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw refuse('METHOD_NOT_ALLOWED', 'This method is not served here.', { allow: 'GET, HEAD' })
  }
  sendJson(response, 200, document(), {
    'cache-control': 'public, max-age=300',
    vary: 'Origin',
    ...rateLimitHeaders(limits.unauthenticated, left),
  })
  return true
}

type Asked = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly address: string }
