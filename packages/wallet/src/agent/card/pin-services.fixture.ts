import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AgentCard } from './agent-card.ts'
import { canonicalBytes, contentAddress, registrationFile } from './registration-file.ts'

/**
 * The pin proxy of the support API, a pinning account's upload API and a gateway, on 127.0.0.1 in their wire formats.
 * What is pinned is kept under the CID of its bytes and served at `/ipfs/<cid>`.
 */
export async function startPinServices(): Promise<PinServices> {
  const state: State = { files: new Map(), requests: [], fault: null }
  const server = createServer((request, response) => {
    serve(state, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const place = server.address()
  return {
    url: `http://127.0.0.1:${typeof place === 'object' && place !== null ? place.port : 0}`,
    files: state.files,
    requests: () => [...state.requests],
    setFault: (fault) => {
      state.fault = fault
    },
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

export type PinServices = {
  readonly url: string
  /** Bytes by CID. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Path and authorization of what came, in order. */
  requests(): readonly string[]
  setFault(fault: PinFault | null): void
  stop(): Promise<void>
}

/** A status instead of a CID, silence until the caller leaves, or the CID of something else. */
export type PinFault = { readonly status: number } | 'silence' | 'lie'

export const pinningJwt = 'jwt-1'

type State = { readonly files: Map<string, Uint8Array>; readonly requests: string[]; fault: PinFault | null }

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '', headers } = request
  state.requests.push(`${url} ${headers.authorization ?? ''}`.trim())
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts)
  const { fault } = state
  if (url.startsWith('/ipfs/')) {
    const bytes = state.files.get(url.slice('/ipfs/'.length).replace(/\?.*/, ''))
    return void response.writeHead(bytes === undefined ? 404 : 200).end(bytes)
  }
  if (fault === 'silence') return
  if (fault !== null && fault !== 'lie') return void response.writeHead(fault.status).end('{}')
  const file = url === '/v3/files' ? await uploaded(body, headers) : mapped(body)
  const cid = contentAddress(fault === 'lie' ? new Uint8Array() : file)
  if (fault !== 'lie') state.files.set(cid, file)
  const answer = url === '/v3/files' ? { data: { cid } } : { cid, uri: `ipfs://${cid}` }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}

async function uploaded(body: Buffer, headers: IncomingMessage['headers']): Promise<Uint8Array> {
  const type = headers['content-type'] ?? ''
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const file = form.get('file')
  if (!(file instanceof Blob)) throw new TypeError('There is no file.')
  return new Uint8Array(await file.arrayBuffer())
}

/** The proxy makes the registration file of the card itself. */
function mapped(body: Buffer): Uint8Array {
  const { agentCard } = JSON.parse(body.toString()) as { readonly agentCard: AgentCard }
  return canonicalBytes(registrationFile(agentCard))
}
