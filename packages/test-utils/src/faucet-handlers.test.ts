import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiUrl, chainId, register, registered, rpcUrl, walletOf, withoutSdk } from './agent.fixture.ts'
import {
  createTestServer,
  faucetHandlers,
  registryHandlers,
  type FaucetFault,
  type FaucetHandlers,
  type FaucetOptions,
  type RegistryHandlers,
  type TestServer,
} from './index.ts'

let chain: RegistryHandlers
let faucet: FaucetHandlers
let server: TestServer
beforeEach(() => begin())
afterEach(() => server.close())

describe('registerAgent with a wallet that holds nothing', () => {
  test('is given something by the faucet, and registers with it', async () => {
    const wallet = walletOf('Ada')
    expect(await registered(wallet, withoutSdk)).toMatchObject({ gasTier: 'faucet', agentId: `${chainId}:0` })
    expect(faucet.claims()).toMatchObject([{ address: wallet.address, chainId, status: 'sent' }])
    expect(chain.balanceOf(wallet.address)).toBeLessThan(10n ** 16n)
  })

  test('waits for a claim that is in the queue', async () => {
    faucet.hold()
    await ask({ address: walletOf('Ada').address, chainId, appId: 'app-1' })
    expect(faucet.claims()).toMatchObject([{ status: 'queued', txHash: null }])
    const sleep = () => faucet.release()
    expect(await registered(walletOf('Ada'), { ...withoutSdk, sleep })).toMatchObject({ gasTier: 'faucet' })
    expect(faucet.claims()).toHaveLength(1)
  })

  test.each<[string, FaucetFault, string]>([
    ['is dry', { fault: 'dry' }, '503 (FAUCET_DRY)'],
    ['has had enough', { fault: 'rate-limit', retryAfterSeconds: 60 }, '429 (RATE_LIMITED)'],
    ['knows no such app', { fault: 'unauthorized' }, '401 (APP_ID_INVALID)'],
    ['does not answer', { fault: 'down' }, 'does not answer'],
  ])('asks a person when the faucet %s', async (_what, fault, reason) => {
    faucet.setFaults([fault])
    const result = await register(walletOf('Ada'), { ...withoutSdk, gas: { manualWaitMs: 0 } })
    expect(result).toMatchObject({ status: 'deferred' })
    expect(result.attempts.find(({ tier }) => tier === 'faucet')).toMatchObject({
      outcome: 'failed',
      code: 'FAUCET_FAILED',
      reason: expect.stringContaining(reason),
    })
  })
})

describe('the faucet', () => {
  const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'

  test('grants once for each wallet and chain, the same each time it is asked anew', async () => {
    const first = await ask({ address, chainId, appId: 'app-1' })
    expect(first).toMatchObject({
      status: 200,
      body: { status: 'sent', address, chainId, amount: '0.01', currency: 'ETH', explorerUrl: null },
    })
    const again = await ask({ address: address.toLowerCase(), chainId, appId: 'app-1' })
    const { claimId, txHash } = first.body
    expect(again).toMatchObject({
      status: 409,
      body: { code: 'FAUCET_ALREADY_CLAIMED', details: { claimId, txHash, claimedAt: '2026-01-01T00:00:00.000Z' } },
    })
    expect((await ask({ address, chainId: 11155111, appId: 'app-1' })).status).toBe(200)
    server.close()
    begin()
    expect(await ask({ address, chainId, appId: 'app-1' })).toEqual(first)
  })

  test('refuses what is malformed, other chains and other apps', async () => {
    const codes = async (body: object) => {
      const answer = await ask(body)
      return [answer.status, answer.body['code']]
    }
    expect(await codes({ chainId, appId: 'app-1' })).toEqual([400, 'VALIDATION_FAILED'])
    expect(await codes({ address, chainId: '84532', appId: 'app-1' })).toEqual([400, 'VALIDATION_FAILED'])
    expect(await codes({ address, chainId })).toEqual([400, 'VALIDATION_FAILED'])
    expect(await codes({ address, chainId: 1, appId: 'app-1' })).toEqual([400, 'FAUCET_CHAIN_NOT_SUPPORTED'])
    expect(await codes({ address, chainId, appId: 'another' })).toEqual([401, 'APP_ID_INVALID'])
    expect(faucet.claims()).toEqual([])
  })

  test('is dry when its grants have taken what it held, and its status says so', async () => {
    server.close()
    begin({ balanceWei: 10n ** 16n })
    expect(await status()).toMatchObject({ status: 'ok', chains: [{ claimsRemaining: 1 }, { claimsRemaining: 1 }] })
    expect((await ask({ address, chainId, appId: 'app-1' })).status).toBe(200)
    const other = '0x00000000000000000000000000000000000000dd'
    expect(await ask({ address: other, chainId, appId: 'app-1' })).toMatchObject({
      status: 503,
      body: { code: 'FAUCET_DRY', retryable: true },
    })
    const spent = { chainId, balance: '0', claimsRemaining: 0, enabled: false }
    expect((await status()).chains).toContainEqual(expect.objectContaining(spent))
  })
})

async function ask(body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${apiUrl}/v1/faucet/request`, { method: 'POST', body: JSON.stringify(body) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function status(): Promise<{ status: string; chains: object[] }> {
  return (await (await fetch(`${apiUrl}/v1/faucet/status`)).json()) as { status: string; chains: object[] }
}

function begin(change: Partial<FaucetOptions> = {}): void {
  chain = registryHandlers({ rpcUrl, chainId, balanceWei: 0n })
  const onGrant: FaucetOptions['onGrant'] = ({ address, amountWei }) => chain.fund(address, amountWei)
  faucet = faucetHandlers({ apiUrl, appId: 'app-1', onGrant, ...change })
  server = createTestServer(...chain, ...faucet)
  server.listen()
}
