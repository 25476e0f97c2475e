import { startFaultProxy, useDevnet, type FaultProxy, type Lie } from '@svc/devnet/testing'
import { createPublicClient, http, parseEther, toHex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { registerAgent } from '../agent/register-agent.ts'
import type { GasOptions } from '../agent/registration/registration.ts'
import type { Journal } from '../journal.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { createEIP1193Provider, type ProviderOptions } from '../provider/create-eip1193-provider.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { revokeDelegation } from '../user-operation/revoke-delegation.ts'

const devnet = useDevnet()
const gwei = 10n ** 9n
const bob = '0x00000000000000000000000000000000000b0b00'

let proxy: FaultProxy
let wallet: ServiceWallet
let journal: Journal
beforeEach(async () => {
  proxy = await startFaultProxy({ target: devnet().rpcUrl })
  const rpcUrls = { 31337: proxy.url }
  wallet = new ServiceWallet({ mode: 'local', privateKey: generatePrivateKey(), chainId: 31337, rpcUrls })
  journal = createMemoryJournal({ now: Date.now })
  await devnet().fund(wallet.address, { ETH: '3' })
})
afterEach(async () => {
  await proxy.stop()
})

describe.each<[string, Lie]>([
  ['base fee', reported('eth_getBlockByNumber', (block) => ({ ...Object(block), baseFeePerGas: toHex(500n * gwei) }))],
  ['gas', reported('eth_estimateGas', () => toHex(25_000_000n))],
])('an endpoint that makes up the %s', (_what, lie) => {
  beforeEach(() => {
    proxy.setRules([{ fault: lie }])
  })

  test('has no registration signed, and the error names both figures', async () => {
    await expect(register()).rejects.toMatchObject({
      code: 'GAS_ABOVE_LIMIT',
      message: expect.stringMatching(/may cost 0\.\d+ ETH, and at most 0\.005 ETH/),
      details: { worstWei: expect.stringMatching(/^\d+$/), maxFeeWei: `${parseEther('0.005')}` },
    })
    await expectNothingPaid()
  })

  test('has no transaction of a foreign client signed', async () => {
    const refused = { code: -32_003, data: { code: 'GAS_ABOVE_LIMIT' } }
    await expect(send({})).rejects.toMatchObject(refused)
    await expectNothingPaid()
  })
})

test('what the caller agrees to is what counts, more or less', async () => {
  await expect(register({ maxFeeWei: 1_000n })).rejects.toMatchObject({ code: 'GAS_ABOVE_LIMIT' })
  await expect(register({ maxFeeWei: 0n })).rejects.toMatchObject({ code: 'VALIDATION_CONFIG_INVALID' })
  await expectNothingPaid()
  proxy.setRules([{ fault: reported('eth_estimateGas', () => toHex(5_000_000n)) }])
  expect(await register({ maxFeeWei: parseEther('0.1') })).toMatchObject({ status: 'registered' })
})

test('nobody is asked for more than may be spent', async () => {
  const poor = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId: 31337,
    rpcUrls: wallet.rpcUrls,
  })
  const maxFeeWei = parseEther('0.0049')
  const result = await register({ maxFeeWei, manualWaitMs: 0 }, poor)
  expect(result).toMatchObject({ status: 'deferred', fund: { amountWei: `${maxFeeWei}`, amount: '0.0049' } })
})

test('a foreign client that names gas and fees itself stays below the same limit, which the operator may raise', async () => {
  const fees = { gas: toHex(100_000n), maxFeePerGas: toHex(200n * gwei), maxPriorityFeePerGas: '0x1' }
  await expect(send(fees)).rejects.toMatchObject({ code: -32_003, data: { code: 'GAS_ABOVE_LIMIT' } })
  await expectNothingPaid()
  expect(await send(fees, { maxFeeWei: parseEther('0.02') })).toMatch(/^0x[0-9a-f]{64}$/)
})

test('the end of a delegation costs no more than agreed to either', async () => {
  const code = `0xef0100${'11'.repeat(20)}`
  proxy.setRules([{ fault: reported('eth_getCode', () => code) }])
  await expect(revokeDelegation(wallet, { journal, maxFeeWei: 1_000n })).rejects.toMatchObject({
    code: 'GAS_ABOVE_LIMIT',
  })
  await expectNothingPaid()
})

function register(gas: GasOptions = {}, by = wallet) {
  return registerAgent(by, {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint: 'https://a.example/mcp',
    ipfsMode: 'inline',
    env: {},
    journal,
    registry: { identity: devnet().registry.identity },
    gas: { manualWaitMs: 0, ...gas },
    loadIdentitySdk: () => Promise.resolve(null),
  })
}

function send(fees: object, options: ProviderOptions = {}): Promise<unknown> {
  const provider = createEIP1193Provider(wallet, { journal, ...options })
  return provider.request({ method: 'eth_sendTransaction', params: [{ to: bob, value: '0x1', ...fees }] })
}

async function expectNothingPaid(): Promise<void> {
  expect(await journal.open(31337, wallet.address)).toEqual([])
  expect(proxy.rawTransactions().size).toBe(0)
  const client = createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
  expect(await client.getBalance({ address: wallet.address })).toBe(parseEther('3'))
}

function reported(method: string, change: (result: unknown) => unknown): Lie {
  return { kind: 'lie', method, change }
}
