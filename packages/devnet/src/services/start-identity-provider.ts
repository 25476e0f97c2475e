import { createServer, type ServerResponse } from 'node:http'
import { createFaultRules, type StandInFault } from './create-fault-rules.ts'

/**
 * The wallet provider's public app-config API on 127.0.0.1: `GET /api/v1/apps/{appId}/config` answers 200 for the apps it
 * was given and 404 for all others. Faults are set while it runs.
 */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const apps = new Set(options.appIds)
  const faults = createFaultRules<IdentityProviderFault>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const appId = /^\/api\/v1\/apps\/([^/?]+)\/config$/.exec(path)?.[1]
    const fault = faults.choose('config')
    if (fault !== null) return misbehave(fault, response)
    if (request.method !== 'GET' || appId === undefined || !apps.has(decodeURIComponent(appId))) {
      return json(response, 404, { error: 'App not found' })
    }
    json(response, 200, { id: appId, name: `App ${appId}`, logo_url: null, allowed_domains: [] })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    asked: () => [...asked],
    setFaults: (rules) => faults.set(rules),
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

export type IdentityProviderOptions = { readonly appIds: readonly string[] }

export type IdentityProvider = {
  readonly url: string
  /** The path of every request, in order. */
  asked(): readonly string[]
  setFaults(rules: readonly StandInFault<IdentityProviderFault>[]): void
  stop(): Promise<void>
}

export type IdentityProviderFault =
  | { readonly kind: 'status'; readonly status: number }
  /** This body as it stands; with 200 by default. */
  | { readonly kind: 'say'; readonly body: string; readonly status?: number }
  | { readonly kind: 'redirect'; readonly location: string }
  /** Hangs up. */
  | { readonly kind: 'drop' }
  /** Silence until the caller leaves. */
  | { readonly kind: 'stall' }
  /** The beginning of an answer, and silence until the caller leaves. */
  | { readonly kind: 'unfinished' }
  /** A body that never ends. */
  | { readonly kind: 'endless' }

function misbehave(fault: IdentityProviderFault, response: ServerResponse): void {
  switch (fault.kind) {
    case 'status':
      return json(response, fault.status, { error: 'A fault' })
    case 'say':
      return void response.writeHead(fault.status ?? 200, { 'content-type': 'application/json' }).end(fault.body)
    case 'redirect':
      return void response.writeHead(302, { location: fault.location }).end()
    case 'drop':
      return void response.destroy()
    case 'stall':
      return
    case 'unfinished':
      return void response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":')
    case 'endless':
      response.writeHead(200, { 'content-type': 'application/json' })
      return pour(response)
  }
}

function pour(response: ServerResponse): void {
  if (response.destroyed) return
  response.write(' '.repeat(64 * 1024), () => setImmediate(() => pour(response)))
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
