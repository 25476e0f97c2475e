import { WalletError } from '../../wallet-error.ts'
import { boundedBytes } from '../card/bounded-bytes.ts'

/** Posts once and reads the CID out of the answer. What the service says in an error stays in `cause`. */
export async function postForCid(send: typeof fetch, url: string, request: CidRequest): Promise<string> {
  const { headers, body, signal, cidIn } = request
  const answer = await send(url, { method: 'POST', headers, body, signal, redirect: 'error' }).catch(
    (cause: unknown) => {
      throw new WalletError('PIN_FAILED', 'The pin service does not answer.', { cause })
    },
  )
  const bytes = await boundedBytes(answer, { mostBytes: mostAnswerBytes, signal }).catch((cause: unknown) => {
    throw new WalletError('PIN_FAILED', 'The pin service broke off its answer.', { cause })
  })
  const text = new TextDecoder().decode(bytes)
  if (!answer.ok) {
    const cause = new Error(text.slice(0, 1_000))
    throw new WalletError('PIN_FAILED', `The pin service answered ${answer.status}.`, {
      cause,
      details: { status: answer.status, retryAfter: answer.headers.get('retry-after') },
    })
  }
  const cid = cidIn(parse(text))
  if (typeof cid === 'string' && cid !== '') return cid
  throw new WalletError('PIN_FAILED', 'The pin service answered without a CID.')
}

/** What is posted, and where the CID stands in a JSON answer. */
export type CidRequest = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | FormData
  readonly signal: AbortSignal
  readonly cidIn: (answer: Readonly<Record<string, unknown>>) => unknown
}

const mostAnswerBytes = 64 * 1024

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
