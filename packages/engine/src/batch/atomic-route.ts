import type { Chain, UserOperations } from '@svc/wallet/core'
import {
  type Address,
  concat,
  type Hex,
  isAddressEqual,
  keccak256,
  type PublicClient,
  getContractAddress,
  zeroHash,
} from 'viem'
import { type Intent, ToolError } from '@svc/amm'
import type { ChainSnapshot } from '../call/chain-snapshot.ts'
import type { Policy } from '../policy/policy.ts'
import type { Refusal } from '../call/refusal.ts'
import { batchDelegate } from '../calldata/contracts.gen.ts'

/**
 * Looks whether the wallet can make several calls as one, and how. As a batch (EIP-7702): the operator names the contract it may delegate
 * to, that contract has exactly the code of our own, and the wallet runs it already, or runs no code and its signer signs
 * authorizations. As a user operation (ERC-4337), where a bundler and a paymaster are configured and there is no such batch: the wallet
 * runs Simple7702Account already, or the operator names that one. Throws `RPC_*` where the endpoint does not say.
 */
export async function readAtomicRoute(question: AtomicQuestion): Promise<AtomicRoute> {
  const { client, chain, policy, wallet, account = null } = question
  const named = policy.batchDelegate[chain.id] ?? account
  if (named === null) return none(unnamed(chain))
  const isAccount = account !== null && isAddressEqual(account, named)
  const delegates = account === null ? [named] : isAccount ? [account] : [named, account]
  const [own, ...codes] = await Promise.all([wallet, ...delegates].map((address) => codeAt(client, address)))
  const runs = (own ?? '0x').toLowerCase()
  let refusal = `The contract ${named} does not hold the code of the batch delegate, so nothing is delegated to it.`
  for (const [index, delegate] of delegates.entries()) {
    const by = kinds.get(keccak256(codes[index] ?? '0x'))
    if (by === 'user-operation' && account === null) refusal = noSponsors
    if (by === undefined || (by === 'user-operation' && delegate !== account)) continue
    if (runs === delegationTo(delegate)) return { by, delegate, isDelegated: true, refusal: null }
    const isNamed = policy.batchDelegate[chain.id] !== undefined && isAddressEqual(delegate, named)
    if (runs !== '0x') refusal = 'The wallet runs other code already, and is not delegated anew.'
    else if (!isNamed) refusal = delegates.length > 1 ? refusal : unnamed(chain)
    else if (question.signsAuthorizations !== false) return { by, delegate, isDelegated: false, refusal: null }
    else refusal = 'The signer of the wallet has no way to sign what delegates it.'
  }
  return none(refusal)
}

/** What the route is looked up by, as it is configured now. */
export function routeQuestion({ engine, client, chain, wallet }: RouteContext): AtomicQuestion {
  const { policy, signsAuthorizations } = engine
  const operations = engine.userOperations?.(chain)
  const account = operations?.isConfigured === true ? operations.account : null
  return { client, chain, policy, wallet, signsAuthorizations, account }
}

type RouteContext = {
  readonly client: PublicClient
  readonly chain: Chain
  readonly wallet: Address
  readonly engine: {
    readonly policy: Policy
    readonly signsAuthorizations?: boolean
    readonly userOperations?: (chain: Chain) => UserOperations
  }
}

export type AtomicQuestion = {
  readonly client: Pick<PublicClient, 'getCode'>
  readonly chain: Pick<Chain, 'id' | 'name'>
  readonly policy: Pick<Policy, 'batchDelegate'>
  readonly wallet: Address
  /** False where the wallet's signer has no way to sign EIP-7702 authorizations. */
  readonly signsAuthorizations?: boolean | undefined
  /** What a wallet runs that sends user operations; `null` where no bundler and paymaster are configured. */
  readonly account?: Address | null
}

export type AtomicRoute =
  | {
      readonly by: 'batch-7702' | 'user-operation'
      readonly delegate: Address
      readonly isDelegated: boolean
      readonly refusal: null
    }
  | { readonly by: null; readonly delegate: null; readonly refusal: Refusal }

/** Whoever pays for a user operation, it is not the wallet: what it may cost counts against none of its limits. */
export function atWhoseGas(route: AtomicRoute | null, taken: ChainSnapshot): ChainSnapshot {
  if (route?.by !== 'user-operation') return taken
  return { ...taken, fees: { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, expectedPerGas: 0n } }
}

/** Why a batch cannot be carried out: there is no route, or another than it was planned for. */
export function routeRefusals(
  { by, refusal }: AtomicRoute,
  { atomicity }: Pick<Intent, 'atomicity'>,
): readonly Refusal[] {
  if (refusal !== null) return [refusal]
  if (by === atomicity) return []
  const message = 'The wallet makes several calls one in another way now than when they were planned.'
  return [{ code: 'ATOMIC_EXECUTION_UNAVAILABLE', message }]
}

/** The code of an account that is delegated, in lower case. */
export function delegationTo(delegate: Address): Hex {
  return concat(['0xef0100', delegate]).toLowerCase() as Hex
}

/** Throws where the route that a batch was simulated on is no longer there. */
export async function requireRoute(question: AtomicQuestion, planned: AtomicRoute): Promise<void> {
  const now = await readAtomicRoute(question)
  if (now.refusal !== null) throw new ToolError(now.refusal.code, `${now.refusal.message} Nothing was signed.`)
  const isSame =
    planned.refusal === null &&
    now.by === planned.by &&
    isAddressEqual(now.delegate, planned.delegate) &&
    now.isDelegated === planned.isDelegated
  if (isSame) return
  const message = 'What code the wallet runs has changed since the call was simulated. Nothing was signed.'
  throw new ToolError('SIMULATION_DRIFT', message)
}

function unnamed({ name }: Pick<Chain, 'name'>): string {
  return `The policy names no batch delegate on ${name}; the operator can add it with svc policy add-delegate ${name}.`
}

const noSponsors =
  'The policy names what sends user operations, and no bundler and paymaster are configured (SVC_BUNDLER_URL_…, SVC_PAYMASTER_URL_…).'

async function codeAt(client: Pick<PublicClient, 'getCode'>, address: Address): Promise<Hex> {
  return (await client.getCode({ address })) ?? '0x'
}

function none(message: string): AtomicRoute {
  return { by: null, delegate: null, refusal: { code: 'ATOMIC_EXECUTION_UNAVAILABLE', message } }
}

const deploymentFactory: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/**
 * What puts the batch delegate on a chain, whoever sends it, and where it then stands: the same place on every chain that has
 * the deterministic deployment proxy (github.com/Arachnid/deterministic-deployment-proxy).
 */
export const batchDelegateDeployment: BatchDelegateDeployment = {
  address: getContractAddress({
    opcode: 'CREATE2',
    from: deploymentFactory,
    salt: zeroHash,
    bytecode: batchDelegate.bytecode,
  }),
  to: deploymentFactory,
  data: concat([zeroHash, batchDelegate.bytecode]),
}

export type BatchDelegateDeployment = {
  /** Of the contract once it is deployed. */
  readonly address: Address
  /** The proxy that deploys it. */
  readonly to: Address
  readonly data: Hex
}

/** Whether the contract at an address has exactly the code of our own batch delegate. */
export async function holdsBatchDelegate(client: Pick<PublicClient, 'getCode'>, address: Address): Promise<boolean> {
  return keccak256((await client.getCode({ address })) ?? '0x') === batchDelegateCodeHash
}

/** The hash of the code of our own batch delegate. */
const batchDelegateCodeHash: Hex = keccak256(batchDelegate.runtime)

/** What carries calls out, by the hash of its code: our batch delegate, and Simple7702Account of EntryPoint 0.8. */
const kinds: ReadonlyMap<Hex, 'batch-7702' | 'user-operation'> = new Map([
  [batchDelegateCodeHash, 'batch-7702'],
  ['0xcc7b633aef4b2543cb8f37522adf1a401f910f0f6b2430c1eecc11f401ccfcf3', 'user-operation'],
])
