import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { http, HttpResponse } from 'msw'
import { baseUrl, handlerSet, type HandlerSet, requireOptions } from './handler-set.ts'
import type { ProviderRequest } from './wallet-provider/check-request.ts'
import {
  createProvider,
  type Provider,
  type WalletProvider,
  type WalletProviderOptions,
} from './wallet-provider/provider.ts'

/**
 * A stand-in of the managed wallet's provider on 127.0.0.1: it checks the signature over every request as the provider
 * does, enforces its policy language, keeps answers by idempotency key, and signs with keys that come from a seed. Not
 * for anything of worth: whoever reads the seed has the keys.
 */
export async function createWalletProviderServer(options: WalletProviderOptions = {}): Promise<WalletProviderServer> {
  const provider = createProvider(options)
  const server = createServer((request, response) => void serve(provider, request, response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  return {
    ...provider.controls,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A stand-in that listens. */
export type WalletProviderServer = WalletProvider & {
  readonly url: string
  readonly close: () => Promise<void>
}

async function serve({ answer }: Provider, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(incoming).catch(() => null)
  const reply = body === null ? 'drop' : await answer({ ...lineOf(incoming), body })
  if (reply === 'drop') incoming.socket.destroy()
  else if (!response.destroyed) response.writeHead(reply.status, reply.headers).end(reply.body)
}

function lineOf(incoming: IncomingMessage): Omit<ProviderRequest, 'body'> {
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()])
  return {
    method: incoming.method ?? '',
    url: `http://${incoming.headers.host ?? '127.0.0.1'}${incoming.url ?? '/'}`,
    headers: Object.fromEntries(headers),
  }
}

/** One byte more than is taken is enough to refuse it. */
const mostBytes = 1024 * 1024 + 1

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    chunks.push(bytes)
    if (length >= mostBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * The managed wallet's provider of {@link createWalletProviderServer} without a port: the same checks, policies and keys.
 * A `ServiceWallet` in managed mode reaches it at `apiUrl`, the provider's public one without.
 */
export function walletProviderHandlers(options: WalletProviderHandlersOptions = {}): WalletProviderHandlers {
  const { apiUrl = 'https://api.privy.io', ...rest } = options
  requireOptions('walletProviderHandlers', { apiUrl }, { apiUrl: baseUrl('http://provider.test') })
  const { answer, controls } = createProvider(rest)
  const base = apiUrl.replace(/\/+$/, '')
  const handlers = [`${base}/v1/*`, `${base}/api/v1/apps/*`].map((path) =>
    http.all(path, async ({ request }) => {
      const { method, url, headers } = request
      const reply = await answer({ method, url, headers: Object.fromEntries(headers), body: await request.text() })
      return reply === 'drop' ? HttpResponse.error() : new HttpResponse(reply.body, reply)
    }),
  )
  return handlerSet(handlers, { ...controls, apiUrl: base })
}

/** The handlers of {@link walletProviderHandlers}. */
export type WalletProviderHandlers = HandlerSet<WalletProvider & { readonly apiUrl: string }>

/** Of {@link walletProviderHandlers}. */
export type WalletProviderHandlersOptions = WalletProviderOptions & { readonly apiUrl?: string }
