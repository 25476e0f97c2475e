import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletProviderServer, type WalletProviderServer } from '@svc/test-utils'
import { readEnvFile } from '@svc/tool-server'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { program, run, type Run, runToEnd } from '../processes.fixture.ts'

const devnet = useDevnet()
let directory: string
let provider: WalletProviderServer
let between: Server
/** Hears of each answer of the provider before whoever asked does; `false` keeps it from them for good. */
let passes: (line: string) => boolean

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-cut-off-'))
  provider = await createWalletProviderServer()
  writeFileSync(join(directory, 'chains.json'), JSON.stringify([devnet().chain]))
  writeFileSync(join(directory, 'secret'), provider.appSecret, { mode: 0o600 })
  passes = () => true
  between = createServer((incoming, response) => void handOn(incoming, response))
  await new Promise<void>((resolve) => void between.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  between.closeAllConnections()
  await new Promise((resolve) => void between.close(resolve))
  await provider.close()
  rmSync(directory, { recursive: true, force: true })
})

async function handOn(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = incoming
  const body = await buffer(incoming)
  // Its own name for the host stays: requests are signed over it.
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${provider.url}${url}`, { method, headers }, resolve).once('error', reject).end(body)
  })
  const text = await buffer(answer)
  if (passes(`${method} ${url}`)) response.writeHead(answer.statusCode ?? 502, answer.headers).end(text)
}

const environment = () => ({
  SVC_WALLET_API_URL: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
  SVC_CHAINS_FILE: join(directory, 'chains.json'),
})
const words = () => {
  const switches = '--non-interactive --json --skip-identity --deploy-target local'
  const places = ['--data-dir', join(directory, 'data'), '--wallet-app-secret-file', join(directory, 'secret')]
  const named = ['--wallet-app-id', provider.appId, '--chains', devnet().chain.name]
  return ['setup', 'production', ...switches.split(' '), ...places, ...named, '--rpc-provider', devnet().rpcUrl]
}
const walletsMade = () =>
  provider.requests().filter(({ method, url }) => method === 'POST' && url.endsWith('/v1/wallets')).length

it('finds the wallet again that a run was making when it was killed, with the keys of that run', async () => {
  const killed: { run: Run | null } = { run: null }
  const cut = new Promise<void>((resolve) => {
    passes = (line) => {
      if (line !== 'POST /v1/wallets') return true
      killed.run?.child.kill('SIGKILL')
      resolve()
      return false
    }
  })
  killed.run = run(process.execPath, [program, ...words()], { env: environment() })
  await cut
  await killed.run.exited
  await killed.run.end()
  const note = join(directory, 'data', 'wallet-in-the-making.json')
  expect([walletsMade(), statSync(note).mode & 0o777]).toEqual([1, 0o600])
  expect(existsSync(join(directory, 'data', '.env'))).toBe(false)
  const { ownerPrivateKey, authPrivateKey } = JSON.parse(readFileSync(note, 'utf8')) as Record<string, string>

  passes = () => true
  const { code, stdout, stderr } = await runToEnd(words(), { env: environment() })
  expect([code, stderr]).toEqual([0, expect.stringContaining('made by a run that was cut off, and found again')])
  expect(walletsMade()).toBe(1)
  const { walletId } = JSON.parse(stdout) as { walletId: string }
  expect(readEnvFile(join(directory, 'data', '.env'))).toMatchObject({
    WALLET_ID: walletId,
    WALLET_AUTH_PRIVATE_KEY: authPrivateKey,
  })
  expect(readFileSync(join(directory, 'data', 'owner-key.txt'), 'utf8').trim()).toBe(ownerPrivateKey)
  expect(existsSync(note)).toBe(false)
})
