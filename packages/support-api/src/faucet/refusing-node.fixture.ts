import { createServer, type IncomingMessage } from 'node:http'

/**
 * A node that answers some calls with an error of its own, without doing what they ask, and has the target answer the
 * others: beside each other in one batch, which is what an endpoint does that looks into a call.
 */
export async function startRefusingNode(target: string): Promise<RefusingNode> {
  let refuse: Refusal = () => null
  const answer = async (call: Call): Promise<unknown> => {
    const error = refuse(call)
    if (error !== null) return { jsonrpc: '2.0', id: call.id, error }
    const headers = { 'content-type': 'application/json' }
    return (await fetch(target, { method: 'POST', headers, body: JSON.stringify(call) })).json()
  }
  const server = createServer((incoming, response) => {
    void (async () => {
      const calls = JSON.parse(await bodyOf(incoming)) as Call | Call[]
      const answers = Array.isArray(calls) ? await Promise.all(calls.map(answer)) : await answer(calls)
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    setRefusal: (next) => void (refuse = next),
    stop: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

export type RefusingNode = {
  readonly url: string
  setRefusal(refuse: Refusal): void
  stop(): Promise<void>
}

type Refusal = (call: Call) => { readonly code: number; readonly message: string } | null

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] }

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of incoming) text += String(part)
  return text
}
