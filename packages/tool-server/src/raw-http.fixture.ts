import { request, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'

/** One HTTP exchange exactly as written: no client library repairs or adds anything. */
export function rawRequest(port: number, options: RawRequest = {}): Promise<RawAnswer> {
  const { method = 'POST', path = '/mcp', token, body = '', headers = {} } = options
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        port,
        path,
        method,
        host: '127.0.0.1',
        agent: false,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(method === 'POST'
            ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
            : {}),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(method === 'POST' ? body : undefined)
  })
}

/** What a server answers to these very bytes on a connection of their own. */
export async function rawExchange(port: number, bytes: string): Promise<RawReply> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  socket.write(bytes)
  let answer = ''
  for await (const part of socket) {
    answer += String(part)
    if (isWhole(answer)) break
  }
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2)
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0), head, json: parsed(body) }
}

export type RawReply = { readonly status: number; readonly head: string; readonly json: unknown }

/** The bytes of a request; header fields in this order, as often as they stand here. */
export function rawBytes(start: string, fields: readonly (readonly [string, string])[], body = ''): string {
  const length = body === '' ? [] : [['content-length', `${Buffer.byteLength(body)}`] as const]
  const lines = [...fields, ...length, ['connection', 'close'] as const].map(([name, value]) => `${name}: ${value}\r\n`)
  return `${start} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

export type RawRequest = {
  readonly method?: string
  readonly path?: string
  readonly token?: string
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export type RawAnswer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body, or the data of its last event. */
  readonly json: unknown
}

export const initialize = (version = '2025-11-25', id: number | string = 0) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  })

export const callOf = (name: string, args: unknown, id: number | string = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })

/** Opens a session by hand and gives its id. */
export async function openSession(port: number, token: string, version = '2025-11-25'): Promise<string> {
  const answer = await rawRequest(port, { token, body: initialize(version) })
  const id = answer.headers['mcp-session-id']
  if (typeof id !== 'string') throw new Error(`No session: ${answer.status} ${answer.text}`)
  const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  await rawRequest(port, { token, body: notification, headers: { 'mcp-session-id': id } })
  return id
}

function parsed(text: string): unknown {
  const data = /(?:^|\n)data: (.*)\n\n$/.exec(text)?.[1] ?? text
  try {
    return JSON.parse(data) as unknown
  } catch {
    return undefined
  }
}

function isWhole(answer: string): boolean {
  const [head = '', body] = answer.split('\r\n\r\n', 2)
  const length = /^content-length: (\d+)$/im.exec(head)?.[1]
  if (body === undefined) return false
  return length === undefined ? answer.endsWith('\r\n0\r\n\r\n') : Buffer.byteLength(body) >= Number(length)
}
