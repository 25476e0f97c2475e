import type { ServerResponse } from 'node:http'
import {
  createFaultRules,
  type StandInFault,
  type AnswerFault,
  answerJson,
  misbehave,
  startStandInServer,
} from './stand-in-server.ts'

/**
 * The wallet provider's public app-config API on 127.0.0.1: `GET /api/v1/apps/{appId}/config` answers 200 for the apps it
 * was given and 404 for all others. Faults are set while it runs.
 */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const apps = new Set(options.appIds)
  const faults = createFaultRules<IdentityProviderFault>()
  const asked: string[] = []
  const { url, stop } = await startStandInServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const appId = /^\/api\/v1\/apps\/([^/?]+)\/config$/.exec(path)?.[1]
    const fault = faults.choose('config')
    if (fault !== null) return fail(fault, response)
    if (request.method !== 'GET' || appId === undefined || !apps.has(decodeURIComponent(appId))) {
      return answerJson(response, 404, { error: 'App not found' })
    }
    answerJson(response, 200, { id: appId, name: `App ${appId}`, logo_url: null, allowed_domains: [] })
  })
  return {
    url,
    asked: () => [...asked],
    setFaults: (rules) => faults.set(rules),
    stop,
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
  | AnswerFault
  | { readonly kind: 'redirect'; readonly location: string }
  /** The beginning of an answer, and silence until the caller leaves. */
  | { readonly kind: 'unfinished' }

function fail(fault: IdentityProviderFault, response: ServerResponse): void {
  if (fault.kind === 'redirect') return void response.writeHead(302, { location: fault.location }).end()
  if (fault.kind === 'unfinished') {
    return void response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":')
  }
  misbehave(fault, response, { error: 'A fault' })
}
