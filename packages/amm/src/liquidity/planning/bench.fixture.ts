import type { Devnet } from '@svc/devnet'
import type { Chain } from '@svc/wallet/core'
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  http,
  parseGwei,
  type Address,
  type Hash,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Intent, IntentApproval, IntentCall, Settled } from '../../intent.ts'
import type { Liquidity, Token, TokenDirectory } from '../../ports.ts'
import { knownContracts } from '../../../../engine/src/calldata/known-contracts.ts'
import { parsePolicy } from '../../../../engine/src/policy/policy.ts'
import { policyVerdict } from '../../../../engine/src/verdict/policy-verdict.ts'
import { createRpcPool } from '../../rpc/create-rpc-pool.ts'
import { createTokenDirectory } from '../../tokens/create-token-directory.ts'
import { erc20Abi, permit2Abi } from '../../abis/tokens.ts'
import { createLiquidity } from '../create-liquidity.ts'
import { patientRpc } from '../../../../engine/src/fixtures/patience.fixture.ts'

/**
 * A wallet on the local chain that carries intents out by hand: the approvals they declare, then their calls. Each must
 * first pass the operator's policy.
 */
export async function createBench(devnet: Devnet, index = 0): Promise<Bench> {
  const { chain, rpcUrl } = devnet
  const account = privateKeyToAccount(devnet.accounts[index]!.privateKey)
  const transport = http(rpcUrl)
  const client = createPublicClient({ transport, pollingInterval: 10, cacheTime: 0 })
  const wallet = createWalletClient({ account, transport })
  const rpc = createRpcPool({ urls: () => [rpcUrl], now: Date.now, ...patientRpc })
  const tokens = createTokenDirectory({ chains: [chain], rpc })
  const liquidity = createLiquidity({ rpc, tokens })
  let gasPaidWei = 0n

  async function send(call: BenchCall): Promise<TransactionReceipt> {
    // A swap costs more in a new second, in which it writes the pool's oracle, than the estimate may have seen.
    const gas = ((await client.estimateGas({ ...call, account })) * 13n) / 10n
    const receipt = await wallet.sendTransactionSync({ ...call, gas, chain: null })
    gasPaidWei += receipt.gasUsed * receipt.effectiveGasPrice
    if (receipt.status !== 'success') throw new Error(`reverted: ${receipt.transactionHash}`)
    return receipt
  }

  async function approve({ token, spender, amount, via }: IntentApproval): Promise<void> {
    const through = via === 'permit2' ? chain.permit2 : spender
    const args = [through, amount] as const
    await send({ to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args }) })
    if (via === 'erc20') return
    const grant = [token, spender, amount, Math.floor(Date.now() / 1000) + 1800] as const
    await send({
      to: chain.permit2,
      data: encodeFunctionData({ abi: permit2Abi, functionName: 'approve', args: grant }),
    })
  }

  const balance: Bench['balance'] = async (token) => {
    // Gas is no part of what a plan moves.
    if (token.isNative) return (await client.getBalance({ address: account.address })) + gasPaidWei
    return await client.readContract({
      address: token.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account.address],
    })
  }

  const policy = parsePolicy(
    {
      allowlist: { mode: 'lenient' },
      slippageBps: { default: 50, cap: 5_000 },
      recipients: { [chain.id]: devnet.accounts.map(({ address }) => address) },
    },
    { production: false },
  )

  /** Whatever a plan asks for, the operator's policy must be able to read to the last part. */
  function requireAllowed(intent: Intent): void {
    const nowSeconds = Math.floor(Date.now() / 1000)
    const known = knownContracts(chain, policy)
    const { refusals } = policyVerdict(intent, { chain, policy, known, wallet: account.address, nowSeconds })
    if (refusals.length > 0) throw new Error(`the policy refuses: ${JSON.stringify(refusals)}`)
  }

  return {
    devnet,
    chain,
    address: account.address,
    client,
    tokens,
    liquidity,
    deadline: Math.floor(Date.now() / 1000) + 600,
    send,
    balance,
    async token(symbol) {
      if (symbol === 'ETH') return await tokens.resolve(chain, 'ETH', 'token')
      return await tokens.byAddress(chain, devnet.tokens.find((token) => token.symbol === symbol)!.address)
    },
    async approve(intent) {
      for (const approval of intent.approvals) await approve(approval)
    },
    async submit({ to, data, valueWei }, maxFeePerGas) {
      const fees = { gas: 2_000_000n, maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas }
      return await wallet.sendTransaction({ to, data, value: valueWei, chain: null, ...fees })
    },
    async settled(hash) {
      const receipt = await client.getTransactionReceipt({ hash })
      gasPaidWei += receipt.gasUsed * receipt.effectiveGasPrice
      if (receipt.status !== 'success') throw new Error(`reverted: ${hash}`)
      return settledBy(receipt)
    },
    async run(intent) {
      requireAllowed(intent)
      for (const approval of intent.approvals) await approve(approval)
      const mined: Settled[] = []
      for (const { to, data, valueWei, label } of intent.calls) {
        mined.push(settledBy(await send({ to, data, value: valueWei }), label))
      }
      const calls = mined.map(({ main }) => main)
      return { ...mined.at(-1)!, transactions: calls, calls }
    },
    async changes(watched, act) {
      const before = await Promise.all(watched.map(balance))
      const result = await act()
      const after = await Promise.all(watched.map(balance))
      return { result, changes: after.map((value, index) => value - before[index]!) }
    },
  }
}

export type BenchCall = { readonly to: Address; readonly data?: Hex; readonly value?: bigint }

export type Bench = {
  readonly devnet: Devnet
  readonly chain: Chain
  readonly address: Address
  readonly client: PublicClient
  readonly tokens: TokenDirectory
  readonly liquidity: Liquidity
  /** Ten minutes from now, unix seconds. */
  readonly deadline: number
  token(symbol: string): Promise<Token>
  send(call: BenchCall): Promise<TransactionReceipt>
  /** Grants exactly what the intent declares, then sends its calls. Throws when one reverts. */
  run(intent: Intent): Promise<Settled>
  /** Grants exactly what the intent declares. */
  approve(intent: Pick<Intent, 'approvals'>): Promise<void>
  /** Sends a call without waiting for its block. */
  submit(call: IntentCall, maxFeePerGas: bigint): Promise<Hash>
  /** What became of a submitted call. */
  settled(hash: Hash): Promise<Settled>
  /** What the wallet holds of a token; of native currency as if gas cost nothing. */
  balance(token: Token): Promise<bigint>
  /** What `act` changed of the wallet's holdings. */
  changes<Result>(watched: readonly Token[], act: () => Promise<Result>): Promise<{ result: Result; changes: bigint[] }>
}

/** Mines the calls of several wallets in one block, in the given order. */
export async function mineTogether(
  bench: Bench,
  intents: readonly (readonly [Bench, Intent])[],
): Promise<readonly Settled[]> {
  const node = createTestClient({ mode: 'anvil', transport: http(bench.devnet.rpcUrl) })
  for (const [sender, intent] of intents) await sender.approve(intent)
  await node.setAutomine(false)
  const hashes: Hash[] = []
  for (const [index, [sender, intent]] of intents.entries()) {
    // The node orders a block by what the transactions pay.
    hashes.push(await sender.submit(intent.calls[0]!, parseGwei(String(100 - index))))
  }
  await node.mine({ blocks: 1 })
  await node.setAutomine(true)
  const settled = await Promise.all(intents.map(async ([sender], index) => await sender.settled(hashes[index]!)))
  if (new Set(settled.map(({ main }) => main.blockNumber)).size !== 1) throw new Error('the calls were mined apart')
  return settled
}

function settledBy(
  { transactionHash, blockNumber, logs, gasUsed, effectiveGasPrice }: TransactionReceipt,
  label = 'main',
): Settled {
  const main = { label, hash: transactionHash, blockNumber, logs, gasUsed }
  return {
    transactions: [main],
    main,
    calls: [main],
    deltas: [],
    gasCostWei: gasUsed * effectiveGasPrice,
    gasCostUsd: null,
    gasOfBatch: null,
    safetyChecks: { tokenAllowlistPassed: true, spendingLimitPassed: true, simulationPassed: true },
    priceImpactBps: null,
    warnings: [],
  }
}
