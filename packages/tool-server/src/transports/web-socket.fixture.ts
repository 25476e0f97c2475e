import { type ClientOptions, WebSocket } from 'ws'

/** A client of another make: frames as they are written, and what came back, in order. */
export function openSocket(port: number, token: string | null, more: SocketOptions = {}): Promise<OpenSocket> {
  const { path = '/mcp', protocols = ['mcp'], headers = {}, ...options } = more
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], {
    headers: { ...authorization, ...headers },
    ...options,
  })
  const heard: unknown[] = []
  const waiting = new Set<() => void>()
  socket.on('message', (data: Buffer) => {
    heard.push(JSON.parse(data.toString('utf8')))
    for (const look of waiting) look()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString('utf8') })),
  )
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('unexpected-response', (_request, answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        reject(Object.assign(new Error(`refused: ${answer.statusCode}`), { status: answer.statusCode, text, answer }))
      })
    })
    socket.on('open', () =>
      resolve({
        socket,
        heard,
        closed,
        until: (isIt) =>
          new Promise((done) => {
            const look = () => {
              const found = heard.find(isIt)
              if (found === undefined) return
              waiting.delete(look)
              done(found)
            }
            waiting.add(look)
            look()
          }),
      }),
    )
  })
}

export type OpenSocket = {
  readonly socket: WebSocket
  /** Everything that was received. */
  readonly heard: readonly unknown[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** The first message of which this is true, waited for. */
  readonly until: (isIt: (message: unknown) => boolean) => Promise<unknown>
}

type SocketOptions = ClientOptions & { readonly path?: string; readonly protocols?: readonly string[] }

/** The status that an upgrade was refused with, and the code in its body. */
export async function refusalOf(opening: Promise<unknown>): Promise<{ status: number; code: unknown; body: unknown }> {
  const error: unknown = await opening.then(
    () => new Error('It was let in.'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error) || !('status' in error) || !('text' in error)) throw error
  const body: unknown = JSON.parse(String(error.text))
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : null
  return { status: Number(error.status), code, body }
}

/** Whether a message is the answer to this request. */
export const answers =
  (id: number | string | null) =>
  (message: unknown): boolean =>
    typeof message === 'object' && message !== null && 'id' in message && message.id === id
