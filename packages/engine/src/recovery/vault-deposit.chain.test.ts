import type { Intent } from '@svc/amm'
import { createVaults } from '@svc/amm/vaults'
import { erc20Abi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, encodeFunctionData, http, parseAbi, parseTransaction, parseUnits } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { cutOff, mineAgain, mineNothing } from '../fixtures/mining.fixture.ts'
import { beforeSending } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { tellTroubles, used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'
import { devnetPolicy, parsePolicy } from '../policy/policy.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

afterEach(async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.request({ method: 'anvil_dropAllTransactions' } as never)
  await node.setAutomine(true)
})

/** A deposit of a thousand dollars into the local chain's vault, planned, and the pipeline that would carry it out. */
async function openDeposit(): Promise<{
  readonly pipeline: Pipeline
  readonly intent: Intent
  readonly shares: bigint
}> {
  const { address } = devnet().vaults[0]!
  const vaults = { [devnet().chainId]: [address] }
  const pipeline = await open({ policy: devnetPolicy({ vaults }) })
  const { chain, tokens, wallet: owner } = pipeline
  const port = createVaults({
    ...pipeline,
    named: () => [address],
  })
  const vault = await port.find(chain, address)
  const asset = await tokens.byAddress(chain, vault.asset)
  const amount = parseUnits('1000', 6)
  const state = await port.state(chain, vault, { account: owner, deposit: amount })
  const shares = state.previewedShares ?? 0n
  const { intent } = port.planDeposit(chain, vault, { owner, asset, amount, shares, slippageBps: 10, kept: null })
  return { pipeline, intent, shares: intent.receives[0]!.amount }
}

const vaultOf = ({ calls }: Intent) => calls[0]!.to
const allowanceOf = (pipeline: Pipeline, intent: Intent) => pipeline.allowance('USDC', vaultOf(intent))

it('a deposit that is mined after its process has died counts as what it took, and its allowance is taken back', async () => {
  const { pipeline, intent, shares } = await openDeposit()
  tellTroubles(pipeline)
  const before = await pipeline.balance('USDC')
  beforeSending(pipeline, 2, () => mineNothing(pipeline))
  await expect(pipeline.run(intent, { tool: 'vault_deposit' })).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  await cutOff(pipeline)
  await mineAgain(pipeline)
  pipeline.network.fetch = fetch
  await pipeline.executor.reconcile()
  const paid = before - (await pipeline.balance('USDC'))
  const client = pipeline.rpc.client(pipeline.chain)
  expect(await client.readContract({ ...shareOf(intent), args: [pipeline.wallet] })).toBe(shares)
  expect(await allowanceOf(pipeline, intent)).toBe(0n)
  expect([await used(pipeline), await pipeline.store.ledger.open()]).toEqual([paid, []])
})

it('a process that dies between the approval and the deposit leaves no allowance', async () => {
  const { pipeline, intent, shares } = await openDeposit()
  tellTroubles(pipeline)
  const before = await pipeline.balance('USDC')
  beforeSending(pipeline, 2, () => cutOff(pipeline))
  await expect(pipeline.run(intent, { tool: 'vault_deposit' })).rejects.toMatchObject({ code: expect.any(String) })
  pipeline.network.fetch = fetch
  expect(await allowanceOf(pipeline, intent)).toBeGreaterThan(0n)
  pipeline.patience.isShort = false
  await expect
    .poll(async () => {
      await pipeline.executor.reconcile()
      return [await allowanceOf(pipeline, intent), await pipeline.store.ledger.open()]
    })
    .toEqual([0n, []])
  const paid = before - (await pipeline.balance('USDC'))
  const client = pipeline.rpc.client(pipeline.chain)
  const held = await client.readContract({ ...shareOf(intent), args: [pipeline.wallet] })
  // The signed deposit is sent, or ended: never half of it.
  expect([0n, shares]).toContain(held)
  expect(paid > 0n).toBe(held > 0n)
})

it('one that is not mined within the deadline cap is ended by a no-op, for nothing in its calldata makes it fail', async () => {
  const { pipeline, intent } = await openDeposit()
  tellTroubles(pipeline)
  const before = await pipeline.balance('USDC')
  beforeSending(pipeline, 2, () => mineNothing(pipeline))
  await expect(pipeline.run(intent, { tool: 'vault_deposit' })).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  pipeline.network.fetch = fetch
  const { cap } = parsePolicy(devnetPolicy(), { production: false }).deadlineSeconds
  pipeline.clock.offsetMs = (cap + 10) * 1_000
  await pipeline.executor.reconcile()
  const signed = await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)
  const targets = signed.map(({ rawTransaction }) => parseTransaction(rawTransaction).to?.toLowerCase())
  expect(targets).toContain(pipeline.wallet.toLowerCase())
  await mineAgain(pipeline)
  await expect
    .poll(async () => {
      await pipeline.executor.reconcile()
      return [await allowanceOf(pipeline, intent), await pipeline.store.ledger.open()]
    })
    .toEqual([0n, []])
  expect(await pipeline.balance('USDC')).toBe(before)
})

it.each([
  ['before it dies', 'first'],
  ['right before its allowance is taken back, once a process is there again', 'last'],
])('G13: what a vault that has turned takes by itself %s counts as lost', async (_when, at) => {
  const { pipeline, intent } = await openDeposit()
  tellTroubles(pipeline)
  const before = await pipeline.balance('USDC')
  beforeSending(pipeline, 2, () => cutOff(pipeline))
  await expect(pipeline.run(intent, { tool: 'vault_deposit' })).rejects.toMatchObject({ code: expect.any(String) })
  pipeline.patience.isShort = false
  pipeline.network.fetch = fetch
  if (at === 'first') await takeAllowed(pipeline, intent)
  else beforeRevoking(pipeline, () => takeAllowed(pipeline, intent))
  await expect
    .poll(async () => {
      await pipeline.executor.reconcile()
      return [await allowanceOf(pipeline, intent), await pipeline.store.ledger.open()]
    })
    .toEqual([0n, []])
  const paid = before - (await pipeline.balance('USDC'))
  const brought = await pipeline.rpc
    .client(pipeline.chain)
    .readContract({ ...shareOf(intent), args: [pipeline.wallet] })
  expect([await used(pipeline), paid]).toEqual([1_000_000_000n, 1_000_000_000n])
  const lost = await pipeline.store.ledger.budgetUsage('loss')
  expect(lost).toBeGreaterThanOrEqual(brought === 0n ? 1_000_000_000n : 1_000_000n)
})

/** Runs something right before an allowance is taken back. */
function beforeRevoking(pipeline: Pipeline, work: () => Promise<void>): void {
  pipeline.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    if (body.includes('eth_sendRawTransaction') && body.includes('095ea7b3')) await work()
    return fetch(input, init)
  }
}

/** The vault takes what it may of the wallet, in a transaction of its own. */
async function takeAllowed(pipeline: Pipeline, intent: Intent): Promise<void> {
  const [node, vault] = [createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) }), vaultOf(intent)]
  await devnet().fund(vault, { ETH: '1' })
  await node.impersonateAccount({ address: vault })
  const args = [pipeline.wallet, nobody, await allowanceOf(pipeline, intent)] as const
  const abi = parseAbi(['function transferFrom(address from, address to, uint256 value) returns (bool)'])
  const data = encodeFunctionData({ abi, functionName: 'transferFrom', args })
  const [usdc] = intent.spends
  await node.request({
    method: 'eth_sendTransaction',
    params: [{ from: vault, to: usdc!.token, data, gas: '0x30d40' }],
  } as never)
}

const nobody = '0x00000000000000000000000000000000000071ef'

function shareOf(intent: Intent) {
  return { address: vaultOf(intent), abi: erc20Abi, functionName: 'balanceOf' } as const
}
