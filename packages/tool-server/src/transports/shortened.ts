import { isRecord } from '@svc/runtime'

/** A refusal of the protocol library as it leaves: it quotes of the request what does not fit, which may be nearly all of it. */
export async function shortened(answer: Response): Promise<Response> {
  if (answer.status < 400 || answer.headers.get('content-type')?.startsWith('application/json') !== true) return answer
  const text = await answer.text()
  const headers = new Headers(answer.headers)
  headers.delete('content-length')
  return new Response(text.length <= mostCharacters ? text : cut(text), { status: answer.status, headers })
}

const mostCharacters = 4_096
const mostOfText = 300

/** The id stays whole, for its client looks for it. */
function cut(text: string): string {
  const message = JSON.parse(text) as unknown
  if (!isRecord(message)) return text
  const error = JSON.stringify(message['error'], (_name, value: unknown) =>
    typeof value === 'string' && value.length > mostOfText ? `${value.slice(0, mostOfText)}...` : value,
  )
  return JSON.stringify({ ...message, error: JSON.parse(error) as unknown })
}
