import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { devnetPolicy } from '@svc/engine'
import { useDevnet } from '@svc/devnet/testing'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, expect, it } from 'vitest'
import { provisionKeys } from '../auth/credentials.ts'
import { readConfig } from '../config.ts'
import { openServer } from '../open-server.ts'
import { rawRequest } from '../raw-http.fixture.ts'
import { answerOf } from '../tools/answer.fixture.ts'
import { makePageLink } from './page-link.ts'
import { makePasskey } from './passkey.fixture.ts'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const ada = makePasskey()
const origin = 'https://mcp.example.com'
const secret = Buffer.alloc(32, 7)

/** Where the operator hears of things. */
async function openHook() {
  const heard: { readonly headers: Readonly<Record<string, unknown>>; readonly body: string }[] = []
  const hook = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => void (body += chunk))
    request.on('end', () => {
      heard.push({ headers: request.headers, body })
      response.end()
    })
  })
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  closers.push(() => new Promise((resolve) => hook.close(resolve)))
  const address = hook.address()
  if (address === null || typeof address === 'string') throw new TypeError('no port')
  return { url: `http://127.0.0.1:${address.port}/`, heard }
}

const afar = { SVC_PUBLIC_URL: `${origin}/mcp`, SVC_TRUSTED_PROXIES: '127.0.0.1' }

/** The whole server, behind an edge unless the settings say otherwise, with the operator page and an agent at it. */
async function start(place: Readonly<Record<string, string>> = afar) {
  const hook = await openHook()
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-operated-'))
  const privateKey = generatePrivateKey()
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(address, { ETH: '10', WETH: '10' })
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  const operators = { ada: { passkeys: [{ id: ada.id, publicKey: ada.publicKey }] } }
  const policy = { ...devnetPolicy(), approvalThresholdUsd: '1000', operators }
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
  const environment = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    SVC_OPERATOR_PAGE: 'on',
    ...place,
    SVC_WEBHOOK_URL: hook.url,
    SVC_WEBHOOK_SECRET: `whsec_${secret.toString('base64')}`,
    SVC_WEBHOOK_PRIVATE: 'allow',
    LOG_LEVEL: 'silent',
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  }
  const keys = provisionKeys(readConfig(environment), (size) => crypto.getRandomValues(new Uint8Array(size)))
  const server = await openServer(readConfig(environment))
  closers.push(() => server.close())
  const { url, port } = await server.listen()
  const agent = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const headers = { authorization: `Bearer ${keys.write.reveal()}`, 'x-forwarded-proto': 'https' }
  await agent.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  closers.push(() => agent.close())
  const audit = () =>
    readFileSync(join(dataDir, 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  return { agent, port, address, audit, dataDir, heard: hook.heard }
}

it('an agent asks, the operator hears of it, approves from afar with a passkey, and the agent carries out just that', async () => {
  const { agent, port, address, audit, heard } = await start()
  const swap = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain: String(devnet().chainId) }
  expect((await agent.callTool({ name: 'execute_swap', arguments: swap })).isError).toBe(true)

  await expect.poll(() => heard.length).toBe(1)
  const [{ headers: signed, body } = { headers: {}, body: '' }] = heard
  const over = `${String(signed['webhook-id'])}.${String(signed['webhook-timestamp'])}.${body}`
  expect(signed['webhook-signature']).toBe(`v1,${createHmac('sha256', secret).update(over).digest('base64')}`)
  const { type, data } = JSON.parse(body) as { readonly type: string; readonly data: Readonly<Record<string, string>> }
  expect([type, data['page'], data['tool']]).toEqual(['approval.waiting', `${origin}/operator`, 'execute_swap'])

  const place = { host: 'mcp.example.com', 'x-forwarded-proto': 'https', origin }
  const post = async (path: string, said: unknown, cookie = '') => {
    const answer = await rawRequest(port, {
      path: `/operator/${path}`,
      body: JSON.stringify(said),
      headers: { ...place, cookie },
    })
    return { ...answer, challenge: (answer.json as { readonly challenge: string }).challenge }
  }
  const entered = await post('sign-in', ada.confirm({ challenge: (await post('challenge', {})).challenge, origin }))
  const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const look = (path: string) => rawRequest(port, { method: 'GET', path, headers: { ...place, cookie } })
  expect((await look('/operator')).text).toContain(`data-id="${data['operationId']}"`)
  const { text: chains } = await look('/operator/chains')
  expect([chains.includes(`<code>${address}</code>`), chains.includes('checks pass')]).toEqual([true, true])
  const decision = { kind: 'approve', id: data['operationId'], planHash: data['planHash'] }
  const { challenge } = await post('ask', decision, cookie)
  expect((await post('decide', { decision, assertion: ada.confirm({ challenge, origin }) }, cookie)).status).toBe(200)

  const done = await agent.callTool({ name: 'execute_plan', arguments: { planId: data['operationId'] } })
  expect(answerOf(done.structuredContent).data).toMatchObject({ status: 'success' })
  const lines = audit().filter(({ event }) => /^(operator\.|tx\.(approval|settled))/.test(String(event)))
  expect(lines.map(({ event, by = null }) => [event, by])).toEqual([
    ['tx.approval.requested', null],
    ['operator.signed-in', null],
    ['operator.confirmed', null],
    ['tx.approval.decided', 'operator:ada'],
    ['tx.settled', null],
  ])
})

it('on this machine the page shows the state to whoever has the link that stands in the data directory, and to nobody else', async () => {
  const { port, dataDir, address } = await start({})
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    rawRequest(port, { method: 'GET', path, headers })
  expect((await get('/operator/state')).status).toBe(401)
  const link = { 'svc-operator-link': (await makePageLink(dataDir, Date.now())).token }
  const opened = await get('/operator/open', link)
  expect(opened.status).toBe(200)
  const { session } = JSON.parse(opened.text) as { readonly session: string }
  const reader = { 'svc-operator-session': session }
  expect((await get('/operator/state', reader)).text).toContain('Signing is on.')
  expect((await get('/operator/chains', reader)).text).toContain(address)
  expect((await get('/operator/open', link)).status).toBe(401)
})
