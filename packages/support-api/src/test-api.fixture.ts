import { mkdtemp, rm } from 'node:fs/promises'
import { request, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentCard } from '@svc/wallet/core'
import { startIdentityProvider, type IdentityProvider } from '@svc/devnet/identity-provider'
import type { StorePlace } from '@svc/store'
import { readConfig } from './config.ts'
import { described } from './described.fixture.ts'
import { placeMigrated } from '../../store/src/migrated-file.fixture.ts'
import { statePath } from './open-state.ts'
import { openSupportApi, type Surroundings } from './server.ts'

/** The service on a free port of 127.0.0.1 with an identity provider that knows `app-one` and `app-two`. */
export async function openTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const provider = await startIdentityProvider({ appIds: ['app-one', 'app-two'] })
  const dataDir = await mkdtemp(join(tmpdir(), 'support-api-'))
  if (options.place === undefined) await placeMigrated(statePath({ dataDir }).path)
  const lines: string[] = []
  const config = readConfig({
    SVC_LISTEN: '127.0.0.1:0',
    SVC_IDENTITY_PROVIDER_URL: provider.url,
    SVC_GATEWAY_URL: 'https://gateway.example/',
    SVC_DATA_DIR: dataDir,
    ...placeOf(options.place),
    ...options.env,
  })
  const logDestination = { write: (line: string) => lines.push(line) }
  const api = await openSupportApi(config, { logDestination, ...options.surroundings })
  const { url, port } = await api.listen()
  const ask = async (path: string, sent: Sent = {}): Promise<Answer> => {
    const answer = await exchange(port, path, sent)
    check(path, sent, answer)
    return answer
  }
  const description = await exchange(port, '/openapi.json', { headers: throughEdge })
  // Behind a proxy elsewhere nothing from here is answered but with that.
  const check = description.status === 200 ? described(description.json) : () => {}
  return {
    url,
    provider,
    log: () => lines.join(''),
    ask,
    pin: (card, sent = {}) =>
      ask('/v1/ipfs/pin', {
        method: 'POST',
        body: JSON.stringify({ agentCard: card }),
        ...sent,
        headers: { authorization: 'Bearer app-one', 'content-type': 'application/json', ...sent.headers },
      }),
    close: async () => {
      await api.close()
      await provider.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export type TestApiOptions = {
  readonly place?: StorePlace
  readonly env?: Readonly<Record<string, string>>
  readonly surroundings?: Surroundings
}

export type TestApi = {
  readonly url: string
  readonly provider: IdentityProvider
  /** All lines so far. */
  log(): string
  /** One HTTP exchange exactly as written; `host` and all. Rejects for an answer that the description does not allow. */
  ask(path: string, sent?: Sent): Promise<Answer>
  pin(card: unknown, sent?: Sent): Promise<Answer>
  close(): Promise<void>
}

export type Sent = {
  readonly method?: string
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
}

/** A good card; another one for each name. */
export function testCard(name = 'Ada'): AgentCard {
  return {
    name,
    description: 'Keeps a position in range.',
    domains: [{ domain: 'finance_and_business/investment_services', primary: true }],
    services: [{ type: 'mcp', url: 'https://agent.example/mcp' }],
    trust: { reputation: true, cryptoEconomic: true, zkml: false },
    metadata: { 'protocol:name': 'svc', role: 'vault_participant', 'vault:chain': '84532' },
  }
}

const throughEdge = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' }

function placeOf(place: StorePlace | undefined): Readonly<Record<string, string>> {
  if (place === undefined) return {}
  return 'url' in place ? { SVC_DATABASE_URL: place.url } : { SVC_DATA_DIR: dirname(place.path) }
}

function exchange(port: number, path: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const options = { port, path, method, host: '127.0.0.1', agent: false, headers: { ...length, ...headers } }
    const outgoing = request(options, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}
