import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import {
  createPublicClient,
  createWalletClient,
  erc20Abi,
  http,
  parseAbi,
  parseUnits,
  type Address,
  type Hex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { provisionKeys } from './auth/credentials.ts'
import { readConfig } from './config.ts'
import { openServer } from './open-server.ts'
import { devnetPolicy } from '@svc/engine'
import type { ToolServer } from './server.ts'
import { connectFirst, connectModern } from './test-server.fixture.ts'
import { answerOf, type Answer, poolTokens, repeatOf } from './tools/answer.fixture.ts'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** The whole server on the local chain, from its configuration alone, as an operator starts it. */
async function start(policy: Readonly<Record<string, unknown>> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-whole-'))
  const privateKey = generatePrivateKey()
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(address, { ETH: '10', WETH: '10', USDC: '50000' })
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify({ ...devnetPolicy(), ...policy }), { mode: 0o600 })
  const environment = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  }
  const keys = provisionKeys(readConfig(environment), (size) => crypto.getRandomValues(new Uint8Array(size)))
  const server: ToolServer = await openServer(readConfig(environment))
  closers.push(() => server.close())
  return { url: (await server.listen()).url, keys, address, environment }
}

const chain = () => String(devnet().chainId)
/** Both SDK generations and both eras of the protocol. */
const clients = [
  ['the first SDK', (url: string, key: string) => connectFirst(url, key)],
  ['the current SDK, 2025 handshake', (url: string, key: string) => connectModern(url, key, 'legacy')],
  ['the current SDK, 2026-07-28', (url: string, key: string) => connectModern(url, key, 'modern')],
] as const
const orders = [
  ['WETH', 'USDC'],
  ['USDC', 'WETH'],
] as const
const decimals = { WETH: 18, USDC: 6 } as const
type Ticker = keyof typeof decimals
type Pair = (typeof orders)[number]

/** The same deposit in either order of the tokens. */
function depositOf(version: string, pair: Pair) {
  const [token0, token1] = pair
  const range =
    token0 === 'WETH' ? { priceLower: 1_000, priceUpper: 9_000 } : { priceLower: 1 / 9_000, priceUpper: 1 / 1_000 }
  const ranged = version === 'v2' ? {} : { fee: 500, ...range }
  return { token0, token1, version, amount0: token0 === 'WETH' ? '0.5' : '1500', ...ranged }
}

const reader = () => createPublicClient({ transport: http(devnet().rpcUrl) })
const addressOf = (symbol: Ticker) => devnet().tokens.find((token) => token.symbol === symbol)!.address

/** What a wallet holds as the chain itself says, at its newest block. */
async function balances(of: Address, pair: Pair): Promise<bigint[]> {
  const client = reader()
  return Promise.all(
    pair.map((symbol) =>
      client.readContract({ address: addressOf(symbol), abi: erc20Abi, functionName: 'balanceOf', args: [of] }),
    ),
  )
}

/** Calls that name a position answer in the order of the pool's addresses. */
function poolOrder(added: Answer, pair: Pair): readonly Ticker[] {
  return poolTokens(added)[0] === added.text('pool.token0') ? pair : [pair[1], pair[0]]
}

describe('the server on a chain', () => {
  it.each(clients)(
    'adds and takes back liquidity for a client of %s, wei for wei as the chain has it',
    async (_name, connect) => {
      const { url, keys, address } = await start()
      const { client } = await connect(url, keys.write.reveal())
      closers.push(() => client.close())
      const listed = (await client.listTools()).tools.map(({ name }) => name)
      expect(listed).toEqual(expect.arrayContaining(['add_liquidity', 'remove_liquidity']))
      const call = async (name: string, args: Record<string, unknown>) => {
        const result = await client.callTool({ name, arguments: { chain: chain(), ...args } })
        expect(result).not.toHaveProperty('isError')
        return answerOf(result.structuredContent)
      }
      for (const version of ['v2', 'v3', 'v4']) {
        for (const pair of orders) {
          const deposit = depositOf(version, pair)
          const planned = await call('add_liquidity', { ...deposit, dryRun: true })
          expect(planned.data).toMatchObject({ status: 'planned', plan: { policy: { allowed: true } } })
          const before = await balances(address, pair)
          const added = await call('add_liquidity', deposit)
          const between = await balances(address, pair)
          expect(added.data).toMatchObject({ status: 'success', version, safetyChecks: { simulationPassed: true } })
          expect([0, 1].map((side) => before[side]! - between[side]!)).toEqual(
            pair.map((symbol, side) => parseUnits(added.text(`amount${side}Deposited`), decimals[symbol])),
          )

          await devnet().trade(4, version, [added.text('pool.poolAddress') as Hex])
          const removed = await call('remove_liquidity', { positionId: added.text('positionId'), version })
          expect(removed.data).toMatchObject({ status: 'success', percentageRemoved: 100 })
          const after = await balances(address, pair)
          const received = poolOrder(added, pair).map((symbol, side) => {
            const amounts = [removed.text(`amount${side}Received`), removed.text(`feesCollected.amount${side}`)]
            return [symbol, amounts.reduce((sum, amount) => sum + parseUnits(amount, decimals[symbol]), 0n)] as const
          })
          expect(Object.fromEntries(pair.map((symbol, side) => [symbol, after[side]! - between[side]!]))).toEqual(
            Object.fromEntries(received),
          )
          const fees = [0, 1].map((side) => removed.text(`feesCollected.amount${side}`))
          expect(fees.some((fee) => fee !== '0')).toBe(version !== 'v2')
        }
      }
    },
  )

  it.each(clients)('shows its codes to a client of %s and signs nothing', async (_name, connect) => {
    const { url, keys, address } = await start()
    const { client } = await connect(url, keys.write.reveal())
    closers.push(() => client.close())
    await client.listTools()
    const codeOf = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: { chain: chain(), ...args } })
      const envelope = result._meta?.['svc/error'] as { code: string }
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(envelope.code) }] })
      return envelope.code
    }
    for (const pair of orders) {
      const deposit = depositOf('v3', pair)
      expect(await codeOf('add_liquidity', { ...deposit, amount0: '1000000' })).toBe('INSUFFICIENT_BALANCE')
      expect(await codeOf('add_liquidity', { ...deposit, token0: 'NOSUCH' })).toBe('TOKEN_NOT_FOUND')
      expect(await codeOf('add_liquidity', { ...deposit, amount0: '1e3' })).toBe('VALIDATION_FAILED')
    }
    expect(await codeOf('remove_liquidity', { positionId: '987654321' })).toBe('POSITION_NOT_FOUND')
    expect(await reader().getTransactionCount({ address })).toBe(0)
  })

  it('sends once for a key, over a restart too', async () => {
    const { url, keys, environment } = await start()
    const swap = { chain: chain(), tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1', idempotencyKey: 'swap-1' }
    const { client } = await connectFirst(url, keys.write.reveal())
    const first = await client.callTool({ name: 'execute_swap', arguments: swap })
    expect(first).toMatchObject({ structuredContent: { status: 'success' } })
    const repeat = await client.callTool({ name: 'execute_swap', arguments: swap })
    expect(repeat.structuredContent).toEqual(repeatOf(first.structuredContent))
    await client.close()
    await closers.splice(0)[0]?.()
    const again = await openServer(readConfig(environment))
    closers.push(() => again.close())
    const { client: later } = await connectFirst((await again.listen()).url, keys.write.reveal())
    expect(await later.callTool({ name: 'execute_swap', arguments: swap })).toEqual(repeat)
    const other = await later.callTool({ name: 'execute_swap', arguments: { ...swap, amount: '0.2' } })
    expect(other).toMatchObject({ _meta: { 'svc/error': { code: 'IDEMPOTENCY_CONFLICT' } } })
    await later.close()
  })

  it('takes back at its start what an earlier version noted in a file', async () => {
    const { address, environment } = await start()
    await closers.splice(0)[0]?.()
    const { chain: row, chainId, rpcUrl } = devnet()
    const [token, spender] = [addressOf('WETH'), row.amm.v3!.swapRouter02]
    const account = privateKeyToAccount(environment.PRIVATE_KEY)
    const owner = createWalletClient({ account, transport: http(rpcUrl) })
    const approval = { address: token, abi: erc20Abi, functionName: 'approve', args: [spender, 7n] } as const
    const hash = await owner.writeContract({ ...approval, chain: null })
    await reader().waitForTransactionReceipt({ hash })
    const file = join(environment.SVC_DATA_DIR, 'owed-allowances.json')
    writeFileSync(file, JSON.stringify([{ chainId, owner: address, token, spender }]))
    const again = await openServer(readConfig(environment))
    closers.push(() => again.close())
    const stands = { address: token, abi: erc20Abi, functionName: 'allowance', args: [address, spender] } as const
    expect(await reader().readContract(stands)).toBe(0n)
    expect([existsSync(file), existsSync(`${file}.imported`)]).toEqual([false, true])
  })

  it('reports on itself, to a read key without amounts', async () => {
    const { url, keys, address, environment } = await start()
    const reader = (await connectFirst(url, keys.read.reveal())).client
    const writer = (await connectFirst(url, keys.write.reveal())).client
    const health = await reader.callTool({ name: 'check_setup_health', arguments: { verbose: true } })
    const { checks } = health.structuredContent as { checks: { id: string; status: string; message: string }[] }
    expect(checks.map(({ id, status }) => [id, status])).toEqual([
      ...['node-version', 'core-dumps', 'disk', 'env-file', 'config', 'wallet'].map((id) => [id, 'pass']),
      ['trading-api', 'warn'],
      ...['subgraph-key', 'production', 'api-keys', 'tls', 'origins', 'data-dir', 'policy'].map((id) => [id, 'pass']),
      ...[`rpc-${devnet().chain.name}`, 'gas'].map((id) => [id, 'pass']),
    ])
    expect(JSON.stringify(health)).toContain(address)
    expect(JSON.stringify(health)).not.toContain(environment.PRIVATE_KEY.slice(2))
    const seen = await writer.callTool({ name: 'check_safety_status', arguments: {} })
    expect(JSON.stringify(seen.structuredContent)).toContain('50000')
    const redacted = await reader.callTool({ name: 'check_safety_status', arguments: {} })
    expect(redacted.isError).toBeUndefined()
    expect(JSON.stringify(redacted.structuredContent)).not.toContain('50000')
    await reader.close()
    await writer.close()
  })

  it('is the only server of its data directory', async () => {
    const { environment } = await start()
    await expect(openServer(readConfig(environment))).rejects.toThrow('Another server')
  })
})

describe('writes that wait', () => {
  const swap = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '300' }

  it.each(clients)('are planned and then executed by a client of %s', async (_name, connect) => {
    const { url, keys, address } = await start()
    const { client } = await connect(url, keys.write.reveal())
    closers.push(() => client.close())
    await client.listTools()
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args })
      expect(result).not.toHaveProperty('isError')
      return answerOf(result.structuredContent)
    }
    const before = await balances(address, ['USDC', 'WETH'])
    const planned = await call('execute_swap', { ...swap, chain: chain(), dryRun: true })
    const [planId, planHash] = [planned.text('plan.planId'), planned.text('plan.planHash')]
    expect((await call('execute_plan', { planId, planHash })).data).toMatchObject({
      status: 'success',
      amountIn: '300',
    })
    const after = await balances(address, ['USDC', 'WETH'])
    expect(before[0]! - after[0]!).toBe(300_000_000n)
    expect((await call('get_operation', { operationId: planId })).data).toMatchObject({ state: 'done' })
    const other = (await call('execute_swap', { ...swap, chain: chain(), dryRun: true })).text('plan.planId')
    expect((await call('cancel_operation', { operationId: other })).text('state')).toBe('cancelled')
    const listed = (await call('list_operations', {})).list('operations')
    expect(listed.map((one) => [one.text('operationId'), one.text('state')])).toEqual([
      [other, 'cancelled'],
      [planId, 'done'],
    ])
  })

  it('run by themselves when their time has come, although the server was started anew', async () => {
    const { url, keys, address, environment } = await start({ proxyDelay: true, delaySeconds: { routine: 600 } })
    const first = await connectFirst(url, keys.write.reveal())
    const before = await balances(address, ['USDC', 'WETH'])
    const result = await first.client.callTool({ name: 'execute_swap', arguments: { ...swap, chain: chain() } })
    const scheduled = answerOf(result.structuredContent)
    expect(scheduled.text('status')).toBe('scheduled')
    await first.client.close()
    for (const close of closers.splice(0).toReversed()) await close()
    expect((await balances(address, ['USDC', 'WETH']))[0]).toBe(before[0])
    const wall = Date.now
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => wall() + 600_000)
    closers.push(async () => clock.mockRestore())
    const again = await openServer(readConfig(environment))
    closers.push(() => again.close())
    const second = await connectFirst((await again.listen()).url, keys.write.reveal())
    closers.push(() => second.client.close())
    const state = async () => {
      const shown = { name: 'get_operation', arguments: { operationId: scheduled.text('operationId') } }
      return answerOf((await second.client.callTool(shown)).structuredContent).text('state')
    }
    await expect.poll(state, { interval: 200 }).toBe('done')
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(scheduled.text('executeAfter')))
    expect(before[0]! - (await balances(address, ['USDC', 'WETH']))[0]!).toBe(300_000_000n)
  })
})

it('registers its agent over MCP, and reads the identity back as the chain has it', async () => {
  const { url, keys, address } = await start()
  const { client } = await connectModern(url, keys.write.reveal(), 'modern')
  closers.push(() => client.close())
  const call = async (name: string, args: object) =>
    answerOf((await client.callTool({ name, arguments: { chain: chain(), ...args } })).structuredContent)
  const { registry } = devnet()
  const done = await call('register_agent', { name: 'Keeper', role: 'vault_creator' })
  const abi = parseAbi([
    'function ownerOf(uint256) view returns (address)',
    'function tokenURI(uint256) view returns (string)',
  ])
  const of = { address: registry.identity, abi, args: [BigInt(done.text('tokenId'))] } as const
  const agentURI = await reader().readContract({ ...of, functionName: 'tokenURI' })
  expect(await reader().readContract({ ...of, functionName: 'ownerOf' })).toBe(address)
  const identity = { agentId: `${chain()}:${done.text('tokenId')}`, agentURI, owner: address }
  expect(done.data).toMatchObject(identity)
  const read = await call('query_agent_identity', { address })
  const shown = { ...identity, agentURI: expect.stringMatching(/^data:\S+,\.\.\. \(\d+ characters, see card\)$/) }
  expect(read.data).toMatchObject({ agents: [{ ...shown, agentWallet: address, card: { name: 'Keeper' } }] })
})
