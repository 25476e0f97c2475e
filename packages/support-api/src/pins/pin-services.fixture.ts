import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { contentAddress } from '@svc/wallet/core'

/**
 * A pinning service on 127.0.0.1 in the wire format of Pinata's files API, of Kubo's RPC or of the IPFS Pinning Service
 * API. It names the address of what it was sent, as the real ones do, until it is told to do otherwise.
 */
export async function startPinService(kind: PinServiceKind): Promise<TestPinService> {
  const seen: SeenPin[] = []
  const state: { fault: PinFault | null } = { fault: null }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request)
    const { authorization = '' } = request.headers
    const content = kind === 'pinning-service' ? null : await fileIn(request, body)
    seen.push({ path: `${request.method} ${request.url}`, authorization, body: content ?? body.toString('utf8') })
    if (state.fault !== null) return state.fault(response)
    const cid = content === null ? String(parsed(body)['cid']) : contentAddress(new TextEncoder().encode(content))
    response.writeHead(kind === 'pinning-service' ? 202 : 200, { 'content-type': 'application/json' })
    response.end(`${JSON.stringify(answerOf(kind, cid))}\n`)
  }
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    seen: () => [...seen],
    setFault: (fault) => {
      state.fault = fault
    },
    lie: () => {
      const cid = contentAddress(new TextEncoder().encode('something else'))
      state.fault = (response) => void response.end(JSON.stringify(answerOf(kind, cid)))
    },
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

export type PinServiceKind = 'pinata' | 'kubo' | 'pinning-service'

export type PinFault = (response: ServerResponse) => void

export type SeenPin = { readonly path: string; readonly authorization: string; readonly body: string }

export type TestPinService = {
  readonly url: string
  /** What it was sent, in order: the file where one was sent, else the body. */
  seen(): readonly SeenPin[]
  setFault(fault: PinFault | null): void
  /** From now on it names another address. */
  lie(): void
  stop(): Promise<void>
}

function answerOf(kind: PinServiceKind, cid: string): object {
  if (kind === 'kubo') return { Name: 'registration.json', Hash: cid, Size: '700' }
  const created = '2026-01-01T00:00:00Z'
  if (kind === 'pinata')
    return { data: { id: 'x', cid, size: 700, created_at: created, mime_type: 'application/json' } }
  return { requestid: 'r', status: 'queued', created, pin: { cid }, delegates: [] }
}

async function fileIn(request: IncomingMessage, body: Buffer): Promise<string> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(body), { headers }).formData()
  const file = form.get('file')
  if (!(file instanceof Blob)) throw new Error('No file was sent.')
  return file.text()
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> {
  return JSON.parse(body.toString('utf8')) as Readonly<Record<string, unknown>>
}
