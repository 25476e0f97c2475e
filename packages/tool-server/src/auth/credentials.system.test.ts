import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, it } from 'vitest'
import { answers, openSocket } from '../transports/web-socket.fixture.ts'
import { startIssuer } from './issued/issuer.fixture.ts'
import { newAccount, register, signInWith } from './sign-in/signing-server.fixture.ts'

const devnet = useDevnet()
const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const random = () => randomBytes(32).toString('base64url')
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const swap = { chain: 'local', tokenIn: 'USDC', tokenOut: 'WETH', amount: '10' }
const revision = '2026-07-28'
const _meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const params = { name: 'execute_swap', arguments: swap, _meta }
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
const inRevision = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': revision,
  'mcp-method': 'tools/call',
  'mcp-name': 'execute_swap',
}

/** A server process with a wallet, which takes every kind of credential; what it prints is kept. */
async function startServer(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [program, '--transport', 'http'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { text: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => void (printed.text += text))
  }
  const ended = once(child, 'exit')
  closers.push(() => child.kill('SIGKILL'))
  const listens = /http:\/\/127\.0\.0\.1:\d+\/mcp/
  await expect.poll(() => printed.text, { timeout: 60_000 }).toMatch(listens)
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { url: listens.exec(printed.text)?.[0] ?? '', printed, stop }
}

/** Calls a tool that writes, over HTTP and over WebSocket: the answers, and the status of the first. */
async function callWith(url: string, headers: Readonly<Record<string, string>>) {
  const answer = await fetch(url, { method: 'POST', headers: { ...inRevision, ...headers }, body })
  const text = await answer.text()
  const socket = await openSocket(Number(new URL(url).port), null, { headers }).catch(() => null)
  if (socket === null) return { status: answer.status, text }
  socket.socket.send(body)
  const heard = JSON.stringify(await socket.until(answers(1)))
  socket.socket.close()
  return { status: answer.status, text: `${text}\n${heard}` }
}

it(
  'names principal and stage of every kind of caller in the audit log, and no credential anywhere',
  { timeout: 300_000 },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-credentials-'))
    closers.push(() => rmSync(dataDir, { recursive: true, force: true }))
    const [oauth, edge] = [await startIssuer('ES256'), await startIssuer('RS256')]
    closers.push(
      () => oauth.close(),
      () => edge.close(),
    )
    const agent = newAccount()
    await register(devnet(), agent, 'vault_creator')
    const signIn = { wallets: { [agent.address]: ['write:trade'] }, services: { 'a1.access': ['write:trade'] } }
    writeFileSync(join(dataDir, 'policy.json'), JSON.stringify({ ...devnetPolicy(), signIn }), { mode: 0o600 })
    writeFileSync(join(dataDir, 'chains.json'), JSON.stringify([devnet().chain]), { mode: 0o600 })
    const privateKey = generatePrivateKey()
    await devnet().fund(privateKeyToAccount(privateKey).address, { ETH: '1', USDC: '1000' })
    const keys = { read: `svc_read_${random()}`, feedback: `svc_feedback_${random()}`, write: `svc_write_${random()}` }
    const staticToken = random()
    const server = await startServer({
      LOG_LEVEL: 'debug',
      SVC_DATA_DIR: dataDir,
      SVC_CHAINS_FILE: join(dataDir, 'chains.json'),
      [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
      SVC_LISTEN: '127.0.0.1:0',
      SVC_WEBSOCKET: 'on',
      WALLET_TYPE: 'local',
      PRIVATE_KEY: privateKey,
      SVC_API_KEY_READ: keys.read,
      SVC_API_KEY_FEEDBACK: keys.feedback,
      SVC_API_KEY_WRITE: keys.write,
      MCP_AUTH_TOKEN: staticToken,
      SVC_SIWE_CHAIN: `${devnet().chainId}`,
      SVC_OAUTH_ISSUERS: `${oauth.url} ES256`,
      SVC_EDGE_ISSUER: edge.url,
      SVC_EDGE_KEYS_URL: edge.keysUrl,
      SVC_EDGE_AUDIENCE: 'an-audience',
    })
    const posted: string[] = []
    const listening: typeof fetch = (input, init) => {
      if (typeof init?.body === 'string') posted.push((JSON.parse(init.body) as { signature: string }).signature)
      return fetch(input, init)
    }
    const { token: walletToken } = await signInWith(server, agent, { fetch: listening })
    const iat = Math.floor(Date.now() / 1_000)
    const times = { iat, exp: iat + 600 }
    const access = { iss: oauth.url, aud: server.url, sub: 'somebody', client_id: 'a-program', scope: 'write:trade' }
    const accessToken = await oauth.sign({ ...access, ...times }, { typ: 'at+jwt' })
    const edgeToken = await edge.sign({
      iss: edge.url,
      aud: 'an-audience',
      common_name: 'a1.access',
      sub: '',
      ...times,
    })
    const ways = {
      'api-key': bearer(keys.write),
      bearer: bearer(staticToken),
      siwe: bearer(walletToken),
      oauth: bearer(accessToken),
      'edge-access': { 'access-jwt-assertion': edgeToken },
    }
    const said: string[] = []
    for (const [stage, headers] of Object.entries(ways)) {
      const { status, text } = await callWith(server.url, headers)
      expect({ stage, status, text }).toMatchObject({ status: 200, text: expect.stringContaining('txHash') })
      const [[name, value]] = Object.entries(headers) as [[string, string]]
      const refused = await callWith(server.url, { [name]: `${value.slice(0, -6)}AAAAAA` })
      expect({ stage, status: refused.status }).toEqual({ stage, status: 401 })
      said.push(text, refused.text)
    }
    await server.stop()
    const files = Object.fromEntries(
      readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name), 'latin1')]),
    )
    const lines = (files['audit.jsonl'] ?? '').trim().split('\n')
    const calls = lines
      .map(
        (line) => JSON.parse(line) as { readonly event: string; readonly actor?: { stage: string; principal: string } },
      )
      .filter(({ event }) => event === 'tool.called')
    const principals = {
      'api-key': /^api-key:[0-9a-f]{16}$/,
      bearer: /^bearer:[0-9a-f]{16}$/,
      siwe: new RegExp(`^siwe:${agent.address}$`),
      oauth: /^oauth:[0-9a-f]{16}:[0-9a-f]{32}$/,
      'edge-access': /^edge-access:a1\.access$/,
    }
    expect(calls.map(({ actor }) => actor)).toEqual(
      // Over HTTP, and over WebSocket.
      Object.entries(principals).flatMap(([stage, id]) =>
        [1, 2].map(() => expect.objectContaining({ stage, principal: expect.stringMatching(id) })),
      ),
    )
    const sinks = { ...files, log: server.printed.text, answers: said.join('\n') }
    expect(sinks.log).toContain('tool.call')
    const secrets = [...Object.values(keys), staticToken, walletToken, accessToken, edgeToken, ...posted]
    expect(posted).toHaveLength(1)
    // Of a token no part either: what it says of its holder stands in words of ours.
    const parts = secrets.concat(secrets.flatMap((secret) => secret.split('.'))).filter((part) => part.length > 20)
    const shown = Object.entries(sinks).flatMap(([sink, text]) =>
      parts.filter((part) => text.includes(part)).map((part) => `${part} in ${sink}`),
    )
    expect(shown).toEqual([])
  },
)
