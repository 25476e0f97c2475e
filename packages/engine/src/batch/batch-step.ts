import type { Chain, JournalEntry, OperationCall, UserOperations } from '@svc/wallet/core'
import { ToolError } from '@svc/amm'
import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  type Log,
  pad,
  parseAbi,
  parseTransaction,
} from 'viem'
import { batchDelegate } from '../calldata/contracts.gen.ts'
import type { Batch, Step } from '../call/step.ts'
import { delegationTo } from './atomic-route.ts'
import { simulate, type Simulation, type SimulationRequest } from '../simulation/simulation.ts'

/**
 * One transaction of the wallet to itself that makes several calls in order, of which all happen or none: the wallet runs the
 * code of a batch delegate (EIP-7702). To whoever is called it is the wallet itself that calls.
 */
export function batchStep(wallet: Address, delegate: Address, calls: readonly Step[]): Step {
  const data = encodeFunctionData({
    abi: batchDelegate.abi,
    functionName: 'execute',
    args: [calls.map(({ to, valueWei, data: input }) => ({ to, value: valueWei, data: input }))],
  })
  return {
    kind: 'call',
    label: `${calls.length} calls as one`,
    to: wallet,
    data,
    valueWei: 0n,
    batch: { delegate, calls },
  }
}

/**
 * The same calls as one user operation of the wallet (ERC-4337): its calldata is that of the account, whoever brings it to the chain.
 * Around them stand two kinds of calls of the pipeline's own, which move nothing. The first makes the operation revert once its time is
 * over, since nobody else bounds how late a bundler may include it. Those between two calls leave a log of the wallet alone, by which
 * each log of the receipt belongs to one call. Throws `ATOMIC_EXECUTION_UNAVAILABLE` where the chain has no router that knows
 * the time.
 */
export function operationStep(
  { operations, chain, wallet, deadline, atSeconds }: OperationFacts,
  delegate: Address,
  calls: readonly Step[],
): Step {
  const latest = atSeconds + longestSeconds
  const expiresAt = deadline === null || deadline > latest ? latest : deadline
  const guard = untilCall(chain, expiresAt)
  if (operations === undefined || guard === null) {
    throw new ToolError(
      'ATOMIC_EXECUTION_UNAVAILABLE',
      `Nothing on ${chain.name} bounds how late an operation is included.`,
    )
  }
  const marked = calls.flatMap(({ to: target, data, valueWei }, index): OperationCall[] => [
    ...(index === 0 ? [] : [markCall(chain, index)]),
    { target, data, valueWei },
  ])
  return {
    kind: 'call',
    label: `${calls.length} calls as one`,
    from: operations.entryPoint,
    to: wallet,
    data: operations.encode([guard, ...marked]),
    valueWei: 0n,
    batch: { delegate, calls, operation: { expiresAt, calls: [guard, ...marked], permit2: chain.permit2 } },
  }
}

type OperationFacts = {
  /** Those of the wallet on the chain, where it sends any. */
  readonly operations: UserOperations | undefined
  readonly chain: Chain
  readonly wallet: Address
  /** What the intent names, in Unix seconds, as `atSeconds`, when the next block may be mined. */
  readonly deadline: number | null
  readonly atSeconds: number
}

/** The calls that a transaction makes by itself: those of a batch, else its own. */
export function callsOf(step: Step): readonly Step[] {
  return step.batch?.calls ?? [step]
}

/** What transactions send along of native currency, the calls of batches included. */
export function sentWei(steps: readonly Step[]): bigint {
  return steps.flatMap(callsOf).reduce((sum, { valueWei }) => sum + valueWei, 0n)
}

/** The same of a signed transaction, by its bytes. */
export function sentBySigned(entry: Pick<JournalEntry, 'from' | 'rawTransaction'>): bigint {
  const { to, value = 0n } = parseTransaction(entry.rawTransaction)
  const own = to != null && isAddressEqual(to, entry.from) ? value : 0n
  return signedCalls(entry).reduce((sum, { valueWei }) => sum + valueWei, own)
}

/** The calls that a signed transaction makes, by its bytes: those of a batch or a user operation, else its own. */
export function signedCalls({
  from,
  rawTransaction,
}: Pick<JournalEntry, 'from' | 'rawTransaction'>): readonly Pick<Step, 'to' | 'data' | 'valueWei'>[] {
  const { to, value: valueWei = 0n, data = '0x' } = parseTransaction(rawTransaction)
  if (to == null) return []
  if (!isAddressEqual(to, from)) return [{ to, data, valueWei }]
  try {
    const batch = decodeFunctionData({ abi: [...batchDelegate.abi, ...accountAbi], data })
    if (batch.functionName === 'executeBatch')
      return batch.args[0].map(({ target, data: input, value }) => ({ to: target, data: input, valueWei: value }))
    return batch.functionName === 'execute'
      ? batch.args[0].map(({ to: target, data: input, value }) => ({ to: target, data: input, valueWei: value }))
      : []
  } catch {
    return []
  }
}

/**
 * The logs of a mined batch by the calls that made them. The delegate writes a log of its own after each, at the wallet's address; of a
 * user operation Permit2 writes one for the wallet between two. Nobody else can write either. What an endpoint keeps back is missing
 * here, too.
 */
export function logsByCall(
  wallet: Address,
  { calls, operation }: Batch,
  logs: readonly Log[],
): readonly (readonly Log[])[] {
  const parts: Log[][] = calls.map(() => [])
  const isMark =
    operation === undefined
      ? ({ address, topics }: Log) => isAddressEqual(address, wallet) && topics[0] === callMade
      : ({ address, topics: [event, owner] }: Log) =>
          isAddressEqual(address, operation.permit2) && event === noncesInvalidated && owner === lower(pad(wallet))
  let index = 0
  for (const log of logs) {
    if (isMark(log)) index += 1
    else parts[index]?.push(log)
  }
  return parts
}

function lower(hex: Hex): string {
  return hex.toLowerCase()
}

/** Topic of `CallMade(uint256)`. */
const callMade = '0x16de51d02ba4069e95f2b898f8b138e6b402568419968780721b1f8c586be4e6'

/** Topic of Permit2's `UnorderedNonceInvalidation(address,uint256,uint256)`. */
const noncesInvalidated = '0x3704902f963766a4e561bbaab6e6cdc1b1dd12f6e9e99648da8843b3f46b918d'

/** Of Simple7702Account: several calls, all or none. */
const accountAbi = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function executeBatch(Call[] calls)',
])

/** An operation is included within seconds or hardly ever, and while one is out the wallet does nothing else. */
const longestSeconds = 3 * 60

/** Does nothing until a time, and reverts after it. */
function untilCall({ amm }: Chain, deadline: number): OperationCall | null {
  if (amm.universalRouter !== undefined) {
    const args = ['0x', [], BigInt(deadline)] as const
    return {
      target: amm.universalRouter.address,
      data: encodeFunctionData({ abi: aroundAbi, functionName: 'execute', args }),
    }
  }
  if (amm.v3 === undefined) return null
  const args = [BigInt(deadline), []] as const
  return { target: amm.v3.swapRouter02, data: encodeFunctionData({ abi: aroundAbi, functionName: 'multicall', args }) }
}

/** Invalidates none of the wallet's unordered nonces, and says so in a log that only the wallet can cause. */
function markCall({ permit2 }: Chain, index: number): OperationCall {
  const args = [BigInt(index), 0n] as const
  return {
    target: permit2,
    data: encodeFunctionData({ abi: aroundAbi, functionName: 'invalidateUnorderedNonces', args }),
  }
}

const aroundAbi = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[] results)',
  'function invalidateUnorderedNonces(uint256 wordPos, uint256 mask)',
])

/**
 * Simulates a batch twice at one block: its calls one by one, which shows each deposit and names the call that fails, and the very
 * transaction with the wallet delegated, whose effect and gas count. Both must come to the same, or a callee tells the one from the
 * other. No allowance may be left: a batch takes its own back. Throws what `simulate` throws, and `UNSAFE_TRANSACTION`.
 */
export async function simulateBatch(
  request: SimulationRequest,
  step: Step & { readonly batch: Batch },
  isDelegated: boolean,
): Promise<Simulation> {
  const { delegate, calls } = step.batch
  const [one, other] = await Promise.allSettled([
    simulate({ ...request, steps: calls, revokes: [] }),
    simulate({ ...request, steps: [step], revokes: [], code: delegationTo(delegate) }),
  ])
  // What a call of its own says of a failure tells more.
  if (one.status === 'rejected') throw one.reason
  if (other.status === 'rejected') throw other.reason
  const [apart, together] = [one.value, other.value]
  requireSame(apart, together)
  const left = together.leftovers.findIndex(
    (amount, index) => amount > 0n && request.allowances[index]?.revokeAfter === true,
  )
  if (left !== -1) throw unsafe('A token would keep an allowance that the batch takes back.')
  const authorizing = isDelegated ? 0n : authorizationGas
  return {
    ...together,
    deposits: apart.deposits,
    gasUsed: together.gasUsed.map((gas) => gas + authorizing),
    apart: apart.gasUsed,
  }
}

/**
 * Simulates what one call of a contract does beside the calls that would do the same one by one, to tell what that saves. Where both
 * fail, the calls say which of them it is; what they use is left out where they alone do.
 */
export async function simulateBeside(request: SimulationRequest, apart: readonly Step[]): Promise<Simulation> {
  const approvals = request.steps.filter(({ kind }) => kind === 'approve')
  const [one, other] = await Promise.allSettled([
    simulate({ ...request, steps: [...approvals, ...apart], revokes: [], deposits: [] }),
    simulate(request),
  ])
  if (other.status === 'rejected') throw one.status === 'rejected' ? one.reason : other.reason
  return one.status === 'rejected' ? other.value : { ...other.value, apart: one.value.gasUsed }
}

/** Of one authorization, before what is given back for an account that has been used (EIP-7702). */
const authorizationGas = 25_000n

function requireSame({ deltas: apart }: Simulation, { deltas: together }: Simulation): void {
  const tokens = new Set([...apart.keys(), ...together.keys()])
  for (const token of tokens) {
    if ((apart.get(token) ?? 0n) === (together.get(token) ?? 0n)) continue
    throw unsafe('As one transaction the calls would move something else than one by one.')
  }
}

function unsafe(message: string): ToolError {
  return new ToolError('UNSAFE_TRANSACTION', message, { details: [{ message: 'the simulation shows it' }] })
}
